use super::xor::Xor;

use taut_transport_conformance::Subject;

/// The transport, and places where nobody listens yet.
fn subject() -> Subject {
    Subject::new(Xor, || "127.0.0.1:0".to_owned())
}

taut_transport_conformance::tests!(subject());
