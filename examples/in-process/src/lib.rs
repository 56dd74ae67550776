//! A transport through the memory of a process, as an example of one that has neither
//! sockets nor descriptors.
//!
//! Two ORBs of a process that were given clones of one [`InProcess`] reach each other:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let network = taut_in_process::InProcess::new();
//! let server = taut::Orb::builder()
//!     .protocol(network.clone())?
//!     .listen("inproc://bank")?
//!     .build()?;
//! let client = taut::Orb::builder().protocol(network)?.build()?;
//! # let _ = (server, client);
//! # Ok(())
//! # }
//! ```

mod acceptor;
mod channel;
mod pipe;
mod protocol;

pub use protocol::InProcess;
