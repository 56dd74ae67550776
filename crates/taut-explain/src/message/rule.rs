//! The rules that a message can break.

use alloc::string::String;
use core::fmt;

use taut_cdr::ErrorKind;

/// A place where a message breaks the standard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Which rule.
    pub rule: Rule,
    /// The octet, from the first of the message's header.
    pub offset: usize,
    /// The fault, in one line.
    pub what: String,
}

impl Mark {
    /// A mark.
    pub fn new(rule: Rule, offset: usize, what: impl Into<String>) -> Self {
        Self {
            rule,
            offset,
            what: what.into(),
        }
    }
}

/// The offset, what is wrong, and the section.
impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "octet {}: {} [{}; CORBA 3.3 part 2, {}]",
            self.offset,
            self.what,
            self.rule.name(),
            self.rule.section()
        )
    }
}

macro_rules! rules {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $section:literal;)*) => {
        /// The rules of GIOP and CDR that are looked after.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[$doc])* $variant,)*
        }

        impl Rule {
            /// Every rule.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// A short name, such as `padding`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The section of CORBA 3.3 part 2 that has the rule.
            pub const fn section(self) -> &'static str {
                match self {
                    $(Self::$variant => $section,)*
                }
            }
        }
    };
}

rules! {
    /// A message begins with "GIOP".
    Magic = "magic", "9.4.1";
    /// The version is 1.0 to 1.3.
    Version = "version", "9.4.1";
    /// Flags that the version does not define are 0.
    Flags = "flags", "9.4.1";
    /// The type is one that the version defines.
    MessageType = "message-type", "9.4.1";
    /// The size is that of the message's type.
    Size = "size", "9.4.1";
    /// Only the side that may do so sends a message of this type.
    Direction = "direction", "9.4";
    /// Fragments belong to a message, are of its version and byte order, and
    /// have sizes that keep alignment.
    Fragment = "fragment", "9.4.9";
    /// Reserved octets are 0.
    Reserved = "reserved", "9.4.2.1";
    /// The response flags are 0, 1 or 3.
    ResponseFlags = "response-flags", "9.4.2.1";
    /// The target is given in one of three ways.
    Target = "target", "9.4.2.1";
    /// The status is one that the version defines.
    Status = "status", "9.4.3.1";
    /// A service context has the data that its id demands.
    ServiceContext = "service-context", "7.7";
    /// Padding is written as 0. The standard leaves its value open; receivers
    /// ignore it, but it can show what the sender's memory held.
    Padding = "padding", "9.3.1.1";
    /// A boolean is 0 or 1.
    Boolean = "boolean", "9.3.1.5";
    /// An enum has one of its ordinals.
    Enum = "enum", "9.3.2.6";
    /// A length or count is no more than the message holds.
    Length = "length", "9.3.2.5";
    /// A string ends in NUL and has none before.
    String = "string", "9.3.2.7";
    /// The message does not end before its last value.
    Truncated = "truncated", "9.3";
    /// Nothing stands behind the last value.
    Trailing = "trailing", "9.4.1";
    /// A value is of its type.
    Value = "value", "9.3";
    /// A system exception is one of the standard's, and its completion too.
    Exception = "exception", "9.4.3.2";
    /// A request id is not in use.
    RequestId = "request-id", "9.4.2.1";
    /// A reply answers a request.
    Unasked = "unasked", "9.4.3.1";
    /// Nothing follows CloseConnection.
    AfterClose = "after-close", "9.5.1";
}

impl Rule {
    /// The rule with this short name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rule| rule.name() == name)
    }

    /// The rule that a fault of CDR breaks.
    pub const fn of_cdr(kind: &ErrorKind) -> Self {
        match kind {
            ErrorKind::Truncated { .. } => Self::Truncated,
            ErrorKind::LengthBeyondMessage { .. } => Self::Length,
            ErrorKind::InvalidBoolean(_) => Self::Boolean,
            ErrorKind::InvalidEnum { .. } => Self::Enum,
            ErrorKind::UnterminatedString | ErrorKind::NulInString => Self::String,
            _ => Self::Value,
        }
    }
}
