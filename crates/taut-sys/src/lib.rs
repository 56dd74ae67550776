//! What Taut needs of the operating system, behind safe functions.
//!
//! - [`tcp`]: stream sockets that receive into a vector's spare capacity, one
//!   system call each way for a message;
//! - [`cpu`]: which CPUs a thread may run on;
//! - [`clock`]: a monotonic clock that costs no system call;
//! - [`entropy`]: random octets;
//! - [`host`]: the address under which others may reach this machine.
//!
//! Not here: anything of CORBA, and every policy: callers decide what to do
//! with an error.

pub mod clock;
pub mod cpu;
pub mod entropy;
pub mod host;
pub mod tcp;
