//! Taut's side where it knows priorities: a server with a thread pool of two lanes, and a client
//! whose priority goes with its calls.

use taut::policy::{
    Policy, PriorityBand, PriorityBandedConnectionPolicy, PriorityModel, PriorityModelPolicy,
    SetOverrideType, ThreadpoolPolicy,
};
use taut::real_time::{Priority, RealTime, Threadpool, ThreadpoolLane};
use taut::{CollocationStrategy, Orb, OrbBuilder, PriorityMappingKind, Reference as _, Settings};

use super::periodic;
use crate::error::BenchError;
use crate::taut::{LOOPBACK, PingerRef, serve_until_end_of_input, skeleton};

/// The priority of the lane that serves the flood.
const LEAST: i16 = 1;

/// The threads of that lane, and of the other.
const THREADS: [u32; 2] = [2, 1];

/// The settings of both ORBs: CORBA's priorities are the system's.
fn builder() -> OrbBuilder {
    let settings = |settings: &mut Settings| {
        settings.real_time.priority_mapping = PriorityMappingKind::Direct;
        settings.client.collocation = CollocationStrategy::Off;
        settings.server.max_connections_per_peer = settings.server.max_connections;
    };
    Orb::builder().real_time(RealTime::new()).settings(settings)
}

/// The CORBA priority that has this native one.
fn priority(native: i32) -> Result<Priority, BenchError> {
    let number = i16::try_from(native).map_err(BenchError::orb)?;
    Priority::new(number).map_err(BenchError::orb)
}

/// The server: prints its reference, then serves until standard input ends.
///
/// # Errors
///
/// [`BenchError::Orb`] when it cannot be set up.
pub(super) fn serve(native: i32) -> Result<(), BenchError> {
    let orb = builder()
        .listen(LOOPBACK)
        .and_then(OrbBuilder::build)
        .map_err(BenchError::orb)?;
    let least = Priority::new(LEAST).map_err(BenchError::orb)?;
    // A client that knows nothing of lanes uses the first.
    let pool = Threadpool::with_lanes([
        ThreadpoolLane::new(least, THREADS[0]),
        ThreadpoolLane::new(priority(native)?, THREADS[1]),
    ]);
    let real_time = orb.real_time().map_err(BenchError::orb)?;
    let pool = real_time.create(&pool).map_err(BenchError::orb)?;
    let root = orb.root_poa().map_err(BenchError::orb)?;
    let model = PriorityModelPolicy {
        priority_model: PriorityModel::ClientPropagated,
        server_priority: least,
    };
    let policies = [ThreadpoolPolicy(pool).into()];
    let poa = root.create_poa_telling("lanes", Some(root.manager()), &policies, &[model.into()]);
    let poa = poa.map_err(BenchError::orb)?;
    root.manager().activate().map_err(BenchError::orb)?;
    let pinger = poa.activate(skeleton()).map_err(BenchError::orb)?;
    serve_until_end_of_input(&orb, pinger.as_object());
    Ok(())
}

/// The client: calls periodically, over a connection of its priority's band if there are to be
/// `bands`.
///
/// # Errors
///
/// [`BenchError::Orb`] when the object is not there, and those of
/// [`periodic::answer_driver`].
pub(super) fn call(reference: &str, native: i32, bands: bool) -> Result<(), BenchError> {
    let orb = builder().build().map_err(BenchError::orb)?;
    let (least, own) = (
        Priority::new(LEAST).map_err(BenchError::orb)?,
        priority(native)?,
    );
    if bands {
        let below = priority(native - 1)?;
        let bands = vec![
            PriorityBand::new(least, below),
            PriorityBand::new(own, Priority::MAX),
        ];
        let policy: Policy = PriorityBandedConnectionPolicy(bands).into();
        orb.policy_manager()
            .set_policy_overrides(&[policy], SetOverrideType::Add)
            .map_err(BenchError::orb)?;
    }
    let object = orb.string_to_object(reference).map_err(BenchError::orb)?;
    let pinger: PingerRef = object.unchecked_narrow();
    let real_time = orb.real_time().map_err(BenchError::orb)?;
    let current = real_time.current();
    current
        .set_the_priority(own.get())
        .map_err(BenchError::orb)?;
    real_time.prepare().map_err(BenchError::orb)?;
    pinger.as_object().prepare().map_err(BenchError::orb)?;
    periodic::answer_driver(|_| {
        use crate::taut::Pinger as _;
        pinger.ping().map_err(BenchError::call)
    })
}
