//! The macros of the `tracing` facade, for an ORB without it: what an event would
//! say is looked at by the compiler and by nobody else.

/// An event that goes nowhere.
macro_rules! event {
    ($($event:tt)*) => {
        // Never run, so that nothing of it is left.
        if false {
            $crate::untraced::fields!($($event)*);
        }
    };
}

/// Uses each field of an event.
macro_rules! fields {
    () => {};
    ($message:literal) => {};
    (% $value:ident $(, $($rest:tt)*)?) => {
        let _ = &$value;
        $crate::untraced::fields!($($($rest)*)?);
    };
    (? $value:ident $(, $($rest:tt)*)?) => {
        let _ = &$value;
        $crate::untraced::fields!($($($rest)*)?);
    };
    ($name:ident = % $value:expr $(, $($rest:tt)*)?) => {
        let _ = &$value;
        $crate::untraced::fields!($($($rest)*)?);
    };
    ($name:ident = $value:expr $(, $($rest:tt)*)?) => {
        let _ = &$value;
        $crate::untraced::fields!($($($rest)*)?);
    };
    ($value:ident $(, $($rest:tt)*)?) => {
        let _ = &$value;
        $crate::untraced::fields!($($($rest)*)?);
    };
}

pub(crate) use event as trace;
pub(crate) use fields;
pub(crate) use {event as debug, event as error, event as info, event as warn};
