//! Real-time CORBA: priorities, the policies of Real-time CORBA 1.2, and what they do to calls.

mod arena;
mod buffering;
mod inherited;
mod io;
mod lanes;
mod models;
mod mutexes;
mod objects;
mod policies;
mod priorities;
mod protocols;
mod served;
