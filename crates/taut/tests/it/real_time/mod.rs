//! Real-time CORBA: priorities, the policies of Real-time CORBA 1.2, and what they do to calls.

mod arena;
mod bands;
mod buffering;
mod chains;
mod flow;
mod inherited;
mod io;
mod lane_choice;
mod lanes;
mod models;
mod mutexes;
mod objects;
mod policies;
mod priorities;
mod private_connections;
mod propagation;
mod protocols;
mod quality;
mod recorder;
mod sealed;
mod served;
mod ways;
