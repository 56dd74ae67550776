//! The checks that need all names to be given.

use super::Assignment;
use super::interfaces::claimant_of;
use crate::fault::{GenerateError, GenerateErrorKind};
use crate::keywords::is_path;
use crate::values::Ancestors;

impl Assignment<'_> {
    /// A trait and its supertraits may not have methods of the same name: a
    /// call would be ambiguous.
    pub(super) fn check_inherited_methods(&mut self) {
        let model = self.model;
        for (id, definition) in model.definitions() {
            let bases = if model.interface(id).is_some() {
                model.all_bases(id)
            } else if model.value_type(id).is_some() {
                let ancestors = Ancestors::of(model, id);
                [ancestors.interfaces, ancestors.values].concat()
            } else {
                continue;
            };
            let mut claims = self.local_claims(&definition.scoped_name.join("::"));
            for interface in bases.into_iter().chain([id]) {
                for method in self.methods.get(&interface).into_iter().flatten() {
                    claims.claim(&method.name, claimant_of(method), &mut self.collisions);
                }
            }
        }
    }

    pub(super) fn check_paths(&mut self) {
        let modules = self.options.extern_modules.iter();
        let natives = self.options.native_types.iter();
        let given = modules
            .map(|given| ("module", "some_module", given))
            .chain(natives.map(|given| ("native type", "SomeType", given)));
        for (kind, example, (name, path)) in given {
            let absolute = path.starts_with("::") || path.starts_with("crate::");
            if absolute && is_path(path) {
                continue;
            }
            self.errors.push(
                GenerateError::new(
                    GenerateErrorKind::InvalidPath,
                    format!(
                        "`{path}`, given for the IDL {kind} `{name}`, is no absolute Rust path"
                    ),
                )
                .help(format!(
                    "write it as `::some_crate::{example}` or `crate::{example}`"
                )),
            );
        }
    }

    pub(super) fn check_options_used(&mut self) {
        let extern_modules = self.options.extern_modules.keys();
        let given = extern_modules
            .map(|name| (name, "extern_module"))
            .chain(self.options.renames.keys().map(|name| (name, "rename")))
            .chain(
                self.options
                    .native_types
                    .keys()
                    .map(|name| (name, "native_type")),
            );
        for (name, option) in given {
            if !self.used.contains(name.as_str()) {
                self.errors.push(GenerateError::new(
                    GenerateErrorKind::UnknownName,
                    format!("`{option}` is given `{name}`, which the IDL does not define"),
                ));
            }
        }
    }
}
