//! The operations of an interface in one order, which stubs and skeletons share.

use proc_macro2::Literal;
use taut_giop::perfect_hash;
use taut_idl::model::DefinitionId;

use crate::code::{Code, quote};
use crate::fault::{GenerateError, GenerateErrorKind};
use crate::method::Method;
use crate::scope::Scope;
use crate::strategy::Dispatch;

/// All operations of an interface, own and inherited, in the order of the table by
/// which skeletons find them.
pub(super) struct OperationList<'s> {
    /// Each with the interface that declares it.
    pub(super) methods: Vec<(DefinitionId, &'s Method)>,
    look_up: LookUp,
}

/// How skeletons find an operation's place in the list by its name.
enum LookUp {
    Linear,
    DynamicHash,
    BinarySearch,
    PerfectHash { seed: u64, displacements: Vec<u16> },
}

impl<'s> OperationList<'s> {
    /// The list of an interface that inherits from `bases`.
    ///
    /// # Errors
    ///
    /// When there is no perfect hash of the names.
    pub(super) fn new(
        scope: &'s Scope<'_>,
        id: DefinitionId,
        bases: &[DefinitionId],
    ) -> Result<Self, Vec<GenerateError>> {
        let declaring = bases.iter().chain([&id]);
        let mut methods: Vec<(DefinitionId, &Method)> = declaring
            .flat_map(|&base| {
                let methods = scope.names.methods(base).iter();
                methods.map(move |method| (base, method))
            })
            .collect();
        let look_up = match scope.names.strategies().dispatch(id) {
            Dispatch::Linear => LookUp::Linear,
            Dispatch::DynamicHash => LookUp::DynamicHash,
            Dispatch::BinarySearch => {
                methods.sort_by_key(|(_, method)| method.wire_name.as_bytes());
                LookUp::BinarySearch
            }
            Dispatch::PerfectHash => {
                let names: Vec<&str> = names(&methods).collect();
                let hash = perfect_hash::generate(&names).map_err(|error| {
                    let definition = scope.model.get(id);
                    let name = definition.scoped_name.join("::");
                    let message =
                        format!("the operations of `{name}` cannot be tabulated: {error}");
                    vec![
                        GenerateError::new(GenerateErrorKind::Internal, message)
                            .at(definition.span, "this interface"),
                    ]
                })?;
                methods = hash.order.iter().map(|&index| methods[index]).collect();
                LookUp::PerfectHash {
                    seed: hash.seed,
                    displacements: hash.displacements,
                }
            }
        };
        Ok(Self { methods, look_up })
    }

    /// The names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        names(&self.methods)
    }

    /// The type of the skeleton's table, and the expression that makes it of the
    /// interface's list. None when there are no operations.
    pub(super) fn table(&self, scope: &Scope<'_>, interface: &Code) -> Option<(Code, Code)> {
        if self.methods.is_empty() {
            return None;
        }
        let names = quote!(#interface.operations);
        let plain = |ty| {
            let ty = scope.runtime(ty);
            (ty.clone(), quote!(#ty::new(#names)))
        };
        Some(match &self.look_up {
            LookUp::Linear => plain("LinearOperationTable"),
            LookUp::DynamicHash => plain("HashedOperationTable"),
            LookUp::BinarySearch => plain("SortedOperationTable"),
            LookUp::PerfectHash {
                seed,
                displacements,
            } => {
                let ty = scope.runtime("OperationTable");
                let seed = Literal::u64_unsuffixed(*seed);
                let displacements = displacements.iter();
                let displacements = displacements.map(|&value| Literal::u16_unsuffixed(value));
                let table = quote!(#ty::new(#names, #seed, &[#(#displacements),*]));
                (ty, table)
            }
        })
    }
}

fn names<'a>(methods: &'a [(DefinitionId, &Method)]) -> impl Iterator<Item = &'a str> {
    methods.iter().map(|(_, method)| method.wire_name.as_str())
}
