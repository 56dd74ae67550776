//! Numbers that the standard and vendors give out, with their names.

/// A module of constants, and a function that says what a number is called.
macro_rules! numbers {
    (
        $(#[$module_doc:meta])* $module:ident,
        $(#[$function_doc:meta])* $function:ident;
        $($(#[$doc:meta])* $name:ident = $value:literal, $text:literal;)*
    ) => {
        $(#[$module_doc])*
        pub mod $module {
            $($(#[$doc])* pub const $name: u32 = $value;)*
        }

        $(#[$function_doc])*
        pub const fn $function(number: u32) -> Option<&'static str> {
            match number {
                $($value => Some($text),)*
                _ => None,
            }
        }
    };
}

pub(crate) use numbers;
