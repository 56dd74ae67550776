//! Real-time CORBA: priorities, the policies of Real-time CORBA 1.2, and what they do to calls.

mod bands;
mod flow;
mod io;
mod lane_choice;
mod mutexes;
mod policies;
mod priorities;
mod private_connections;
mod propagation;
mod protocols;
mod quality;
mod recorder;
mod sealed;
