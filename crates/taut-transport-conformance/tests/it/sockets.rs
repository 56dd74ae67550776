//! The transports over sockets.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use taut_transport_conformance::Subject;

mod tcp {
    use super::*;

    fn subject() -> Subject {
        Subject::new(taut_transport::Tcp, || "127.0.0.1:0".to_owned())
    }

    taut_transport_conformance::tests!(subject());
}

mod unix {
    use super::*;

    fn subject() -> Subject {
        let folder = tempfile::tempdir().unwrap();
        let number = std::sync::atomic::AtomicUsize::new(0);
        Subject::new(taut_transport::Unix, move || {
            let number = number.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let path = folder.path().join(number.to_string());
            path.to_str().unwrap().to_owned()
        })
    }

    taut_transport_conformance::tests!(subject());
}
