//! The tests of the program `taut`, and of what holds for all of the repository.

mod command;
mod linear_cost;
mod repository;
