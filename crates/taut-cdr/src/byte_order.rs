//! The two byte orders.

/// The order of the octets of a multi-octet primitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// Most significant octet first; flag value 0.
    Big,
    /// Least significant octet first; flag value 1.
    Little,
}

impl ByteOrder {
    /// This machine's byte order.
    pub const NATIVE: Self = if cfg!(target_endian = "little") {
        Self::Little
    } else {
        Self::Big
    };

    /// The order that a flags octet announces in its lowest bit.
    #[inline]
    pub const fn from_flag(flags: u8) -> Self {
        if flags & 1 == 1 {
            Self::Little
        } else {
            Self::Big
        }
    }

    /// The flag that announces this order: 0 or 1.
    #[inline]
    pub const fn flag(self) -> u8 {
        match self {
            Self::Big => 0,
            Self::Little => 1,
        }
    }

    /// Whether values in this order must be swapped to be read here.
    #[inline]
    pub(crate) const fn is_foreign(self) -> bool {
        !matches!(
            (self, Self::NATIVE),
            (Self::Big, Self::Big) | (Self::Little, Self::Little)
        )
    }
}
