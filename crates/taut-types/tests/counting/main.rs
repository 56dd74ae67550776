//! Counts of instructions, which say something of optimized code only: `cargo xtask ci` runs
//! them with `--release`. No counting allocator is linked here, which would be counted along.

mod any_cost;
mod element_cost;
