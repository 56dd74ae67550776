//! `quote!`, the macro that makes code of what stands between its parentheses,
//! and the macros that it is made of.

/// Makes [`Code`](super::Code): `#name` puts in a variable, `#(..)*` and
/// `#(..),*` repeat what is inside for all values of the variables in it.
macro_rules! quoted {
    () => { $crate::code::Code::new() };
    ($($tokens:tt)+) => {{
        let mut code = $crate::code::Code::with_room();
        $crate::code::each_token!(code $($tokens)+);
        code
    }};
}

/// Adds tokens to code.
macro_rules! each_token {
    ($code:ident) => {};
    ($code:ident # ($($inner:tt)*) * $($rest:tt)*) => {
        $crate::code::repeat!($code [] $($inner)*);
        $crate::code::each_token!($code $($rest)*);
    };
    ($code:ident # ($($inner:tt)*) $separator:tt * $($rest:tt)*) => {
        $crate::code::repeat!($code [$separator] $($inner)*);
        $crate::code::each_token!($code $($rest)*);
    };
    ($code:ident # $variable:ident $($rest:tt)*) => {
        $crate::code::ToCode::to_code(&$variable, &mut $code);
        $crate::code::each_token!($code $($rest)*);
    };
    ($code:ident # [doc = $text:literal] $($rest:tt)*) => {
        $code.doc($text);
        $crate::code::each_token!($code $($rest)*);
    };
    ($code:ident ($($inner:tt)*) $($rest:tt)*) => {
        let open = $code.open("(");
        $crate::code::each_token!($code $($inner)*);
        $code.close(open, ")");
        $crate::code::each_token!($code $($rest)*);
    };
    ($code:ident [$($inner:tt)*] $($rest:tt)*) => {
        let open = $code.open("[");
        $crate::code::each_token!($code $($inner)*);
        $code.close(open, "]");
        $crate::code::each_token!($code $($rest)*);
    };
    ($code:ident {$($inner:tt)*} $($rest:tt)*) => {
        let open = $code.open("{");
        $crate::code::each_token!($code $($inner)*);
        $code.close(open, "}");
        $crate::code::each_token!($code $($rest)*);
    };
    ($code:ident $token:tt $($rest:tt)*) => {
        $code.token(stringify!($token));
        $crate::code::each_token!($code $($rest)*);
    };
}

/// Adds tokens to code until the first variable in them comes to its end.
macro_rules! repeat {
    ($code:ident [$($separator:tt)?] $($inner:tt)*) => {{
        #[allow(unused_imports, reason = "most repetitions need one of them")]
        use $crate::code::{RepeatAlways as _, RepeatIterator as _, RepeatSlice as _};
        let mut ends = false;
        $crate::code::variables_begin!(ends $($inner)*);
        assert!(ends, "nothing in the repetition comes to an end");
        let mut is_first = true;
        loop {
            $crate::code::variables_next!($($inner)*);
            if !std::mem::take(&mut is_first) {
                $($code.token(stringify!($separator));)?
            }
            $crate::code::each_token!($code $($inner)*);
        }
    }};
}

/// Makes of each variable in tokens what gives its values.
macro_rules! variables_begin {
    ($ends:ident) => {};
    ($ends:ident # $variable:ident $($rest:tt)*) => {
        #[allow(unused_mut, reason = "what stays the same does not change")]
        let (mut $variable, does_end) = $variable.in_repetition();
        $ends |= does_end;
        $crate::code::variables_begin!($ends $($rest)*);
    };
    ($ends:ident ($($inner:tt)*) $($rest:tt)*) => {
        $crate::code::variables_begin!($ends $($inner)*);
        $crate::code::variables_begin!($ends $($rest)*);
    };
    ($ends:ident [$($inner:tt)*] $($rest:tt)*) => {
        $crate::code::variables_begin!($ends $($inner)*);
        $crate::code::variables_begin!($ends $($rest)*);
    };
    ($ends:ident {$($inner:tt)*} $($rest:tt)*) => {
        $crate::code::variables_begin!($ends $($inner)*);
        $crate::code::variables_begin!($ends $($rest)*);
    };
    ($ends:ident $token:tt $($rest:tt)*) => {
        $crate::code::variables_begin!($ends $($rest)*);
    };
}

/// Gives each variable in tokens its value for the next round, or leaves the loop.
macro_rules! variables_next {
    () => {};
    (# $variable:ident $($rest:tt)*) => {
        let $variable = match $variable.next() {
            Some(value) => $crate::code::Bound(value),
            None => break,
        };
        $crate::code::variables_next!($($rest)*);
    };
    (($($inner:tt)*) $($rest:tt)*) => {
        $crate::code::variables_next!($($inner)*);
        $crate::code::variables_next!($($rest)*);
    };
    ([$($inner:tt)*] $($rest:tt)*) => {
        $crate::code::variables_next!($($inner)*);
        $crate::code::variables_next!($($rest)*);
    };
    ({$($inner:tt)*} $($rest:tt)*) => {
        $crate::code::variables_next!($($inner)*);
        $crate::code::variables_next!($($rest)*);
    };
    ($token:tt $($rest:tt)*) => {
        $crate::code::variables_next!($($rest)*);
    };
}

// Of another name here, for `quote` is also that of a crate.
pub(crate) use quoted as quote;
pub(crate) use {each_token, repeat, variables_begin, variables_next};
