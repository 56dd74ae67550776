//! Real-time CORBA: priorities, the policies of Real-time CORBA 1.2, and what they do to calls.

mod bands;
mod lane_choice;
mod policies;
mod priorities;
mod private_connections;
mod propagation;
mod recorder;
