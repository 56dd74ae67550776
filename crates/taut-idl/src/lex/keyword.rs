//! The reserved words.

macro_rules! keywords {
    ($($name:ident = $text:literal,)+) => {
        /// A word that can never be an identifier, unless it is escaped.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Keyword {
            $($name,)+
        }

        impl Keyword {
            const ALL: &[Self] = &[$(Self::$name,)+];

            pub(crate) fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }

            /// The keyword that is spelt exactly so.
            pub(crate) fn exact(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$name),)+
                    _ => None,
                }
            }
        }
    };
}

keywords! {
    Abstract = "abstract", Any = "any", Attribute = "attribute", Boolean = "boolean",
    Case = "case", Char = "char", Const = "const", Context = "context",
    Default = "default", Double = "double", Enum = "enum", Exception = "exception",
    False = "FALSE", Fixed = "fixed", Float = "float", In = "in", InOut = "inout",
    Interface = "interface", Local = "local", Long = "long", Module = "module",
    Native = "native", Object = "Object", Octet = "octet", OneWay = "oneway", Out = "out",
    Raises = "raises", ReadOnly = "readonly", Sequence = "sequence", Short = "short",
    String = "string", Struct = "struct", Switch = "switch", True = "TRUE",
    Typedef = "typedef", Union = "union", Unsigned = "unsigned", ValueBase = "ValueBase",
    ValueType = "valuetype", Void = "void", WChar = "wchar", WString = "wstring",
}

impl Keyword {
    /// The keyword that differs from a word in case at most.
    pub(crate) fn ignoring_case(text: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|keyword| keyword.as_str().eq_ignore_ascii_case(text))
    }

    /// Whether it came after CORBA 2.0.
    pub(crate) fn is_late(self) -> bool {
        self.since().is_some()
    }

    /// The version of the standard that made a keyword of it, if that came
    /// after CORBA 2.0.
    pub(crate) fn since(self) -> Option<&'static str> {
        match self {
            Self::Fixed | Self::WChar | Self::WString => Some("CORBA 2.1"),
            Self::Abstract | Self::Native | Self::ValueBase | Self::ValueType => Some("CORBA 2.3"),
            Self::Local => Some("CORBA 2.4"),
            _ => None,
        }
    }

    /// Whether it is a type of its own.
    pub(crate) fn is_late_type(self) -> bool {
        matches!(
            self,
            Self::Fixed | Self::ValueBase | Self::WChar | Self::WString
        )
    }
}

/// The octets of the longest word that [`late_keyword`] knows.
pub(crate) const LATE_KEYWORD_OCTETS: usize = "truncatable".len();

/// The version of the standard that made a keyword of a word which older
/// sources use as a name. Such words are keywords only where they start a
/// construct.
pub(crate) fn late_keyword(text: &str) -> Option<&'static str> {
    match text {
        "custom" | "factory" | "private" | "public" | "supports" | "truncatable" => {
            Some("CORBA 2.3")
        }
        "component" | "consumes" | "emits" | "eventtype" | "finder" | "getraises" | "home"
        | "import" | "multiple" | "primarykey" | "provides" | "publishes" | "setraises"
        | "typeid" | "typeprefix" | "uses" => Some("CORBA 3.0"),
        "alias" | "connector" | "manages" | "mirrorport" | "port" | "porttype" | "typename" => {
            Some("CORBA 3.1")
        }
        "bitfield" | "bitmask" | "bitset" | "map" => Some("IDL 4.0"),
        "int8" | "uint8" | "int16" | "uint16" | "int32" | "uint32" | "int64" | "uint64" => {
            Some("IDL 4.2")
        }
        _ => None,
    }
}
