//! The versions of GIOP and IIOP, and GIOPlite beside them.

use core::fmt;

use taut_cdr::WideForm;

/// A version of GIOP, or of IIOP in a profile. It says how messages are laid out, and so
/// [GIOPlite](Self::LITE) is one as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The major version; there has only ever been 1.
    pub major: u8,
    /// The minor version.
    pub minor: u8,
}

impl Version {
    /// GIOP 1.0: no fragments.
    pub const V1_0: Self = Self::new(1, 0);
    /// GIOP 1.1: fragments without identity, components in IIOP profiles.
    pub const V1_1: Self = Self::new(1, 1);
    /// GIOP 1.2: fragments by request id, addressing modes, bodies aligned to 8.
    pub const V1_2: Self = Self::new(1, 2);
    /// GIOPlite, which is no version of GIOP ([`message::lite`](crate::message::lite)):
    /// messages have headers of their own, and mean what those of GIOP 1.2 do. No header of
    /// GIOP and no profile of IIOP has this version.
    pub const LITE: Self = Self::new(u8::MAX, 1);
    /// The highest version of GIOP that this crate reads and writes.
    pub const HIGHEST: Self = Self::V1_2;

    /// A version.
    #[inline]
    pub const fn new(major: u8, minor: u8) -> Self {
        Self { major, minor }
    }

    /// Whether this crate reads and writes messages of this version of GIOP.
    #[inline]
    pub const fn is_supported(self) -> bool {
        self.major == 1 && self.minor <= Self::HIGHEST.minor
    }

    /// The form of wide characters in messages of this version.
    #[inline]
    pub const fn wide_form(self) -> WideForm {
        if self.has_layout_1_2() {
            WideForm::Octets
        } else if self.minor == 1 {
            WideForm::Units
        } else {
            WideForm::Forbidden
        }
    }

    /// The form of wide characters in messages of this version where that of others is
    /// `agreed`: none if no code set was.
    #[inline]
    pub const fn wide_form_as(self, agreed: WideForm) -> WideForm {
        match (self.wide_form(), agreed) {
            (WideForm::Octets | WideForm::Units, WideForm::NoCodeSet(_)) => agreed,
            (form, _) => form,
        }
    }

    /// Whether bodies are laid out as in GIOP 1.2, and so are headers unless they are
    /// [those of GIOPlite](Self::is_lite).
    #[inline]
    pub const fn has_layout_1_2(self) -> bool {
        self.minor >= 2 || self.major > 1
    }

    /// Whether this is [GIOPlite](Self::LITE).
    #[inline]
    pub const fn is_lite(self) -> bool {
        self.major == Self::LITE.major
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_lite() {
            true => write!(f, "lite {}", self.minor),
            false => write!(f, "{}.{}", self.major, self.minor),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn versions_are_ordered_and_printed() {
        assert!(Version::V1_0 < Version::V1_1 && Version::V1_1 < Version::V1_2);
        assert!(Version::V1_2 < Version::new(2, 0));
        assert_eq!(Version::V1_1.to_string(), "1.1");
        assert!(Version::V1_2.is_supported());
        assert!(!Version::new(1, 3).is_supported());
        for (version, form) in [
            (Version::V1_0, WideForm::Forbidden),
            (Version::V1_1, WideForm::Units),
            (Version::V1_2, WideForm::Octets),
            (Version::new(2, 0), WideForm::Octets),
            (Version::LITE, WideForm::Octets),
        ] {
            assert_eq!(version.wide_form(), form, "{version}");
        }
        assert!(!Version::new(0, 1).is_supported());
        assert!(!Version::LITE.is_supported() && Version::LITE > Version::HIGHEST);
        assert_eq!(Version::LITE.to_string(), "lite 1");
    }
}
