//! The code generator's test data in both marshaling strategies: by code, which are the
//! snapshots themselves, and by table.

#![allow(
    clippy::module_inception,
    reason = "each snapshot is in a module of its name and may define one"
)]

include!(concat!(env!("OUT_DIR"), "/types.rs"));
pub(crate) use for_each_type;

macro_rules! compiled {
    ($($name:ident)*) => {$(
        pub(crate) mod $name {
            include!(concat!(
                env!("OUT_DIR"), "/generated_code/", stringify!($name), ".rs"
            ));
        }
    )*};
}

macro_rules! interpretive {
    ($($name:ident)*) => {$(
        pub(crate) mod $name {
            include!(concat!(
                env!("OUT_DIR"), "/generated_code_interpretive/", stringify!($name), ".rs"
            ));
        }
    )*};
}

pub(crate) mod compiled {
    for_each_module!(compiled);
    compiled!(values);
}

pub(crate) mod interpretive {
    for_each_module!(interpretive);
    interpretive!(values);
}
