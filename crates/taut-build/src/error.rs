//! The errors of a build script.

use std::fmt;
use std::io;
use std::path::PathBuf;

use taut_idl::Report;
use taut_idl::source::SourceMap;

use crate::fault::GenerateError;

/// Why no Rust was made of the IDL.
///
/// Its `Debug` form is its `Display` form: that is what a build script whose
/// `main` returns it shows.
#[non_exhaustive]
pub enum Error {
    /// No file was given.
    NoFiles,
    /// Neither the environment variable `OUT_DIR` nor
    /// [`Config::out_dir`](crate::Config::out_dir) says where to write.
    NoOutDir,
    /// The first file's name does not tell how to call the output.
    NoStem(PathBuf),
    /// [`Config::marshaling_of`](crate::Config::marshaling_of) names a file that
    /// is neither compiled nor included.
    NoSuchFile(PathBuf),
    /// The IDL is wrong.
    Idl {
        /// The diagnostics as text that shows the lines they speak of.
        rendered: String,
    },
    /// The IDL is right, but cannot become Rust as it is.
    Generate {
        /// The faults.
        errors: Vec<GenerateError>,
        /// The faults as text that shows the lines they speak of.
        rendered: String,
    },
    /// Operations miss their deadlines, or are described wrongly
    /// ([`Config::schedule`](crate::Config), with the feature `scheduling`).
    Schedule {
        /// The faults as text that shows the lines they speak of.
        rendered: String,
    },
    /// A file that describes a schedule cannot be read.
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The output cannot be written.
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl Error {
    /// The faults that [`generate`](crate::generate()) found in a model, with
    /// their places in the sources that the model was made of.
    pub fn generate(errors: Vec<GenerateError>, sources: &SourceMap) -> Self {
        let reports: Vec<_> = errors.iter().map(Report::from).collect();
        let rendered = taut_idl::render(&reports, sources, false);
        Self::Generate { errors, rendered }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFiles => f.write_str("no IDL file was given to compile"),
            Self::NoOutDir => f.write_str(
                "no place to write to: OUT_DIR is not set (is this a build script?) and \
                 `Config::out_dir` was not called",
            ),
            Self::NoStem(path) => {
                let path = path.display();
                write!(
                    f,
                    "`{path}` has no file name; `Config::output` can give the output one"
                )
            }
            Self::NoSuchFile(path) => {
                let path = path.display();
                write!(
                    f,
                    "`marshaling_of` is given the file `{path}`, which is neither compiled nor \
                     included; give its path, or the end of it"
                )
            }
            Self::Idl { rendered }
            | Self::Generate { rendered, .. }
            | Self::Schedule { rendered } => f.write_str(rendered.trim_end()),
            Self::Read { path, source } => {
                write!(f, "`{}` cannot be read: {source}", path.display())
            }
            Self::Write { path, source } => {
                write!(f, "`{}` cannot be written: {source}", path.display())
            }
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Cargo shows "Error: " in front of it.
        write!(f, "\n{self}")
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read { source, .. } | Self::Write { source, .. } => Some(source),
            _ => None,
        }
    }
}
