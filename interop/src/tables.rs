//! Values for the operations of an interface.

/// Declares a table of values for each operation.
macro_rules! tables {
    ($($name:ident: $type:ty = $values:expr;)*) => {$(
        pub(crate) fn $name() -> &'static [$type] {
            static TABLE: std::sync::LazyLock<Vec<$type>> =
                std::sync::LazyLock::new(|| $values);
            &TABLE
        }
    )*};
}

pub(crate) use tables;
