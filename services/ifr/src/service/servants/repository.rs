//! Operations of the repository itself.

use taut::{Reference, Result, SystemExceptionKind, TypeCode, minor};
use taut_types::TCKind;

use super::Definitions;
use crate::contents::{Collection, Content, Fixed, Key, refused};
use crate::{
    ArrayDefRef, ContainedRef, FixedDefRef, IdlTypeRef, PrimitiveDef, PrimitiveDefRef,
    PrimitiveKind, Repository, SequenceDefRef, StringDefRef, WstringDefRef,
};

impl Definitions {
    fn create_anonymous<R: Reference>(&self, content: Content) -> Result<Option<R>> {
        self.change(|shared, contents, _| {
            let key = contents.create_anonymous(content)?;
            shared.reference(contents, key)
        })
    }

    fn create_collection<R: Reference>(
        &self,
        length: u32,
        element: Option<&IdlTypeRef>,
        content: impl FnOnce(Collection) -> Content,
    ) -> Result<Option<R>> {
        self.change(|shared, contents, _| {
            let element = shared.key(contents, element)?;
            let key = contents.create_anonymous(content(Collection { element, length }))?;
            shared.reference(contents, key)
        })
    }
}

impl Repository for Definitions {
    fn lookup_id(&self, search_id: &str) -> Result<Option<ContainedRef>> {
        self.ask(|shared, contents, _| match contents.with_id(search_id) {
            Some(found) => shared.reference(contents, found),
            None => Ok(None),
        })
    }

    /// The TypeCode of the definition that has the repository id of this one, as far as it is
    /// that type; a TypeCode that no definition has is its own canonical one.
    fn get_canonical_typecode(&self, tc: &TypeCode) -> Result<TypeCode> {
        self.ask(|_, contents, _| {
            if let Some(key) = tc.id().ok().and_then(|id| contents.with_id(id)) {
                let known = contents.type_code(key)?;
                if known.kind() == tc.kind() && known.equivalent(tc) {
                    return Ok(known);
                }
            }
            match tc.kind() {
                TCKind::Null => {
                    let kind = SystemExceptionKind::BadTypecode;
                    Err(refused(kind, minor::omg(3)))
                }
                _ => Ok(tc.clone()),
            }
        })
    }

    fn get_primitive(&self, kind: PrimitiveKind) -> Result<Option<PrimitiveDefRef>> {
        self.ask(|shared, contents, _| match kind {
            // The standard has no object for it.
            PrimitiveKind::PkNull => Ok(None),
            kind => shared.reference(contents, Key::primitive(kind)),
        })
    }

    fn create_string(&self, bound: u32) -> Result<Option<StringDefRef>> {
        self.create_anonymous(Content::String(bounded(bound)?))
    }

    fn create_wstring(&self, bound: u32) -> Result<Option<WstringDefRef>> {
        self.create_anonymous(Content::WString(bounded(bound)?))
    }

    fn create_sequence(
        &self,
        bound: u32,
        element_type: Option<&IdlTypeRef>,
    ) -> Result<Option<SequenceDefRef>> {
        self.create_collection(bound, element_type, Content::Sequence)
    }

    fn create_array(
        &self,
        length: u32,
        element_type: Option<&IdlTypeRef>,
    ) -> Result<Option<ArrayDefRef>> {
        self.create_collection(length, element_type, Content::Array)
    }

    fn create_fixed(&self, digits: u16, scale: i16) -> Result<Option<FixedDefRef>> {
        self.create_anonymous(Content::Fixed(Fixed { digits, scale }))
    }
}

impl PrimitiveDef for Definitions {
    fn kind(&self) -> Result<PrimitiveKind> {
        self.ask(|_, _, key| Ok(key.as_primitive().unwrap_or(PrimitiveKind::PkNull)))
    }
}

/// A bound, which is not 0: a string without one is a primitive type.
pub(super) fn bounded(bound: u32) -> Result<u32> {
    match bound {
        0 => Err(crate::contents::incoherent(
            "a string without a bound is a primitive type: see get_primitive",
        )),
        bound => Ok(bound),
    }
}
