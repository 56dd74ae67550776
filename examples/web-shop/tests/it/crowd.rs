//! Many requests at once.

use taut_web_shop::web::WebLimits;

use crate::common::{Gated, LONG, Tested, eventually};

/// How many clients there are.
const CROWD: usize = 1000;

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_requests_at_once_are_answered() {
    let (gated, has_begun, may_go_on) = Gated::new();
    let limits = WebLimits {
        default_timeout: LONG * 3,
        ..WebLimits::default()
    };
    let tested = Tested::start(gated, limits).await;
    let clients: Vec<_> = (0..CROWD)
        .map(|_| tokio::spawn(taut_web_shop::http::get(tested.address, "/offers/tea", &[])))
        .collect();
    // Nobody is answered before all have come.
    eventually(|| tested.web.in_flight() == CROWD).await;
    for _ in 0..CROWD {
        may_go_on.send(()).unwrap();
    }
    for client in clients {
        let (status, text) = client.await.unwrap().unwrap();
        assert_eq!((status, &*text), (200, "tea: 1 in stock, 3.50 each\n"));
    }
    assert_eq!(has_begun.try_iter().count(), CROWD);
    eventually(|| tested.web.in_flight() == 0).await;
    // Of each request: HTTP, two calls, and the requests that they became.
    assert_eq!(tested.spans(5 * CROWD).await.len(), 5 * CROWD);
}

#[tokio::test(flavor = "multi_thread")]
async fn more_requests_than_the_limit_are_sent_away() {
    let (gated, has_begun, may_go_on) = Gated::new();
    let limits = WebLimits {
        max_in_flight: 1,
        default_timeout: LONG,
        ..WebLimits::default()
    };
    let tested = Tested::start(gated, limits).await;
    let first = tokio::spawn(taut_web_shop::http::get(tested.address, "/offers/tea", &[]));
    eventually(|| tested.web.in_flight() == 1).await;
    assert_eq!(tested.get("/offers/tea", &[]).await.0, 503);
    may_go_on.send(()).unwrap();
    assert_eq!(first.await.unwrap().unwrap().0, 200);
    drop(has_begun);
}
