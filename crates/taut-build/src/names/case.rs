//! From IDL's spelling to Rust's.

use heck::{ToShoutySnakeCase as _, ToSnakeCase as _, ToUpperCamelCase as _};

/// How a kind of thing is spelt in Rust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    /// `move_by`: modules, members, operations, parameters.
    Snake,
    /// `LightGreen`: types and enumerators.
    UpperCamel,
    /// `MAX_SIZE`: constants.
    Screaming,
}

impl Case {
    /// The name in this spelling.
    pub(crate) fn apply(self, name: &str) -> String {
        match self {
            Self::Snake => name.to_snake_case(),
            Self::UpperCamel => name.to_upper_camel_case(),
            Self::Screaming => name.to_shouty_snake_case(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_change_their_case() {
        for (name, snake, camel, screaming) in [
            ("moveBy", "move_by", "MoveBy", "MOVE_BY"),
            ("move_by", "move_by", "MoveBy", "MOVE_BY"),
            ("URLString", "url_string", "UrlString", "URL_STRING"),
            ("X", "x", "X", "X"),
            (
                "BindingIterator",
                "binding_iterator",
                "BindingIterator",
                "BINDING_ITERATOR",
            ),
            ("light_green", "light_green", "LightGreen", "LIGHT_GREEN"),
            ("vec2", "vec2", "Vec2", "VEC2"),
            ("trailing_", "trailing", "Trailing", "TRAILING"),
        ] {
            assert_eq!(Case::Snake.apply(name), snake);
            assert_eq!(Case::UpperCamel.apply(name), camel);
            assert_eq!(Case::Screaming.apply(name), screaming);
        }
    }
}
