//! The kinds of type.

use std::fmt;

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $number:literal, $name:literal;)*) => {
        /// The kind of a type (CORBA 3.3 part 1, 8.11.1).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u32)]
        #[non_exhaustive]
        pub enum TCKind {
            $($(#[$doc])* $variant = $number,)*
        }

        impl TCKind {
            /// The kind with this number in a message.
            pub const fn from_number(number: u32) -> Option<Self> {
                Some(match number {
                    $($number => Self::$variant,)*
                    _ => return None,
                })
            }

            /// The standard's name, such as `tk_long`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

kinds! {
    /// No type; an Any that holds nothing.
    Null = 0, "tk_null";
    /// `void`.
    Void = 1, "tk_void";
    /// `short`.
    Short = 2, "tk_short";
    /// `long`.
    Long = 3, "tk_long";
    /// `unsigned short`.
    UShort = 4, "tk_ushort";
    /// `unsigned long`.
    ULong = 5, "tk_ulong";
    /// `float`.
    Float = 6, "tk_float";
    /// `double`.
    Double = 7, "tk_double";
    /// `boolean`.
    Boolean = 8, "tk_boolean";
    /// `char`.
    Char = 9, "tk_char";
    /// `octet`.
    Octet = 10, "tk_octet";
    /// `any`.
    Any = 11, "tk_any";
    /// `TypeCode`.
    TypeCode = 12, "tk_TypeCode";
    /// `Principal`, which the standard has given up.
    Principal = 13, "tk_Principal";
    /// A reference to an object.
    ObjectReference = 14, "tk_objref";
    /// `struct`.
    Struct = 15, "tk_struct";
    /// `union`.
    Union = 16, "tk_union";
    /// `enum`.
    Enum = 17, "tk_enum";
    /// `string`.
    String = 18, "tk_string";
    /// `sequence`.
    Sequence = 19, "tk_sequence";
    /// An array of one dimension.
    Array = 20, "tk_array";
    /// `typedef`.
    Alias = 21, "tk_alias";
    /// `exception`.
    Exception = 22, "tk_except";
    /// `long long`.
    LongLong = 23, "tk_longlong";
    /// `unsigned long long`.
    ULongLong = 24, "tk_ulonglong";
    /// `long double`.
    LongDouble = 25, "tk_longdouble";
    /// `wchar`.
    WChar = 26, "tk_wchar";
    /// `wstring`.
    WString = 27, "tk_wstring";
    /// `fixed`.
    Fixed = 28, "tk_fixed";
    /// `valuetype`.
    Value = 29, "tk_value";
    /// A value box.
    ValueBox = 30, "tk_value_box";
    /// `native`.
    Native = 31, "tk_native";
    /// `abstract interface`.
    AbstractInterface = 32, "tk_abstract_interface";
    /// `local interface`.
    LocalInterface = 33, "tk_local_interface";
    /// `component`.
    Component = 34, "tk_component";
    /// `home`.
    Home = 35, "tk_home";
    /// `eventtype`.
    Event = 36, "tk_event";
}

impl TCKind {
    /// Whether TypeCodes of this kind have no parameters.
    pub const fn is_simple(self) -> bool {
        (self as u32) <= Self::Principal as u32
            || matches!(
                self,
                Self::LongLong | Self::ULongLong | Self::LongDouble | Self::WChar
            )
    }

    /// Whether the parameters of TypeCodes of this kind are in an encapsulation.
    pub(crate) const fn is_encapsulated(self) -> bool {
        !self.is_simple() && !matches!(self, Self::String | Self::WString | Self::Fixed)
    }

    /// IDL's keyword for a kind without parameters.
    pub(crate) const fn keyword(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Void => "void",
            Self::Short => "short",
            Self::Long => "long",
            Self::UShort => "unsigned short",
            Self::ULong => "unsigned long",
            Self::Float => "float",
            Self::Double => "double",
            Self::Boolean => "boolean",
            Self::Char => "char",
            Self::Octet => "octet",
            Self::Any => "any",
            Self::TypeCode => "CORBA::TypeCode",
            Self::Principal => "CORBA::Principal",
            Self::LongLong => "long long",
            Self::ULongLong => "unsigned long long",
            Self::LongDouble => "long double",
            Self::WChar => "wchar",
            Self::WString => "wstring",
            Self::String => "string",
            Self::Fixed => "fixed",
            Self::ObjectReference => "interface",
            Self::Struct => "struct",
            Self::Union => "union",
            Self::Enum => "enum",
            Self::Sequence => "sequence",
            Self::Array => "array",
            Self::Alias => "typedef",
            Self::Exception => "exception",
            Self::Value | Self::ValueBox => "valuetype",
            Self::Native => "native",
            Self::AbstractInterface => "abstract interface",
            Self::LocalInterface => "local interface",
            Self::Component => "component",
            Self::Home => "home",
            Self::Event => "eventtype",
        }
    }
}

impl fmt::Display for TCKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
