//! The transport by itself, and under an ORB; and the one that `docs/transports.md` prints.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

mod conformance {
    use taut_in_process::InProcess;
    use taut_transport_conformance::Subject;

    fn subject() -> Subject {
        Subject::new(InProcess::new(), String::new)
    }

    taut_transport_conformance::tests!(subject());
}

mod orb;
mod page;
