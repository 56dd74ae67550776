//! Which packages carry IDL, and how their authors compile it.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// Where a package comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A binary package of Debian.
    Debian,
    /// A source package of Debian: IDL of which only C++ is shipped.
    DebianSource,
    /// An artifact of Maven Central, by its coordinates.
    Maven(&'static str),
}

/// A package with IDL.
#[derive(Debug)]
pub struct Package {
    /// Its name; also that of its directory in the corpus.
    pub name: &'static str,
    /// Where it comes from.
    pub origin: Origin,
    /// Where its IDL lies.
    pub root: &'static str,
    /// Include directories, by package and place below that one's root.
    includes: &'static [(&'static str, &'static str)],
    /// Macros that the package's own build defines.
    defines: &'static [&'static str],
    /// Files that want the standard's `orb.idl` instead of the package's own:
    /// they use what the own one has not.
    with_built_in_orb: &'static [&'static str],
}

/// The packages of the corpus.
///
/// Not among them: JacORB, whose artifacts (3.9: jacorb, omgapi, services,
/// idl-compiler and regression, with their sources) hold no IDL file.
pub const PACKAGES: &[Package] = &[
    Package {
        name: "omniorb-idl",
        origin: Origin::Debian,
        root: "usr/share/idl/omniORB",
        includes: &[("omniorb-idl", ""), ("omniorb-idl", "COS")],
        // With which omniORB builds its stubs of these: half of the services
        // speak of interface definitions.
        defines: &["ENABLE_CLIENT_IR_SUPPORT"],
        with_built_in_orb: &[
            "COS/DCE_CIOPSecurity.idl",
            "COS/NRService.idl",
            "COS/SECIOP.idl",
            "COS/SSLIOP.idl",
            "COS/Security.idl",
            "COS/SecurityAdmin.idl",
            "COS/SecurityLevel1.idl",
            "COS/SecurityLevel2.idl",
            "COS/SecurityReplaceable.idl",
        ],
    },
    Package {
        name: "omniorb-doc",
        origin: Origin::Debian,
        root: "usr/lib/omniorb/examples",
        includes: &[],
        defines: &[],
        with_built_in_orb: &[],
    },
    Package {
        name: "libomnievents-dev",
        origin: Origin::Debian,
        root: "usr/share/idl/omniEvents",
        includes: &[
            ("libomnievents-dev", ""),
            ("omniorb-idl", ""),
            ("omniorb-idl", "COS"),
        ],
        defines: &[],
        with_built_in_orb: &[],
    },
    Package {
        name: "tcl-combat",
        origin: Origin::Debian,
        root: "usr/share/doc/tcl-combat/examples",
        includes: &[],
        defines: &[],
        with_built_in_orb: &[],
    },
    Package {
        name: "tango",
        origin: Origin::DebianSource,
        root: "lib/idl",
        includes: &[],
        defines: &[],
        with_built_in_orb: &[],
    },
    Package {
        name: "idlj",
        origin: Origin::Maven("org.glassfish.corba:idlj:4.2.4"),
        root: "includes",
        includes: &[("idlj", "")],
        defines: &[],
        with_built_in_orb: &[],
    },
];

/// A file of the corpus.
#[derive(Debug, Clone)]
pub struct File {
    /// The package that it belongs to.
    pub package: &'static str,
    /// Where it lies below the package's root, with `/` between its parts.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// The options that it is compiled with.
    pub options: Options,
}

/// The options that a file is compiled with, by either compiler.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where `#include` looks.
    pub includes: Vec<PathBuf>,
    /// Macros.
    pub defines: Vec<&'static str>,
}

impl File {
    /// Package and name, as lists and tables have them.
    pub fn id(&self) -> String {
        format!("{} {}", self.package, self.name)
    }
}

impl Package {
    /// Where the package's IDL lies in the corpus.
    pub fn directory(&self, corpus: &Path) -> PathBuf {
        corpus.join(self.name).join(self.root)
    }

    fn options(&self, corpus: &Path, name: &str) -> Options {
        let built_in = self.with_built_in_orb.contains(&name);
        let includes = self.includes.iter().filter_map(|(package, place)| {
            let package = PACKAGES.iter().find(|other| other.name == *package)?;
            // Where `orb.idl` is not found, the compiler's own stands in.
            (!built_in || !place.is_empty()).then(|| package.directory(corpus).join(place))
        });
        Options {
            includes: includes.collect(),
            defines: self.defines.to_vec(),
        }
    }
}

/// All files of the corpus, package by package, by name.
///
/// # Errors
///
/// When a directory cannot be read, above all because it was not fetched.
pub fn files(corpus: &Path) -> io::Result<Vec<File>> {
    let mut files = Vec::new();
    for package in PACKAGES {
        let root = package.directory(corpus);
        let mut paths = Vec::new();
        collect(&root, &mut paths)?;
        let mut named: Vec<_> = paths
            .into_iter()
            .map(|path| {
                let below = path.strip_prefix(&root).unwrap_or(&path);
                (below.to_string_lossy().into_owned(), path)
            })
            .collect();
        named.sort();
        files.extend(named.into_iter().map(|(name, path)| File {
            package: package.name,
            options: package.options(corpus, &name),
            name,
            path,
        }));
    }
    Ok(files)
}

fn collect(directory: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "idl") {
            found.push(path);
        }
    }
    Ok(())
}
