//! Objects of POAs that are bound to thread pools.

use std::sync::Arc;

use taut::policy::ThreadpoolPolicy;
use taut::real_time::{Priority, RealTime, Threadpool, ThreadpoolLane};
use taut::{CollocationStrategy, Orb, Reference};

use super::generated::demo::{Circle, CircleRef, CircleSkeleton};
use super::{Home, client};

#[test]
fn a_call_of_the_same_process_stays_in_its_thread_whatever_the_pool() {
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    let home = Home::with(builder.real_time(RealTime::new()));
    let lanes = [0, 9].map(|number| ThreadpoolLane::new(Priority::new(number).unwrap(), 1));
    let pool = home.orb.real_time().unwrap();
    let pool = pool.create(&Threadpool::with_lanes(lanes)).unwrap();
    let policies = [ThreadpoolPolicy(pool).into()];
    let poa = home
        .poa
        .create_poa("lanes", Some(home.poa.manager()), &policies);
    let skeleton = CircleSkeleton::from_arc(Arc::clone(&home.servant));
    let circle: CircleRef = poa.unwrap().activate(skeleton).unwrap();

    assert!(circle.radius().is_ok() && home.servant.ran_here());
    let direct = circle.with_collocation(CollocationStrategy::Direct);
    assert!(direct.radius().is_ok() && home.servant.ran_here());
    let text = circle.as_object().to_string();
    let of_other: CircleRef = client().string_to_object(&text).unwrap().unchecked_narrow();
    assert!(of_other.radius().is_ok() && home.servant.ran_here());
    // By message it is one of the pool's threads.
    let by_message = circle.with_collocation(CollocationStrategy::Off);
    assert!(by_message.radius().is_ok() && home.servant.ran_elsewhere());
}
