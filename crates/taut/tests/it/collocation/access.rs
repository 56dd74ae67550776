//! The access of callers in the servant's own process to the objects of a POA.

use std::sync::Arc;
use std::thread;

use taut::quality::{Admission, AdmissionPolicy, ArrivedRequest, Client, CollocationAccess};
use taut::quality::{ServiceQuality, Usage};
use taut::real_time::{Priority, RealTime};
use taut::{CollocationStrategy, Orb, Poa, Reference};

use super::{Circle, CircleRef, CircleSkeleton, Disc, Home, Mutex, Shape};

const STRATEGIES: [CollocationStrategy; 2] =
    [CollocationStrategy::ThroughPoa, CollocationStrategy::Direct];

/// A circle of a POA with this quality, beside others of this process.
fn circle_of(home: &Home, quality: ServiceQuality) -> (Poa, Arc<Disc>, CircleRef) {
    let poa = home.poa.create_poa("access", None, &[]).unwrap();
    poa.set_quality(quality).unwrap();
    poa.manager().activate().unwrap();
    let servant = Arc::clone(&home.servant);
    let circle = poa.activate(CircleSkeleton::from_arc(Arc::clone(&servant)));
    (poa, servant, circle.unwrap())
}

fn with(circle: &CircleRef, strategy: CollocationStrategy) -> CircleRef {
    let object = circle.as_object().with_collocation(strategy);
    object.unchecked_narrow()
}

#[test]
fn only_callers_of_the_group_run_the_servant_in_their_threads() {
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    let home = Home::with(builder.real_time(RealTime::new()));
    let priority = |number| Priority::new(number).unwrap();
    let group = priority(100)..=priority(200);
    let access = CollocationAccess::new().callers(group);
    let (_, servant, circle) = circle_of(&home, ServiceQuality::new().collocation(access));
    let current = home.orb.real_time().unwrap().current();
    for strategy in STRATEGIES {
        let circle = with(&circle, strategy);
        let callers = [
            (None, false),
            (Some(99), false),
            (Some(100), true),
            (Some(200), true),
            (Some(201), false),
        ];
        for (number, is_here) in callers {
            let call = || {
                if let Some(number) = number {
                    current.set_the_priority(number).unwrap();
                }
                for _ in 0..3 {
                    circle.name().unwrap();
                    let ran_here = servant.ran_here();
                    assert_eq!(ran_here, is_here, "{number:?} by {strategy:?}");
                    circle.log("text").unwrap();
                }
            };
            // A thread keeps its priority.
            thread::scope(|scope| scope.spawn(call).join().unwrap());
        }
    }
}

#[test]
fn references_let_go_of_servants_whose_manager_stops_requests_if_they_are_to() {
    for heeds in [false, true] {
        let home = Home::unreachable();
        let access = CollocationAccess::new();
        let access = match heeds {
            true => access.heeds_manager(),
            false => access,
        };
        let (poa, servant, circle) = circle_of(&home, ServiceQuality::new().collocation(access));
        let circle = with(&circle, CollocationStrategy::Direct);
        for _ in 0..3 {
            circle.name().unwrap();
            assert!(servant.ran_here());
        }
        poa.manager().discard_requests(true).unwrap();
        let outcome = circle.name();
        assert_eq!(outcome.is_err(), heeds, "{outcome:?}");
        // An object that becomes active meanwhile is not kept either.
        let new = poa
            .activate(CircleSkeleton::from_arc(new_disc(&home)))
            .unwrap();
        assert!(with(&new, CollocationStrategy::Direct).name().is_err());
        poa.manager().activate().unwrap();
        circle.name().unwrap();
        assert!(servant.ran_here());
    }
}

/// Another servant of the same kind.
fn new_disc(home: &Home) -> Arc<Disc> {
    let (entered, _) = std::sync::mpsc::channel();
    let (_, release) = std::sync::mpsc::channel();
    Arc::new(Disc {
        radius: Mutex::new(*home.servant.radius.lock()),
        thread: Mutex::default(),
        logged: 0.into(),
        other: Mutex::default(),
        entered: Mutex::new(entered),
        release: Mutex::new(release),
        orb: Mutex::default(),
    })
}

/// A policy that notes what it is asked.
#[derive(Debug, Clone, Default)]
struct Notes(Arc<Mutex<Vec<&'static str>>>);

impl AdmissionPolicy for Notes {
    fn admit(&self, client: &Client, _: &ArrivedRequest) -> Admission {
        let is_local = client.connection() == 0;
        self.0.lock().push(match is_local {
            true => "here",
            false => "elsewhere",
        });
        Admission::Admit
    }

    fn ended(&self, _: &Client, _: &Usage) {
        self.0.lock().push("ended");
    }

    fn left(&self, _: &Client) {
        self.0.lock().push("left");
    }
}

#[test]
fn calls_of_this_process_are_admitted_as_requests_are() {
    let home = Home::unreachable();
    let notes = Notes::default();
    let (_, servant, circle) = circle_of(&home, ServiceQuality::new().admission(notes.clone()));
    for strategy in STRATEGIES {
        let circle = with(&circle, strategy);
        for _ in 0..3 {
            circle.name().unwrap();
            assert!(servant.ran_here());
            assert_eq!(std::mem::take(&mut *notes.0.lock()), ["here", "ended"]);
        }
    }
}
