//! Fetching the packages, without installing them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use crate::error::CorpusError;
use crate::packages::{Origin, PACKAGES, Package};

/// The file in a package's directory that says which version it is. Written
/// last: where it is, the package is whole.
const VERSION: &str = "VERSION";

/// Fetches the packages that are not in the corpus yet. Needs the network only
/// for those.
///
/// # Errors
///
/// When a package cannot be fetched or unpacked.
pub fn fetch(corpus: &Path) -> Result<(), CorpusError> {
    for package in PACKAGES {
        let directory = corpus.join(package.name);
        if directory.join(VERSION).is_file() {
            continue;
        }
        println!("Fetching {}", package.name);
        let file_error = |source| CorpusError::File {
            path: directory.clone(),
            source,
        };
        if directory.exists() {
            fs::remove_dir_all(&directory).map_err(file_error)?;
        }
        let download = directory.join("download");
        fs::create_dir_all(&download).map_err(file_error)?;
        let version = match package.origin {
            Origin::Debian => fetch_binary(package, &directory, &download)?,
            Origin::DebianSource => fetch_source(package, &directory, &download)?,
            Origin::Maven(coordinates) => fetch_artifact(coordinates, &directory, &download)?,
        };
        fs::remove_dir_all(&download).map_err(file_error)?;
        fs::write(directory.join(VERSION), version).map_err(file_error)?;
    }
    Ok(())
}

/// The version of a package that was fetched.
///
/// # Errors
///
/// When it was not.
pub fn version(corpus: &Path, package: &Package) -> io::Result<String> {
    fs::read_to_string(corpus.join(package.name).join(VERSION))
}

fn fetch_binary(
    package: &Package,
    directory: &Path,
    download: &Path,
) -> Result<String, CorpusError> {
    let apt = Command::new("apt-get")
        .args(["--quiet", "download", package.name])
        .current_dir(download)
        .status();
    CorpusError::unless_success("apt-get download", apt)?;
    let archive = find(download, ".deb")?;
    let unpack = Command::new("dpkg-deb")
        .arg("-x")
        .arg(&archive)
        .arg(directory)
        .status();
    CorpusError::unless_success("dpkg-deb -x", unpack)?;
    Ok(version_of(&archive))
}

/// Fetches a source package with lists of our own, for few systems have those
/// of sources, and takes the IDL out of it.
fn fetch_source(
    package: &Package,
    directory: &Path,
    download: &Path,
) -> Result<String, CorpusError> {
    let file_error = |source| CorpusError::File {
        path: download.to_path_buf(),
        source,
    };
    for place in ["lists/partial", "archives/partial"] {
        fs::create_dir_all(download.join(place)).map_err(file_error)?;
    }
    let sources = download.join("sources.list");
    fs::write(&sources, source_entries()?).map_err(file_error)?;
    let options = [
        format!("Dir::Etc::SourceList={}", sources.display()),
        "Dir::Etc::SourceParts=/dev/null".to_owned(),
        format!("Dir::State::Lists={}", download.join("lists").display()),
        format!("Dir::Cache={}", download.display()),
    ];
    for arguments in [
        &["update"][..],
        &["source", "--download-only", package.name],
    ] {
        let mut apt = Command::new("apt-get");
        apt.arg("--quiet").current_dir(download).args(arguments);
        for option in &options {
            apt.arg("-o").arg(option);
        }
        CorpusError::unless_success("apt-get source", apt.status())?;
    }
    let archive = find(download, ".orig.tar.xz")?;
    let unpack = Command::new("tar")
        .arg("--extract")
        .arg("--file")
        .arg(&archive)
        .args(["--strip-components=1", "--wildcards"])
        .arg(format!("*/{}/*.idl", package.root))
        .current_dir(directory)
        .status();
    CorpusError::unless_success("tar", unpack)?;
    Ok(version_of(&archive))
}

/// The sources of the repositories that the system has its packages from.
fn source_entries() -> Result<String, CorpusError> {
    let output = Command::new("apt-get")
        .args(["indextargets", "--format"])
        .args([
            "$(REPO_URI) $(RELEASE) $(COMPONENT)",
            "Created-By: Packages",
        ])
        .output()
        .map_err(|source| CorpusError::Start {
            program: "apt-get indextargets",
            source,
        })?;
    let mut entries = String::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        // Writing to a string does not fail.
        let _ = writeln!(entries, "deb-src {line}");
    }
    Ok(entries)
}

fn fetch_artifact(
    coordinates: &str,
    directory: &Path,
    download: &Path,
) -> Result<String, CorpusError> {
    let maven = Command::new("mvn")
        .args(["--quiet", "--batch-mode", "dependency:copy"])
        .arg(format!("-Dartifact={coordinates}"))
        .arg(format!("-DoutputDirectory={}", download.display()))
        .current_dir(download)
        .status();
    CorpusError::unless_success("mvn dependency:copy", maven)?;
    let unpack = Command::new("jar")
        .arg("--extract")
        .arg("--file")
        .arg(find(download, ".jar")?)
        .current_dir(directory)
        .status();
    CorpusError::unless_success("jar --extract", unpack)?;
    let version = coordinates.rsplit(':').next().unwrap_or_default();
    Ok(version.to_owned())
}

/// The file with this end of its name.
fn find(directory: &Path, end: &'static str) -> Result<PathBuf, CorpusError> {
    let file_error = |source| CorpusError::File {
        path: directory.to_path_buf(),
        source,
    };
    for entry in fs::read_dir(directory).map_err(file_error)? {
        let path = entry.map_err(file_error)?.path();
        if path.to_string_lossy().ends_with(end) {
            return Ok(path);
        }
    }
    Err(file_error(io::Error::new(
        io::ErrorKind::NotFound,
        format!("no file *{end} came"),
    )))
}

/// The version in a file name of Debian's: `name_1%3a2.0-1_all.deb`.
fn version_of(archive: &Path) -> String {
    let name = archive.file_name().unwrap_or_default().to_string_lossy();
    let version = name.split('_').nth(1).unwrap_or_default();
    let version = version.split(".orig.tar").next().unwrap_or_default();
    version.replace("%3a", ":")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_file_names() {
        for (name, version) in [
            ("omnievents_1%3a2.6.2-6_all.deb", "1:2.6.2-6"),
            ("tango_9.3.4+dfsg1.orig.tar.xz", "9.3.4+dfsg1"),
        ] {
            assert_eq!(version_of(Path::new(name)), version);
        }
    }
}
