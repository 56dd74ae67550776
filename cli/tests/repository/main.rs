//! The pages and packages of the repository.

mod floors;
mod links;
mod packages;
mod status;
