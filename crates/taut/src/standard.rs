//! The definitions of the standard's own IDL to which everybody's refers: the modules
//! `CORBA` (CORBA 3.3 part 1, 8 and 14), `TimeBase` (Time Service 1.1), and of `Messaging`
//! (CORBA 3.3 part 1, 17) reply handlers.
//!
//! The code is made by `cargo xtask codegen`, of the IDL that taut-idl brings
//! along. It is not in this directory as it is not for people to lay out.

include!("../generated/standard.rs");

#[cfg(feature = "full")]
mod times {
    use std::time::SystemTime;

    use super::time_base::UtcT;
    use crate::policy::{system_time, utc_time};

    /// The point in time, exact and in Greenwich.
    impl From<SystemTime> for UtcT {
        fn from(time: SystemTime) -> Self {
            Self {
                time: utc_time(time),
                ..Self::default()
            }
        }
    }

    /// The point in time, without its inaccuracy.
    impl From<UtcT> for SystemTime {
        fn from(time: UtcT) -> Self {
            system_time(time.time)
        }
    }
}
