//! However a reference came, and wherever it is sent.

use taut::{CollocationStrategy, Orb, Reference, SystemExceptionKind};

use super::{Circle, CircleRef, CircleSkeleton, Disc, Home, Shape, ShapeRef, client, kind};

/// A plain key of an ORB that listens where its references say.
fn by_key(orb: &Orb, home: &Home, key: &str) -> CircleRef {
    let url = format!("corbaloc::127.0.0.1:{}/{key}", home.port());
    orb.string_to_object(&url).unwrap().unchecked_narrow()
}

fn assert_is_called_here(circle: &CircleRef, servant: &Disc) {
    circle.radius().unwrap();
    assert!(servant.ran_here());
    circle.radius().unwrap();
    assert!(servant.ran_here());
}

#[test]
fn a_reference_may_come_from_text_and_belong_to_any_orb() {
    let (home, other) = (Home::unreachable(), Home::unreachable());
    for orb in [&home.orb, &other.orb, &client()] {
        assert_is_called_here(&home.seen_by(orb), &home.servant);
        assert_is_called_here(&other.seen_by(orb), &other.servant);
    }
}

#[test]
fn a_reference_may_come_in_a_message() {
    let (home, other) = (Home::new(), Home::unreachable());
    let sent = home.seen_by(&other.orb);
    let sent = sent.with_collocation(CollocationStrategy::Off);
    sent.sum(&[], "", Some(&other.circle.clone().into()))
        .unwrap();
    assert!(home.servant.ran_elsewhere());
    let received: ShapeRef = home.servant.other.lock().take().unwrap();
    assert_eq!(received.name().unwrap(), "disc");
    assert!(other.servant.ran_here());
}

#[test]
fn a_forward_is_followed_within_the_process() {
    let (home, other) = (Home::new(), Home::unreachable());
    let orb = client();
    home.orb.bind_object_key("Near", home.circle.as_object());
    home.orb.bind_object_key("Far", other.circle.as_object());
    // The first hop would go by message if the key were found only afterwards.
    assert_is_called_here(&by_key(&orb, &home, "Near"), &home.servant);
    assert_is_called_here(&by_key(&orb, &home, "Far"), &other.servant);
    let far = by_key(&orb, &home, "Far");
    assert_eq!(far.as_object().locate().unwrap(), taut::Located::Here);
    assert!(!far.as_object().non_existent().unwrap());
    let nowhere = by_key(&orb, &home, "Nowhere");
    assert_eq!(
        kind(nowhere.radius()),
        Some(SystemExceptionKind::ObjectNotExist)
    );
}

#[test]
fn who_was_forwarded_to_an_object_that_is_gone_asks_again() {
    let (home, first, second) = (Home::new(), Home::unreachable(), Home::unreachable());
    home.orb.bind_object_key("Moved", first.circle.as_object());
    let circle = by_key(&client(), &home, "Moved");
    assert_is_called_here(&circle, &first.servant);
    home.orb.bind_object_key("Moved", second.circle.as_object());
    first.deactivate();
    assert_is_called_here(&circle, &second.servant);
    second.deactivate();
    assert_eq!(
        kind(circle.radius()),
        Some(SystemExceptionKind::ObjectNotExist)
    );
}

#[test]
fn adapters_that_forward_to_each_other_end_the_call() {
    let (one, two) = (Home::new(), Home::new());
    let orb = client();
    let (to_one, to_two) = (by_key(&orb, &one, "Ping"), by_key(&orb, &two, "Pong"));
    one.orb.bind_object_key("Ping", to_two.as_object());
    two.orb.bind_object_key("Pong", to_one.as_object());
    let circle = by_key(&orb, &one, "Ping");
    assert_eq!(kind(circle.radius()), Some(SystemExceptionKind::Transient));
}

/// The address alone proves nothing: servers behind one address share it, and
/// what is not known here may be known there.
#[test]
fn a_key_that_no_adapter_here_knows_goes_by_message() {
    let home = Home::new();
    let shared = format!("127.0.0.1:0/publish=127.0.0.1:{}", home.port());
    let other = Home::with(Orb::builder().listen(&shared).unwrap());
    let orb = client();
    assert_is_called_here(&home.seen_by(&orb), &home.servant);
    assert_is_called_here(&other.seen_by(&orb), &other.servant);
    // By message it arrives at who listens there.
    let sent = other.seen_by(&orb);
    let sent = sent.with_collocation(CollocationStrategy::Off);
    assert_eq!(
        kind(sent.radius()),
        Some(SystemExceptionKind::ObjectNotExist)
    );
}

/// A servant whose skeleton gives no views, as one written by hand.
struct Opaque<T>(CircleSkeleton<T>);

impl<T: Circle + 'static> taut::Servant for Opaque<T> {
    fn interface(&self) -> &'static taut::Interface {
        self.0.interface()
    }

    fn identity(&self) -> taut::codegen::ServantIdentity {
        self.0.identity()
    }

    fn dispatch(&self, request: &mut taut::ServerRequest<'_>) -> taut::Result<()> {
        self.0.dispatch(request)
    }
}

#[test]
fn a_servant_that_gives_no_views_is_called_by_message() {
    let home = Home::new();
    home.deactivate();
    let skeleton = CircleSkeleton::from_arc(std::sync::Arc::clone(&home.servant));
    let id = home.poa.activate_object(Opaque(skeleton)).unwrap();
    let circle: CircleRef = home.poa.id_to_reference(&id).unwrap().unchecked_narrow();
    for _ in 0..2 {
        assert_eq!(circle.radius().unwrap(), 1.0);
        assert!(home.servant.ran_elsewhere());
    }
}
