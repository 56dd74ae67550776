//! The tests of CDR: values to octets and back.

#[cfg(feature = "code-sets")]
mod converted;
mod maps_and_bits;
mod uniform;
mod values;
mod wide_and_decimal;
