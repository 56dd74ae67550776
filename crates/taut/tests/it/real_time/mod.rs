//! Real-time CORBA: priorities, the policies of Real-time CORBA 1.2, and what they do to calls.

mod bands;
mod chains;
mod inherited;
mod models;
mod objects;
mod policies;
mod priorities;
mod propagation;
mod recorder;
mod served;
