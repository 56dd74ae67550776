//! The tests of the compiler of IDL: models, diagnostics, the layout, and what a source may cost.

mod data;
mod fmt;
mod macro_cost;
mod memory;
mod options;
mod robustness;
mod support;
