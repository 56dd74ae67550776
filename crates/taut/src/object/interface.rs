//! The description of an interface for its stubs and skeletons.

#[cfg(feature = "full")]
use std::sync::LazyLock;

use taut_cdr::ElementForm;
use taut_giop::operation_handle::fingerprint;
#[cfg(feature = "full")]
use taut_sync::lock::Mutex;

/// The repository id that every object answers to.
pub(crate) const OBJECT_ID: &str = "IDL:omg.org/CORBA/Object:1.0";

/// An interface, as generated code describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interface {
    /// Its repository id, such as `IDL:omg.org/CosNaming/NamingContext:1.0`.
    pub repository_id: &'static str,
    /// The repository ids of all interfaces that it inherits from.
    pub bases: &'static [&'static str],
    /// All its operations, own and inherited, by their names on the wire, in the order
    /// in which its skeletons number them. Empty where that is not known.
    pub operations: &'static [&'static str],
    /// Tells the list of operations from others.
    fingerprint: u64,
}

impl Interface {
    /// An interface.
    #[must_use]
    pub const fn new(
        repository_id: &'static str,
        bases: &'static [&'static str],
        operations: &'static [&'static str],
    ) -> Self {
        Self {
            repository_id,
            bases,
            operations,
            fingerprint: fingerprint(repository_id, operations),
        }
    }

    /// Returns the interface with this repository id and these bases, for servants that are
    /// written without generated code. It is kept as long as the process lives, and once
    /// however often it is asked for.
    ///
    /// ```
    /// let circle = taut::Interface::dynamic("IDL:Circle:1.0", &["IDL:Shape:1.0"]);
    /// assert!(circle.is_a("IDL:Shape:1.0"));
    /// assert!(std::ptr::eq(circle, taut::Interface::dynamic("IDL:Circle:1.0", &["IDL:Shape:1.0"])));
    /// ```
    #[cfg(feature = "full")]
    pub fn dynamic(repository_id: &str, bases: &[&str]) -> &'static Self {
        static KNOWN: LazyLock<Mutex<Vec<&'static Interface>>> = LazyLock::new(Mutex::default);
        let mut known = KNOWN.lock();
        let same = |one: &&&Self| one.repository_id == repository_id && one.bases == bases;
        if let Some(interface) = known.iter().find(same) {
            return interface;
        }
        let keep = |text: &str| -> &'static str { String::from(text).leak() };
        let bases = bases
            .iter()
            .map(|base| keep(base))
            .collect::<Vec<_>>()
            .leak();
        let interface: &'static Self =
            Box::leak(Box::new(Self::new(keep(repository_id), bases, &[])));
        known.push(interface);
        interface
    }

    /// Whether an object of this interface is one of the interface with that
    /// repository id: the same, an inherited one, or `CORBA::Object`.
    pub fn is_a(&self, repository_id: &str) -> bool {
        self.repository_id == repository_id
            || self.bases.contains(&repository_id)
            || repository_id == OBJECT_ID
    }

    /// Returns the fingerprint by which a reference offers operation handles, if there are
    /// operations.
    pub(crate) fn handle_fingerprint(&self) -> Option<u64> {
        (!self.operations.is_empty()).then_some(self.fingerprint)
    }

    /// The name of the operation that a handle means; none if the handle is not of
    /// this very interface.
    #[inline]
    pub(crate) fn operation_of(&self, handle: OperationHandle) -> Option<&'static str> {
        let name = self.operations.get(handle.place as usize)?;
        (handle.fingerprint == self.fingerprint).then_some(name)
    }
}

/// An operation of an interface, by a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OperationHandle {
    /// The interface's.
    pub(crate) fingerprint: u64,
    /// The place in the interface's list.
    pub(crate) place: u32,
}

/// An operation that is called: by its name, or by a handle if the object's server
/// takes handles of the caller's interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CalledOperation<'a> {
    pub(crate) name: &'a str,
    pub(crate) handle: Option<OperationHandle>,
    /// That of the elements, if nothing comes back but a sequence that may be received where
    /// it stays.
    pub(crate) elements: ElementForm,
}

impl<'a> CalledOperation<'a> {
    /// An operation that is called by its name.
    #[must_use]
    pub const fn by_name(name: &'a str) -> Self {
        Self {
            name,
            handle: None,
            elements: ElementForm::NONE,
        }
    }

    /// Says that nothing comes back but a sequence of elements of this form: a large one is
    /// received where it stays.
    #[must_use]
    pub const fn returning(mut self, elements: ElementForm) -> Self {
        self.elements = elements;
        self
    }
}

impl CalledOperation<'static> {
    /// The operation of an interface that has this name on the wire. By its name alone
    /// where the interface does not list it.
    #[must_use]
    pub const fn of(interface: &Interface, name: &'static str) -> Self {
        let mut place = 0;
        while place < interface.operations.len() {
            if is_same(interface.operations[place], name) {
                let handle = OperationHandle {
                    fingerprint: interface.fingerprint,
                    place: place as u32,
                };
                return Self {
                    handle: Some(handle),
                    ..Self::by_name(name)
                };
            }
            place += 1;
        }
        Self::by_name(name)
    }
}

/// `==`, while the program is compiled.
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// The operation of the interface that the surrounding implementation is for. It is
/// looked for while the program is compiled. With the type of the elements behind it where
/// nothing comes back but a sequence of plain data.
#[doc(hidden)]
#[macro_export]
macro_rules! __operation {
    ($name:literal) => {
        const {
            &$crate::codegen::CalledOperation::of(
                <Self as $crate::codegen::Reference>::INTERFACE,
                $name,
            )
        }
    };
    ($name:literal, [$element:ty]) => {
        const {
            &$crate::codegen::CalledOperation::of(
                <Self as $crate::codegen::Reference>::INTERFACE,
                $name,
            )
            .returning($crate::codegen::ElementForm::of::<$element>())
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    const CIRCLE: Interface = Interface::new("IDL:Circle:1.0", &[], &["move_by", "outline"]);
    const ELLIPSE: Interface = Interface::new("IDL:Ellipse:1.0", &[], &["move_by", "outline"]);

    #[test]
    fn a_handle_means_its_operation_and_in_no_other_interface_any() {
        let outline = CalledOperation::of(&CIRCLE, "outline");
        let handle = outline.handle.unwrap();
        assert_eq!((outline.name, handle.place), ("outline", 1));
        assert_eq!(CIRCLE.operation_of(handle), Some("outline"));
        assert_eq!(ELLIPSE.operation_of(handle), None);
        for place in [2, u32::MAX] {
            assert_eq!(
                CIRCLE.operation_of(OperationHandle { place, ..handle }),
                None
            );
        }
        let unlisted = CalledOperation::of(&CIRCLE, "outlined");
        assert_eq!(unlisted, CalledOperation::by_name("outlined"));
    }
}
