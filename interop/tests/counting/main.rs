//! Counts: of instructions and system calls of other programs, of instructions of this one, and of
//! allocations. A test that counts what all threads allocate has a process of its own.

mod allocations;
mod call_cost;
mod copies;
mod flat_cost;
mod handle_allocations;
mod linear_cost;
mod memory_per_object;
mod system_calls;
mod urgent_calls;
