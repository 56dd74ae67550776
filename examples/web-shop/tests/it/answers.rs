//! The status of each outcome.

use std::time::Duration;

use taut_web_shop::servers::Shelves;
use taut_web_shop::web::{TIMEOUT_MS, WebLimits};

use crate::common::{Gated, Tested};

#[tokio::test(flavor = "multi_thread")]
async fn results_and_exceptions_have_their_status() {
    let mut tested = Tested::start(Shelves, WebLimits::default()).await;
    let tea = tested.get("/offers/tea", &[]).await;
    assert_eq!(tea, (200, "tea: 12 in stock, 3.50 each\n".to_owned()));
    let unicorn = tested.get("/offers/unicorn", &[]).await;
    assert_eq!(unicorn, (404, "no such article: unicorn\n".to_owned()));
    assert_eq!(tested.get("/", &[]).await.0, 404);
    for wrong in ["", "soon", "-1", "1.5", "30001"] {
        let (status, text) = tested.get("/offers/tea", &[(TIMEOUT_MS, wrong)]).await;
        assert_eq!(status, 400, "{wrong}");
        assert!(text.contains("from 0 to 30000"), "{text}");
    }
    tested.close_shop();
    let (mut status, mut text) = tested.get("/offers/tea", &[]).await;
    // While it closes, a request may still begin of which the servant's own calls are refused.
    for _ in 0..1_000 {
        if status != 502 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
        (status, text) = tested.get("/offers/tea", &[]).await;
    }
    assert_eq!(status, 503, "{text}");
    assert!(
        text.contains("TRANSIENT") || text.contains("COMM_FAILURE"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_time_out_of_a_request_is_that_of_its_call() {
    let (gated, has_begun, may_go_on) = Gated::new();
    let tested = Tested::start(gated, WebLimits::default()).await;
    let (status, text) = tested.get("/offers/tea", &[(TIMEOUT_MS, "50")]).await;
    assert_eq!(status, 504, "{text}");
    assert!(text.contains("TIMEOUT"), "{text}");
    may_go_on.send(()).unwrap();
    drop((has_begun, may_go_on));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_time_out_of_its_own_a_request_has_that_of_the_service() {
    let (gated, has_begun, may_go_on) = Gated::new();
    let limits = WebLimits {
        default_timeout: Duration::from_millis(50),
        ..WebLimits::default()
    };
    let tested = Tested::start(gated, limits).await;
    assert_eq!(tested.get("/offers/tea", &[]).await.0, 504);
    may_go_on.send(()).unwrap();
    drop((has_begun, may_go_on));
}
