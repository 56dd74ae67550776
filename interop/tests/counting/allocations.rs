//! Generated code of either marshaling strategy allocates nothing per call in
//! steady state, on either side, for calls whose values own no memory.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use test_tools::in_own_process;

/// Calls in one round.
const CALLS: u64 = 500;

/// The test of a strategy, whose generated code is in this directory.
macro_rules! strategy {
    ($module:ident: $directory:literal) => {
        mod $module {
            mod generated {
                include!(concat!(env!("OUT_DIR"), "/", $directory, "/demo.rs"));
            }

            use std::hint::black_box;

            use counting_allocator::every_thread::in_steady_state;
            use generated::demo::circle::{OutlineError, SumReply};
            use generated::demo::{Circle, CircleSkeleton, Path, Point, Shape, ShapeRef};
            use taut::{CollocationStrategy, Reference as _};

            struct Disc;

            impl Shape for Disc {
                fn name(&self) -> taut::Result<String> {
                    Ok("disc".to_owned())
                }
            }

            impl Circle for Disc {
                fn radius(&self) -> taut::Result<f64> {
                    Ok(1.5)
                }

                fn set_radius(&self, value: f64) -> taut::Result<()> {
                    black_box(value);
                    Ok(())
                }

                fn outline(&self, _: u32) -> Result<Path, OutlineError> {
                    Ok(Path::new())
                }

                fn move_by(&self, d: &Point, k: &mut f64) -> taut::Result<Point> {
                    *k = -*k;
                    Ok(*d)
                }

                fn feed(&self, samples: &[i32]) -> taut::Result<()> {
                    black_box(samples);
                    Ok(())
                }

                fn sum(&self, _: &[i32], _: &str, _: Option<&ShapeRef>) -> taut::Result<SumReply> {
                    Ok(SumReply::default())
                }

                fn log(&self, msg: &str) -> taut::Result<()> {
                    black_box(msg);
                    Ok(())
                }
            }

            pub(super) fn check() {
                let server = taut_interop::over_the_wire()
                    .listen("127.0.0.1:0")
                    .unwrap()
                    .build()
                    .unwrap();
                let poa = server.root_poa().unwrap();
                let served = poa.activate(CircleSkeleton::new(Disc)).unwrap();
                poa.manager().activate().unwrap();
                let client = taut_interop::over_the_wire().build().unwrap();
                let ior = server.object_to_string(served.as_object());
                let object = client.string_to_object(&ior).unwrap();
                let circle: generated::demo::CircleRef = object.narrow().unwrap();
                // By message caller and servant own what is returned; else it is
                // handed over.
                for (strategy, owners) in [
                    (CollocationStrategy::Off, 2),
                    (CollocationStrategy::ThroughPoa, 1),
                    (CollocationStrategy::Direct, 1),
                ] {
                    count(&circle.with_collocation(strategy), owners);
                }
            }

            fn count(circle: &generated::demo::CircleRef, owners: u64) {
                let scalars = in_steady_state(super::CALLS, || {
                    circle.set_radius(2.5).unwrap();
                    assert_eq!(circle.radius(), Ok(1.5));
                });
                let structs = in_steady_state(super::CALLS, || {
                    let mut k = 3.0;
                    let moved = circle.move_by(&Point { x: 1.0, y: 2.0 }, &mut k).unwrap();
                    assert_eq!((moved.x, k), (1.0, -3.0));
                });
                let samples = [7; 100];
                let borrowed = in_steady_state(super::CALLS, || circle.feed(&samples).unwrap());
                let oneway = in_steady_state(super::CALLS, || {
                    circle.log("a message").unwrap();
                    circle.radius().unwrap();
                });
                let name = stringify!($module);
                assert_eq!((scalars, structs, borrowed, oneway), (0, 0, 0, 0), "{name}");
                // The counter counts.
                let owned =
                    in_steady_state(super::CALLS, || assert_eq!(circle.name().unwrap(), "disc"));
                assert_eq!(owned, owners * super::CALLS, "{name}");
            }
        }
    };
}

strategy!(compiled: "generated_code");
strategy!(interpretive: "generated_code_interpretive");

#[test]
fn calls_do_not_allocate() {
    in_own_process(calls_do_not_allocate, || {
        compiled::check();
        interpretive::check();
    });
}
