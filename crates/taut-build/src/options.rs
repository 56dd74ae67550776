//! The options of the generator.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::Path;

use taut_idl::source::{FileId, SourceMap};

use crate::strategy::{Answering, Dispatch, Marshaling};

/// The options of [`generate`](crate::generate()) besides the model.
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
    /// Whether references have, beside each method that returns nothing but a sequence of
    /// primitives, another whose result stays in the message: `..._view`.
    pub views: bool,
    /// Whether references lack the methods that return futures: `..._async`.
    pub without_futures: bool,
    /// Whether operations can be called by Asynchronous Method Invocation too, with a reply
    /// handler (`sendc_...`) or a poller (`sendp_...`), by the scoped IDL name of an operation,
    /// an attribute, an interface or a module; the most specific counts, and comes before the
    /// annotation `@ami`.
    pub ami: BTreeMap<String, bool>,
    /// Whether references tell the types of their operations, for interceptors that look at
    /// arguments.
    pub signatures: bool,
    /// How values are marshaled, unless one of the next two says otherwise.
    pub marshaling: Marshaling,
    /// How values are marshaled in particular, by the scoped IDL name of an
    /// operation, a type, an interface or a module; the most specific counts.
    pub marshaling_of: BTreeMap<String, Marshaling>,
    /// How values are marshaled of what stands in a file.
    pub marshaling_of_files: BTreeMap<FileId, Marshaling>,
    /// How skeletons find operations, unless the next says otherwise.
    pub dispatch: Dispatch,
    /// How the skeletons of an interface, or of a module's interfaces, find
    /// operations, by scoped IDL name.
    pub dispatch_of: BTreeMap<String, Dispatch>,
    /// How servants answer requests, unless the next says otherwise. An interface with an
    /// operation that is not answered at once has a second trait for its servants.
    pub answering: Answering,
    /// How the requests of an operation, or of an interface's or a module's operations, are
    /// answered, by scoped IDL name; the most specific counts.
    pub answering_of: BTreeMap<String, Answering>,
    /// How many threads make the code. Unless set, as many as the machine has to
    /// give, as far as they are of use; small files are made by one. The code is
    /// the same whatever their number.
    pub threads: Option<NonZero<usize>>,
    /// The files that the header of the generated code names.
    pub sources: Vec<String>,
}

impl GenerateOptions {
    /// Says how values are marshaled of what stands in the files whose path
    /// ends in `path`. Returns how many there are.
    pub fn set_marshaling_of_file(
        &mut self,
        sources: &SourceMap,
        path: &Path,
        marshaling: Marshaling,
    ) -> usize {
        let mut count = 0;
        for (id, file) in sources.ids().zip(sources.files()) {
            if file.path().ends_with(path) {
                self.marshaling_of_files.insert(id, marshaling);
                count += 1;
            }
        }
        count
    }
}
