//! Value types: objects that travel as what they hold (CORBA 3.3 part 1, 7.9;
//! on the wire part 2, 9.3.4).
//!
//! A [`Value`] is a shared handle to a value whose type is `T` or derives from
//! it. The parts of a type are described by [`ValueType`] and, where it has state, by
//! [`ConcreteValue`]; both are generated. A value that is met twice in a message is written
//! once, and what was one value before is one value after.
//!
//! A received value may be of a type that derives from the expected one. Types
//! of the same IDL are known to each other; others are made known by
//! [`register`]. Where the sender allows it, a value of an unknown type is
//! truncated to the base that is known.

mod abstract_interface;
mod comparison;
mod custom;
mod descriptor;
mod deviation;
mod handle;
mod header;
mod read;
mod registry;
mod traits;
mod write;

pub use abstract_interface::{Abstract, AbstractInterface};
pub use custom::{CustomMarshal, DataInputStream, DataOutputStream};
pub use descriptor::{ValueDescriptor, ValueObject};
pub use deviation::{Deviation, Observer, observe_deviations};
pub use handle::Value;
pub use read::unknown_id;
pub use registry::register;
pub use traits::{ConcreteValue, DerivesFrom, NoBase, Part, ValueBase, ValueType};

pub(crate) use deviation::note;
pub(crate) use header::{Header, Ids, InDecoder, Place, Places, REMEMBERED, tag};
pub(crate) use read::{read, skip_level};
pub(crate) use registry::registered;
pub(crate) use write::write;
