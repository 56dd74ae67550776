//! Real-time CORBA: priorities, the policies of Real-time CORBA 1.2, and what they do to calls.

mod bands;
mod chains;
mod inherited;
mod lane_choice;
mod models;
mod objects;
mod policies;
mod priorities;
mod private_connections;
mod propagation;
mod recorder;
mod served;
