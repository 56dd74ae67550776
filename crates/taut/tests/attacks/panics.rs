//! Servants that panic: what the ORB tells of it.

use taut::Reference;

use crate::arena::turn;
use crate::common::events;
use crate::common::{Echo, Misbehaviour, Server, client_with};

/// To find the fault takes the panic's text, the object and the client.
#[test]
fn the_event_of_a_panic_has_its_text_the_peer_and_the_object() {
    let _turn = turn();
    for connection_threads in [64, 0] {
        let server =
            Server::with(|settings| settings.server.connection_threads = connection_threads);
        events::restart();
        let echo = client_with(&server.ior(), |_| ());
        let failure = echo.misbehave(Misbehaviour::Panics).unwrap_err();
        assert_eq!(
            failure.to_string(),
            format!(
                "UNKNOWN: the servant panicked (Taut minor 37), COMPLETED_MAYBE; calling \
                 misbehave on {}; raised by {}",
                echo.as_object().type_id(),
                server.address()
            )
        );
        let told = events::with("a servant panicked");
        let [told] = &told[..] else {
            panic!("{told:?}");
        };
        // A socket for both versions of IP has the client as ::ffff:127.0.0.1.
        assert!(told.peer.starts_with("\"127.0.0.1:") || told.peer.starts_with("127.0.0.1:"));
        assert!(
            told.text.contains("the servant was asked to panic"),
            "{told:?}"
        );
        assert!(told.text.contains("misbehave"), "{told:?}");
        assert!(told.text.contains("of the POA RootPOA"), "{told:?}");
    }
}
