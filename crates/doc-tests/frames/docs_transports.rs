use crate::support::Outcome;
use taut::Orb;

// Nothing is listened at before there are objects.
#[test]
fn an_orb_has_several_endpoints() -> Outcome {
    // page: let orb = Orb::builder().listen("*:2809")?;
    Ok(())
}

mod xor {
    // page: //! A transport that changes each octet on its way over TCP.

    // page: /// A connection over TCP whose octets are changed.
}

mod program {
    use super::xor::Xor;

    // page: use std::sync::Arc;

    #[test]
    fn it_ends_well() -> crate::support::Outcome {
        main()
    }
}

mod conformance {
    use super::xor::Xor;

    // page: use taut_transport_conformance::Subject;
}
