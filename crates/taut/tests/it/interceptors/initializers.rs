//! Code that registers interceptors while an ORB is made.

use std::sync::Arc;

use parking_lot::Mutex;
use taut::interceptors::{InitializerError, OrbInitInfo, OrbInitializer};
use taut::{InitError, Orb};

use super::{Log, Noting};
use crate::common::mode::Mode;

/// Notes when it is called.
struct Initializer {
    name: &'static str,
    log: Log,
    registers_late: bool,
}

impl OrbInitializer for Initializer {
    fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), InitializerError> {
        self.log
            .lock()
            .push(format!("{}.pre_init {:?}", self.name, info.arguments()));
        assert!(info.resolve_initial_references("Echo").is_err());
        assert_eq!(info.orb_id(), "");
        Ok(())
    }

    fn post_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), InitializerError> {
        self.log.lock().push(format!("{}.post_init", self.name));
        let echo = info.resolve_initial_references("Echo")?;
        // No interceptor takes part yet.
        assert!(!echo.non_existent()?);
        info.register_initial_reference("Same", &echo)?;
        if self.registers_late {
            let noting = Arc::new(Noting::new(self.name, &self.log));
            info.add_client_request_interceptor(Arc::clone(&noting) as _)?;
            assert!(info.add_client_request_interceptor(noting).is_err());
        }
        Ok(())
    }
}

#[test]
fn initializers_are_called_in_order_and_register_until_the_orb_is_made() {
    let server = Mode::tcp().server();
    let log = Log::default();
    let initializer = |name, registers_late| Initializer {
        name,
        log: Arc::clone(&log),
        registers_late,
    };
    let url = taut::Reference::as_object(&server.echo).to_string();
    let mut arguments = vec![
        "-ORBInitRef".to_owned(),
        format!("Echo={url}"),
        "own".to_owned(),
    ];
    let orb = Orb::builder()
        .arguments(&mut arguments)
        .unwrap()
        .initializer(initializer("One", false))
        .initializer(initializer("Two", true))
        .build()
        .unwrap();
    assert_eq!(arguments, ["own"]);
    let noted = std::mem::take(&mut *log.lock());
    assert!(
        noted[0].starts_with("One.pre_init [\"-ORBInitRef\", "),
        "{noted:?}"
    );
    assert!(noted[1].starts_with("Two.pre_init"));
    assert_eq!(noted[2..], ["One.post_init", "Two.post_init"]);
    let same = orb.resolve_initial_references("Same").unwrap();
    assert!(!same.non_existent().unwrap());
    // The reference is older than the registration.
    assert_eq!(
        *log.lock(),
        [
            "Two.send_request _non_existent",
            "Two.receive_reply _non_existent Successful"
        ]
    );
    orb.shutdown(true).unwrap();
}

#[test]
fn an_initializer_that_fails_is_the_builders_error() {
    struct Fails(Mutex<Option<InitializerError>>);
    impl OrbInitializer for Fails {
        fn pre_init(&self, _: &mut OrbInitInfo<'_>) -> Result<(), InitializerError> {
            self.0.lock().take().map_or(Ok(()), Err)
        }
    }
    let fails = Fails(Mutex::new(Some("no key was found".into())));
    match Orb::builder().initializer(fails).build() {
        Err(error @ InitError::Initializer(_)) => {
            assert!(error.to_string().contains("no key was found"));
        }
        other => panic!("{other:?}"),
    }
}
