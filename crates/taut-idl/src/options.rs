//! Settings of a compilation.

use std::path::PathBuf;

use crate::severity::WarningLevels;

/// How to compile.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Where `#include` looks, in this order. A name in double quotes is first
    /// looked up beside the file that includes it. When `orb.idl`, `IOP.idl`,
    /// `Messaging.idl` or `TimeBase.idl` is nowhere, the compiler's own stands in for it:
    /// what the standard's IDL takes for known of the module `CORBA`, the module `IOP`, the
    /// reply handlers of `Messaging`, and the times that services share.
    pub include_paths: Vec<PathBuf>,
    /// Macros that are defined before the first line, as by `#define`; without
    /// a value, as `1`.
    pub defines: Vec<(String, Option<String>)>,
    /// The effect of `#pragma prefix` inside a module.
    pub prefix_in_module: PrefixInModule,
    /// Modules whose repository ids are not those that the source says: for peers
    /// whose compiler makes others of the same source. A module that the source does
    /// not define is an error.
    pub module_ids: Vec<ModuleIds>,
    /// Which warnings are reported, and how.
    pub warnings: WarningLevels,
    /// Bounds on what a source may ask of the compiler.
    pub limits: Limits,
}

impl Options {
    /// The element of [`module_ids`](Self::module_ids) for a module of this scoped
    /// name, which is added if there is none.
    pub fn ids_of(&mut self, module: impl Into<String>) -> &mut ModuleIds {
        let module = module.into();
        let known = self.module_ids.iter().position(|ids| ids.module == module);
        let index = known.unwrap_or(self.module_ids.len());
        if known.is_none() {
            self.module_ids.push(ModuleIds {
                module,
                ..ModuleIds::default()
            });
        }
        &mut self.module_ids[index]
    }
}

/// The effect of `#pragma prefix` inside a module on the path of the repository ids that
/// follow. The standard leaves it open and compilers differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum PrefixInModule {
    /// The path restarts at the prefix, as omniORB and JacORB have it:
    /// `module F { #pragma prefix "X"` makes `IDL:X/Y:1.0` of an interface `Y`.
    #[default]
    Restart,
    /// The path keeps the enclosing modules, as TAO has it: `IDL:X/F/Y:1.0`.
    Keep,
}

/// Another prefix, another version, or both, for the repository ids of a module and
/// of all that it holds. An id that `#pragma ID` or `typeid` gives remains, and so does a
/// version of `#pragma version`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModuleIds {
    /// The scoped name of the module, such as `FT_Naming` or `Outer::Inner`.
    pub module: String,
    /// The prefix of the ids, in place of the one that the source says. It may be
    /// empty. The names of all enclosing modules follow it, as with `typeprefix`.
    pub prefix: Option<String>,
    /// The version of the ids, such as `2.3`, in place of `1.0`.
    pub version: Option<String>,
}

/// Bounds on what a source may ask of the compiler. Passing one is an error of
/// the source with the code
/// [`LimitExceeded`](crate::DiagnosticCode::LimitExceeded).
#[derive(Debug, Clone)]
pub struct Limits {
    /// How deeply modules, types, expressions and conditions may nest. 64
    /// unless set; more than 256 counts as 256.
    pub nesting: usize,
    /// How deeply `#include` may nest. 64 unless set.
    pub include_depth: usize,
    /// How often a file may be included in all. 10,000 unless set.
    pub inclusions: usize,
    /// How many interfaces, or structs, one may inherit from, directly or not.
    /// 256 unless set; more than 1,000 counts as 1,000.
    pub bases: usize,
    /// How many bytes of files may be read again because they are included again,
    /// whatever comes of them. 64 MiB in all unless set.
    pub repeated_bytes: usize,
    /// The bytes of one file. 16 MiB unless set; less than 4 GiB in any case. No
    /// more is read of a file, a device or a pipe that has more.
    pub file_bytes: usize,
    /// The bytes of all files together, main files and included ones, each counted
    /// once. 64 MiB unless set.
    pub total_bytes: usize,
    /// How many tokens the preprocessor may hand on. 4,000,000 unless set.
    pub tokens: usize,
    /// How much may be made of the source beyond what it says: the tokens that
    /// instances of template modules stand for, and the members that structs
    /// inherit. 250,000 in all unless set.
    pub expansion: usize,
    /// How many tokens macros and repeated inclusion may add: the preprocessor
    /// hands on no more than one for each byte of the files that it read, and
    /// these, and macros may expand to no more on the way. So the memory that a
    /// small source can claim is small. 65,536 unless set.
    pub added_tokens: usize,
    /// How many errors are reported before the compiler gives up, and how many
    /// warnings before it keeps silent. 100 each unless set.
    pub diagnostics: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            nesting: 64,
            include_depth: 64,
            inclusions: 10_000,
            bases: 256,
            repeated_bytes: 64 << 20,
            file_bytes: 16 << 20,
            total_bytes: 64 << 20,
            tokens: 4_000_000,
            expansion: 250_000,
            added_tokens: 1 << 16,
            diagnostics: 100,
        }
    }
}
