//! What the generator can be told.

use std::collections::BTreeMap;

/// What [`generate`](crate::generate()) is told besides the model.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct GenerateOptions {
    /// Modules whose Rust code is elsewhere: the scoped IDL name
    /// (`CosNaming`) and the absolute Rust path that stands for it
    /// (`::taut_naming::cos_naming`). Nothing is generated for them.
    pub extern_modules: BTreeMap<String, String>,
    /// Whether code is generated for `CORBA` and `TimeBase` too. Unless set, they
    /// are taken from the crate `taut` (`::taut::corba`, `::taut::time_base`),
    /// if that has all that the IDL defines there.
    pub generate_standard_modules: bool,
    /// Rust names of one's own choice, by the scoped IDL name of what they
    /// name: `M::I`, `M::I::op`, `M::I::op::parameter`, `M::S::member`,
    /// `M::E::enumerator`.
    pub renames: BTreeMap<String, String>,
    /// The Rust types that native types are: the scoped IDL name
    /// (`PortableServer::Cookie`) and the absolute path of the type
    /// (`::my_crate::Cookie`). A native type that is not here has no mapping.
    pub native_types: BTreeMap<String, String>,
    /// The files that the header of the generated code names.
    pub sources: Vec<String>,
}
