//! Taut, a CORBA ORB for bounded latency.
//!
//! An [`Orb`] finds objects ([`Orb::string_to_object`],
//! [`Orb::resolve_initial_references`]) and serves them ([`Orb::root_poa`]).
//! Interfaces are written in OMG IDL; the crate `taut-build` turns each into a
//! trait that servants implement and references implement too.
//!
//! ```text
//! let orb = Orb::init(&mut std::env::args().collect())?;
//! let bank = orb.string_to_object("corbaloc::example.com/Bank")?.narrow::<BankRef>()?;
//! let balance = bank.balance("Ada")?;
//! ```
//!
//! # What there is
//!
//! - [`Orb`] and [`OrbBuilder`]: configuration, URLs, initial references, life
//!   and death;
//! - [`ObjectRef`]: any object, anywhere; [`Reference`]: of a known interface;
//! - [`Poa`]: servants, their activation, and references to them;
//!   [`PoaManager`]: whether requests are let through;
//! - [`Any`]: a value together with its type; [`TypeCode`]: a type as a value;
//!   [`Typed`]: which type a Rust type is;
//! - [`Context`]: properties that go with a call;
//! - [`Value`]: an object that travels as what it holds; [`value`]: all about
//!   these;
//! - [`SystemException`]: what any call may end with; [`Result`];
//! - [`ami`]: reply handlers and pollers;
//! - [`corba`], [`time_base`]: what the standard's own IDL defines;
//! - [`codegen`]: what generated code refers to.
//!
//! # What there is not
//!
//! IDL is not read here (`taut-idl` does), and nothing here knows any
//! particular interface.
//!
//! # Features
//!
//! There are two shapes: `full`, the default, and `minimal`, which is what is left with
//! `default-features = false`. The parts and the size of each are in `docs/footprint.md`.
//! The features `tracing`, `metrics`, `code-sets` and `probes` go with either.
//!
//! # Floors
//!
//! `transport` and `connection` carry octets; `object` says where they go;
//! `limits.type_codes` describes generated types; `invoke` makes calls; `server` receives them; `poa` finds servants; `orb`
//! wires all this. Each knows only those before it.

#![cfg_attr(docsrs, feature(doc_cfg))]
// Most of what `full` has and `minimal` has not is compiled in both shapes. Nothing there
// leads to it in `minimal`, and so the linker leaves it out (docs/footprint.md).
#![cfg_attr(not(feature = "full"), allow(dead_code, unused_imports))]

// Generated code names this crate so, even that which is in it.
extern crate self as taut;
// Where there is nobody to tell, events go nowhere.
#[cfg(not(feature = "tracing"))]
extern crate self as tracing;

pub mod ami;
mod bitmask;
mod buffer_pool;
pub mod codegen;
mod connection;
mod context;
mod core;
mod counters;
pub mod deadline;
mod exception;
#[cfg_attr(not(feature = "full"), path = "executor/absent.rs")]
mod executor;
#[cfg(feature = "full")]
pub mod interceptors;
mod invoke;
mod lifecycle;
mod message;
mod messaging;
mod nested_calls;
mod object;
mod orb;
mod poa;
#[cfg(feature = "full")]
pub mod policy;
#[cfg(not(feature = "full"))]
#[path = "policy/absent.rs"]
mod policy;
#[cfg_attr(not(feature = "full"), path = "priority/absent.rs")]
mod priority;
#[cfg(feature = "probes")]
pub mod probes;
#[cfg(not(feature = "probes"))]
#[path = "probes/absent.rs"]
mod probes;
#[cfg(feature = "full")]
pub mod quality;
#[cfg(not(feature = "full"))]
#[path = "quality/absent.rs"]
mod quality;
#[cfg(feature = "full")]
pub mod real_time;
mod server;
mod service_contexts;
mod settings;
mod shared_lock;
mod sorted_map;
mod standard;
mod straight_way;
mod threads;
mod transport;
mod type_codes;
#[cfg(not(feature = "tracing"))]
mod untraced;
mod upcall;
mod waiting;

#[cfg(feature = "full")]
pub use crate::core::InterfaceSource;
pub use context::{Context, InvalidPropertyName};
pub use exception::UserException;
#[cfg(feature = "full")]
pub use executor::{BoxFuture, Spawn};
#[cfg(feature = "full")]
pub use invoke::InvokeFuture;
pub use invoke::{CallContext, Located, NarrowError, RaisedException, Reply, SequenceView};
pub use invoke::{OwnedReply, ReplyFuture};
pub use object::{Interface, ObjectRef, Reference};
pub use orb::{InitError, InvalidName, Orb, OrbBuilder, ServerError, UrlError};
#[cfg(feature = "full")]
pub use poa::{
    AdapterActivator, Cookie, ServantActivator, ServantLocator, ServantManager, ServantManagerError,
};
pub use poa::{Current, NoContext, ObjectId, PersistentKey, Poa, PoaError};
#[cfg(feature = "full")]
pub use poa::{DeferredRequest, Missing, RequestContext, Responder, SealError};
pub use poa::{
    IdAssignmentPolicy, IdUniquenessPolicy, ImplicitActivationPolicy, LifespanPolicy, Policy,
    RequestProcessingPolicy, Servant, ServantIdentity, ServantRetentionPolicy, Skeleton,
    ThreadPolicy,
};
pub use poa::{
    ManagerAlreadyExists, PoaManager, PoaManagerError, PoaManagerFactory, PoaManagerState,
};
pub use server::{EndpointError, ListenEndpoint, ServerRequest};
pub use service_contexts::ServiceContext;
pub use settings::{
    BidirectionalPolicy, ClientSettings, CollocationStrategy, ConnectionSharing,
    DemultiplexingStrategy, MessageLimits, PenaltyPolicy, PredictabilityPolicy, RefusedOptions,
    ReverseDemultiplexing, ServerSettings, Settings, SyncScope, TransportOrder, WaitStrategy,
    WireSettings,
};
#[cfg(feature = "full")]
pub use settings::{PriorityMappingKind, RealTimeSettings, WithoutRights};
pub use standard::{corba, time_base};
pub use taut_transport as transport_api;
pub use taut_transport::{
    Address, AddressError, DEFAULT_PORT, PeerNetwork, PeerNetworkError, Protocol, ProtocolError,
    Resolve, Resolver,
};
#[cfg(not(feature = "tracing"))]
pub(crate) use untraced::{debug, error, info, trace, warn};

#[cfg(feature = "probes")]
#[doc(hidden)]
pub use poa::measure;

#[cfg(feature = "code-sets")]
pub use taut_cdr::ConvertedCodeSet;
pub use taut_cdr::{ByteOrder, Char, CharCodeSet, Fixed, LongDouble, WChar};
pub use taut_giop::{
    CompletionStatus, ConnectAttempt, ConnectFailure, ExceptionReport, Ior, LimitReached, RaisedBy,
    SystemException, SystemExceptionKind, Version, minor,
};
pub use taut_types::value::{self, Value, ValueBase};
pub use taut_types::{Any, ExtractError, TypeCode, Typed};

/// The result of an operation that raises no exceptions of its own.
pub type Result<T> = std::result::Result<T, SystemException>;

/// Includes what `taut_build::compile` generated in the build script:
/// `taut::include_idl!("bank")` for `bank.idl`.
#[macro_export]
macro_rules! include_idl {
    ($name:literal) => {
        ::core::include!(::core::concat!(::core::env!("OUT_DIR"), "/", $name, ".rs"));
    };
}

/// The octets of the IDL of which `taut_build::compile` generated code in the build script, with
/// all files that it includes: `taut::idl_bundle!("bank")` for `bank.idl`. An interface
/// repository is made of them (the crate `taut-ifr`). A program that does not ask for them does
/// not have them.
#[macro_export]
macro_rules! idl_bundle {
    ($name:literal) => {{
        const OCTETS: &[u8] = ::core::include_bytes!(::core::concat!(
            ::core::env!("OUT_DIR"),
            "/",
            $name,
            ".idl-bundle"
        ));
        OCTETS
    }};
}

/// The examples of the README, which are compiled with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
