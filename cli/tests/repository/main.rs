//! The pages and packages of the repository.

mod decisions;
mod floors;
mod index;
mod links;
mod packages;
mod status;
