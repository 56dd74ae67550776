//! References in values of any type.

use taut_cdr::Decode;
use taut_types::{Any, ExtractError, Typed};

use super::Orb;

impl Orb {
    /// The value of an [`Any`], if it is of a type equivalent to that of `T`.
    /// Unlike [`Any::extract`], it takes out references to objects too: they
    /// belong to this ORB.
    ///
    /// # Errors
    ///
    /// Those of [`ExtractError`].
    pub fn extract<'a, T: Typed + Decode<'a>>(&'a self, any: &'a Any) -> Result<T, ExtractError> {
        any.extract_with(Some(&self.shared.core))
    }
}
