//! Taut with ORBs that others wrote, and generated code in both marshaling strategies.

// The snapshot `external` refers to another crate of this name, and there to `far_away`.
extern crate self as other;
pub(crate) use generated::compiled::external_origin::far::away as far_away;

mod ami;
mod any_values;
mod asynchronous;
mod bidirectional;
mod big_endian;
mod construct_test;
mod deferred;
mod forwards;
mod generated;
mod generated_code;
#[cfg(target_endian = "little")]
mod golden;
mod handles;
mod idl_contexts;
mod interceptors;
mod interface_repository;
mod jacorb;
mod jacorb_constructs;
mod kept_connections;
mod large_structs;
mod loss;
mod mapping_guide;
mod naming;
mod naming_service;
mod omniorb;
mod oneways;
mod param_test;
mod persistence;
mod policies;
mod random_idl;
mod real_time;
mod scheduling_service;
mod strategies;
mod tracing;
mod unix_sockets;
mod value_types;
