//! The tests of TypeCodes, Anys, values and tables. Memory is counted for the calling thread, so
//! that they run side by side.

mod anys;
mod dyn_any;
mod hostile;
mod memory;
mod message_memory;
mod omniorb_vectors;
mod plain_tables;
mod remembered;
mod short_value_memory;
mod short_values;
mod table_memory;
mod tables;
mod type_codes;
mod values;
mod wide_labels;
