//! The pages and packages of the repository.

mod links;
mod packages;
mod status;
