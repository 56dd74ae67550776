//! The pages and packages of the repository.

mod decisions;
mod errors;
mod floors;
mod index;
mod links;
mod packages;
mod status;
mod threads;
