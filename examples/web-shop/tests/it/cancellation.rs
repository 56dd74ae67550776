//! Clients that go away.

use std::net::SocketAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use taut_web_shop::http;
use taut_web_shop::web::WebLimits;
use test_tools::{Direction, Relay};
use tokio::time::timeout;

use crate::common::{Gated, LONG, Tested, eventually};

/// The octets that went to the server, all connections after one another.
type Seen = Arc<Mutex<Vec<u8>>>;

/// The types of the messages in a stream.
fn message_types(mut stream: &[u8]) -> Vec<u8> {
    let mut types = Vec::new();
    while let [
        b'G',
        b'I',
        b'O',
        b'P',
        _,
        _,
        flags,
        kind,
        a,
        b,
        c,
        d,
        rest @ ..,
    ] = stream
    {
        types.push(*kind);
        let size = [*a, *b, *c, *d];
        let size = match flags & 1 {
            0 => u32::from_be_bytes(size),
            _ => u32::from_le_bytes(size),
        };
        stream = rest.get(size as usize..).unwrap_or_default();
    }
    types
}

/// Its type is 2 (CORBA 3.3 part 2, 9.4.1).
const CANCEL_REQUEST: u8 = 2;

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_away_cancels_the_call() {
    let seen = Seen::default();
    let to_server = Arc::clone(&seen);
    let (gated, has_begun, may_go_on) = Gated::new();
    let tested = Tested::start_by(gated, WebLimits::default(), |reference, port| {
        let server = SocketAddr::from(([127, 0, 0, 1], port));
        let relay = Relay::start(server, move |direction| {
            let seen = Arc::clone(&to_server);
            move |octets: &[u8]| {
                if direction == Direction::There {
                    seen.lock().extend(octets);
                }
            }
        });
        by_port(&reference, relay.unwrap().address().port())
    })
    .await;
    let client = http::send(tested.address, "/offers/tea", &[("x-timeout-ms", "30000")]);
    let client = client.await.unwrap();
    let begun = tokio::task::spawn_blocking(move || has_begun.recv());
    timeout(LONG, begun).await.unwrap().unwrap().unwrap();
    assert_eq!(tested.web.in_flight(), 1);
    drop(client);
    eventually(|| tested.web.in_flight() == 0).await;
    eventually(|| message_types(&seen.lock()).contains(&CANCEL_REQUEST)).await;
    let spans = tested.spans(1).await;
    let call = spans
        .iter()
        .find(|span| span.name == "shop/Catalogue/describe");
    let error = call.unwrap().attributes.iter().rev();
    let mut error = error.filter(|attribute| attribute.key.as_str() == "error.type");
    assert_eq!(error.next().unwrap().value.to_string(), "cancelled");

    // The service goes on.
    may_go_on.send(()).unwrap();
    may_go_on.send(()).unwrap();
    assert_eq!(tested.get("/offers/tea", &[]).await.0, 200);
}

/// The same reference with another port.
fn by_port(reference: &str, port: u16) -> String {
    let orb = taut::Orb::builder().build().unwrap();
    let object = orb.string_to_object(reference).unwrap();
    let mut profile = object.ior().iiop_profiles().next().unwrap().unwrap();
    profile.port = port;
    let ior = taut::Ior {
        type_id: object.type_id().to_owned(),
        profiles: vec![profile.to_profile().unwrap()],
    };
    ior.to_string()
}
