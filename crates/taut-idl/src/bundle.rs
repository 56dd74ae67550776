//! Bundles: an IDL specification with all its files in one piece, to be compiled again where the
//! files are not.
//!
//! ```
//! use std::collections::HashMap;
//! use std::path::PathBuf;
//!
//! let file = PathBuf::from("bank.idl");
//! let mut files = HashMap::from([(file.clone(), b"interface Bank {};".to_vec())]);
//! let options = taut_idl::Options::default();
//! let (compilation, bundle) = taut_idl::bundle::compile_with(&[file], &options, &mut files);
//! assert!(!compilation.has_errors());
//! let again = taut_idl::bundle::Bundle::from_octets(&bundle.to_octets()).unwrap();
//! assert!(again.compile().model.find(&["Bank"]).is_some());
//! ```

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::loader::FileLoader;
use crate::options::{ModuleIds, Options, PrefixInModule};
use crate::{Compilation, paths};

/// The line that a bundle begins with; the number is that of the format.
const HEADER: &str = "taut-idl-bundle 1";

/// An IDL specification with all its files.
///
/// Directories are told by numbers, not by their names, so that the same sources make the same
/// bundle wherever they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    main: Vec<String>,
    /// By its path, each file's identity.
    identities: Vec<(String, String)>,
    /// By identity.
    files: Vec<(String, Vec<u8>)>,
    include_paths: Vec<String>,
    defines: Vec<(String, Option<String>)>,
    keeps_prefix: bool,
    module_ids: Vec<ModuleIds>,
}

/// The octets are no bundle, or one of another format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoBundle;

impl fmt::Display for NoBundle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "it is no bundle of IDL, or was made by another version: `{HEADER}` is expected"
        )
    }
}

impl std::error::Error for NoBundle {}

/// As [`compile_with`](crate::compile_with), with a bundle of all files that were read.
pub fn compile_with(
    files: &[impl AsRef<Path>],
    options: &Options,
    loader: &mut dyn FileLoader,
) -> (Compilation, Bundle) {
    let mut recorder = Recorder {
        loader,
        identities: Vec::new(),
        files: Vec::new(),
    };
    let compilation = crate::compile_with(files, options, &mut recorder);
    let directories = Directories::of(&paths(files), &options.include_paths);
    let place = |path: &PathBuf| directories.place(path);
    let identities = recorder.identities.iter();
    let bundle = Bundle {
        main: paths(files).iter().map(place).collect(),
        identities: identities
            .map(|(path, identity)| (place(path), place(identity)))
            .collect(),
        files: recorder
            .files
            .iter()
            .map(|(identity, text)| (place(identity), text.clone()))
            .collect(),
        include_paths: options.include_paths.iter().map(place).collect(),
        defines: options.defines.clone(),
        keeps_prefix: options.prefix_in_module == PrefixInModule::Keep,
        module_ids: options.module_ids.clone(),
    };
    (compilation, bundle)
}

/// Notes the files that a compilation reads.
struct Recorder<'l> {
    loader: &'l mut dyn FileLoader,
    identities: Vec<(PathBuf, PathBuf)>,
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl FileLoader for Recorder<'_> {
    fn load(&mut self, path: &Path, bytes_max: usize) -> io::Result<Vec<u8>> {
        let text = self.loader.load(path, bytes_max)?;
        let identity = self.identity(path);
        if !self.files.iter().any(|(known, _)| *known == identity) {
            self.files.push((identity, text.clone()));
        }
        Ok(text)
    }

    fn identity(&mut self, path: &Path) -> PathBuf {
        let identity = self.loader.identity(path);
        if !self.identities.iter().any(|(known, _)| known == path) {
            self.identities.push((path.to_owned(), identity.clone()));
        }
        identity
    }
}

/// The directories that paths begin with, each by its number.
struct Directories(Vec<(PathBuf, usize)>);

impl Directories {
    fn of(main: &[PathBuf], include_paths: &[PathBuf]) -> Self {
        let of_files = main.iter().filter_map(|file| file.parent());
        let all = of_files.chain(include_paths.iter().map(PathBuf::as_path));
        let mut directories: Vec<(PathBuf, usize)> = Vec::new();
        for (number, directory) in all.enumerate() {
            directories.push((directory.to_owned(), number));
            // Identities are paths of the file system without links.
            let named = match directory.as_os_str().is_empty() {
                true => Path::new("."),
                false => directory,
            };
            if let Ok(directory) = named.canonicalize() {
                directories.push((directory, number));
            }
        }
        // The most special first; of the same, the first.
        directories.sort_by_key(|(directory, number)| {
            (usize::MAX - directory.components().count(), *number)
        });
        Self(directories)
    }

    /// The path with its directory by number; a path that is in none of them as it is.
    fn place(&self, path: &PathBuf) -> String {
        let mut within = self.0.iter().filter_map(|(directory, number)| {
            let rest = path.strip_prefix(directory).ok()?;
            Some((number, rest))
        });
        match within.next() {
            Some((number, rest)) => Path::new(&format!("@{number}"))
                .join(rest)
                .display()
                .to_string(),
            None => path.display().to_string(),
        }
    }
}

impl Bundle {
    /// Compiles it again. There are no warnings.
    pub fn compile(&self) -> Compilation {
        let options = Options {
            include_paths: self.include_paths.iter().map(PathBuf::from).collect(),
            defines: self.defines.clone(),
            prefix_in_module: match self.keeps_prefix {
                true => PrefixInModule::Keep,
                false => PrefixInModule::Restart,
            },
            module_ids: self.module_ids.clone(),
            ..Options::default()
        };
        let path = |(path, identity): &(String, String)| (path.into(), identity.into());
        let file = |(identity, text): &(String, Vec<u8>)| (identity.into(), text.clone());
        let mut loader = Unpacked {
            identities: self.identities.iter().map(path).collect(),
            files: self.files.iter().map(file).collect(),
        };
        crate::compile_with(&self.main, &options, &mut loader)
    }

    /// Writes it as octets.
    pub fn to_octets(&self) -> Vec<u8> {
        let mut out = format!("{HEADER}\n").into_bytes();
        let mut field = |name: &str, values: &[&[u8]]| {
            out.extend_from_slice(name.as_bytes());
            for value in values {
                out.extend_from_slice(format!(" {}\n", value.len()).as_bytes());
                out.extend_from_slice(value);
            }
            out.push(b'\n');
        };
        for path in &self.main {
            field("main", &[path.as_bytes()]);
        }
        for path in &self.include_paths {
            field("include", &[path.as_bytes()]);
        }
        for (name, value) in &self.defines {
            match value {
                Some(value) => field("define", &[name.as_bytes(), value.as_bytes()]),
                None => field("define", &[name.as_bytes()]),
            }
        }
        if self.keeps_prefix {
            field("keep-prefix", &[]);
        }
        for ids in &self.module_ids {
            for (name, value) in [("prefix", &ids.prefix), ("version", &ids.version)] {
                if let Some(value) = value {
                    field(name, &[ids.module.as_bytes(), value.as_bytes()]);
                }
            }
        }
        for (path, identity) in &self.identities {
            field("path", &[path.as_bytes(), identity.as_bytes()]);
        }
        for (identity, text) in &self.files {
            field("file", &[identity.as_bytes(), text]);
        }
        out
    }

    /// Reads octets of [`to_octets`](Self::to_octets).
    ///
    /// # Errors
    ///
    /// [`NoBundle`].
    pub fn from_octets(octets: &[u8]) -> Result<Self, NoBundle> {
        let mut bundle = Self {
            main: Vec::new(),
            identities: Vec::new(),
            files: Vec::new(),
            include_paths: Vec::new(),
            defines: Vec::new(),
            keeps_prefix: false,
            module_ids: Vec::new(),
        };
        let header = octets.strip_prefix(HEADER.as_bytes());
        let mut rest = header
            .and_then(|rest| rest.strip_prefix(b"\n"))
            .ok_or(NoBundle)?;
        while !rest.is_empty() {
            let (name, values, behind) = field(rest).ok_or(NoBundle)?;
            bundle.add(name, &values)?;
            rest = behind;
        }
        Ok(bundle)
    }

    fn add(&mut self, name: &str, values: &[&[u8]]) -> Result<(), NoBundle> {
        let text = |octets: &[u8]| String::from_utf8(octets.to_vec()).map_err(|_| NoBundle);
        match (name, values) {
            ("main", [path]) => self.main.push(text(path)?),
            ("include", [path]) => self.include_paths.push(text(path)?),
            ("define", [name]) => self.defines.push((text(name)?, None)),
            ("define", [name, value]) => self.defines.push((text(name)?, Some(text(value)?))),
            ("keep-prefix", []) => self.keeps_prefix = true,
            ("prefix", [module, prefix]) => self.module_ids.push(ModuleIds {
                module: text(module)?,
                prefix: Some(text(prefix)?),
                version: None,
            }),
            ("version", [module, version]) => self.module_ids.push(ModuleIds {
                module: text(module)?,
                prefix: None,
                version: Some(text(version)?),
            }),
            ("path", [path, identity]) => self.identities.push((text(path)?, text(identity)?)),
            ("file", [identity, content]) => self.files.push((text(identity)?, content.to_vec())),
            _ => return Err(NoBundle),
        }
        Ok(())
    }
}

/// Reads a field: its name, its values, and what is behind it.
fn field(octets: &[u8]) -> Option<(&str, Vec<&[u8]>, &[u8])> {
    let end = octets
        .iter()
        .position(|octet| matches!(octet, b' ' | b'\n'))?;
    let (name, mut rest) = octets.split_at_checked(end)?;
    let mut values = Vec::new();
    while let Some(value) = rest.strip_prefix(b" ") {
        let end = value.iter().position(|octet| *octet == b'\n')?;
        let (length, behind) = value.split_at_checked(end)?;
        let length: usize = std::str::from_utf8(length).ok()?.parse().ok()?;
        let (value, behind) = behind.get(1..)?.split_at_checked(length)?;
        values.push(value);
        rest = behind;
    }
    Some((
        std::str::from_utf8(name).ok()?,
        values,
        rest.strip_prefix(b"\n")?,
    ))
}

/// The files of a bundle.
struct Unpacked {
    identities: HashMap<PathBuf, PathBuf>,
    files: HashMap<PathBuf, Vec<u8>>,
}

impl FileLoader for Unpacked {
    fn load(&mut self, path: &Path, bytes_max: usize) -> io::Result<Vec<u8>> {
        let identity = self.identities.get(path);
        let identity = identity.ok_or(io::ErrorKind::NotFound)?.clone();
        self.files.load(&identity, bytes_max)
    }

    fn identity(&mut self, path: &Path) -> PathBuf {
        let identity = self.identities.get(path).cloned();
        identity.unwrap_or_else(|| path.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_that_are_no_bundle_are_refused() {
        let file = PathBuf::from("a.idl");
        let mut files = HashMap::from([(file.clone(), b"interface A {};".to_vec())]);
        let (_, bundle) = compile_with(&[file], &Options::default(), &mut files);
        let octets = bundle.to_octets();
        assert_eq!(Bundle::from_octets(&octets), Ok(bundle));
        for end in (HEADER.len() + 2)..octets.len() {
            // A bundle that ends with a field is one all the same.
            if let Ok(shorter) = Bundle::from_octets(&octets[..end]) {
                assert!(octets.starts_with(&shorter.to_octets()));
            }
        }
        assert_eq!(Bundle::from_octets(b"taut-idl-bundle 2\n"), Err(NoBundle));
        let long = format!("{HEADER}\nmain {}\na\n", usize::MAX);
        assert_eq!(Bundle::from_octets(long.as_bytes()), Err(NoBundle));
    }

    #[test]
    fn included_files_defines_and_ids_are_in_a_bundle() {
        let main = PathBuf::from("/x/idl/main.idl");
        let text = b"#include <parts/part.idl>\nmodule M { interface I : NAME {}; };";
        let part = b"#pragma prefix \"p\"\ninterface Part {};";
        let mut files = HashMap::from([
            (main.clone(), text.to_vec()),
            (PathBuf::from("/y/include/parts/part.idl"), part.to_vec()),
        ]);
        let mut options = Options {
            include_paths: vec!["/z".into(), "/y/include".into()],
            defines: vec![("NAME".to_owned(), Some("Part".to_owned()))],
            ..Options::default()
        };
        options.ids_of("M").version = Some("2.3".to_owned());
        let (compilation, bundle) = compile_with(&[main], &options, &mut files);
        assert!(!compilation.has_errors(), "{}", compilation.render(false));
        let octets = bundle.to_octets();
        let text = String::from_utf8_lossy(&octets);
        assert!(!text.contains("/x") && !text.contains("/y"), "{text}");
        let again = Bundle::from_octets(&octets).unwrap().compile();
        assert!(!again.has_errors(), "{}", again.render(false));
        let ids = |compilation: &Compilation| -> Vec<String> {
            let all = compilation.model.definitions();
            all.map(|(_, one)| one.repository_id.to_string()).collect()
        };
        assert_eq!(ids(&again), ids(&compilation));
        assert_eq!(ids(&again), ["IDL:p/Part:1.0", "IDL:M:2.3", "IDL:M/I:2.3"]);
    }
}
