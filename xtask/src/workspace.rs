//! Where things lie in the workspace.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The directories of the workspace.
pub(crate) struct Workspace {
    root: PathBuf,
    target: PathBuf,
}

impl Workspace {
    /// The workspace that this program was built in. Its build directory is
    /// `target`, or what `CARGO_TARGET_DIR` says, seen from the root.
    pub(crate) fn locate() -> Self {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = package.parent().unwrap_or(package).to_path_buf();
        let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| OsString::from("target"));
        let target = root.join(target);
        Self { root, target }
    }

    /// A file or directory below the root.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// The build directory.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// A directory of its own for builds with other flags.
    pub(crate) fn build_directory(&self, name: &str) -> PathBuf {
        self.target.join(name)
    }

    /// Where the peers that use omniORB are built.
    pub(crate) fn omniorb_peers(&self) -> PathBuf {
        self.target.join("peers").join("omniorb")
    }

    /// Where JacORB's jars are.
    pub(crate) fn jacorb_peers(&self) -> PathBuf {
        self.target.join("peers").join("jacorb")
    }

    /// Where the program that uses tonic is built.
    pub(crate) fn tonic_peer(&self) -> PathBuf {
        self.target.join("peers").join("tonic")
    }

    /// The file of a program of the workspace that was built with `--release`.
    pub(crate) fn release_program(&self, name: &str) -> PathBuf {
        self.target.join("release").join(name)
    }

    /// Cargo, started in the root.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        let mut command = Command::new(cargo);
        command.current_dir(&self.root).args(arguments);
        command
    }
}
