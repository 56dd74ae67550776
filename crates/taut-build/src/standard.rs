//! The standard's modules that the crate `taut` has: what refers to them need
//! not have them generated.

use std::collections::HashMap;
use std::mem;
use std::path::PathBuf;
use std::sync::LazyLock;

use taut_idl::model::{Definition, DefinitionKind, Model};

use crate::options::GenerateOptions;

/// The modules, and where they are.
const MODULES: [(&str, &str); 3] = [
    ("CORBA", "::taut::corba"),
    ("Messaging", "::taut::ami"),
    ("TimeBase", "::taut::time_base"),
];

/// A source that includes all that is in `taut`; the compiler of IDL brings it along.
const SOURCE: &str = "#include <orb.idl>\n#include <TimeBase.idl>\n#include <Messaging.idl>\n";

/// The model from which `taut` was generated.
static MODEL: LazyLock<Model> = LazyLock::new(|| {
    let path = PathBuf::from("standard.idl");
    let mut files = HashMap::from([(path.clone(), SOURCE.as_bytes().to_vec())]);
    taut_idl::compile_with(&[path], &taut_idl::Options::default(), &mut files).model
});

/// The options with the standard's modules among the external ones, as far as
/// nothing else is said of them and `taut` has all that the model has there.
pub(crate) fn with_standard_modules(options: &GenerateOptions, model: &Model) -> GenerateOptions {
    let mut options = options.clone();
    if options.generate_standard_modules {
        return options;
    }
    for (module, path) in MODULES {
        let is_mentioned = options.extern_modules.contains_key(module);
        if !is_mentioned && model.find(&[module]).is_some() && is_covered(model, module) {
            let (module, path) = (module.to_owned(), path.to_owned());
            options.extern_modules.insert(module, path);
        }
    }
    options
}

/// Whether `taut` has everything of a module. Types with the same repository id
/// are the same.
fn is_covered(model: &Model, module: &str) -> bool {
    let known: HashMap<_, _> = within(&MODEL, module)
        .map(|definition| (&definition.scoped_name, definition))
        .collect();
    within(model, module).all(|definition| {
        known.get(&definition.scoped_name).is_some_and(|known| {
            let is_declared = matches!(definition.kind, DefinitionKind::InterfaceDeclaration);
            let same_kind = mem::discriminant(&known.kind) == mem::discriminant(&definition.kind)
                || is_declared && matches!(known.kind, DefinitionKind::Interface(_));
            same_kind && known.repository_id == definition.repository_id
        })
    })
}

fn within<'m>(model: &'m Model, module: &'m str) -> impl Iterator<Item = &'m Definition> {
    let definitions = model.definitions().map(|(_, definition)| definition);
    definitions.filter(move |definition| definition.scoped_name.first() == module)
}
