//! JacORB's jars, and the programs that run on them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{self, ChoreError};
use crate::freshness::is_fresh;
use crate::workspace::Workspace;

/// Where the sources of the peers that use JacORB lie.
const SOURCES: &str = "interop/peers/jacorb";

/// The interfaces that they have.
const IDL: [&str; 6] = [
    "interop/idl/param_test.idl",
    "interop/idl/construct_test.idl",
    "interop/idl/any_test.idl",
    "interop/idl/session_test.idl",
    "bench/idl/ping.idl",
    "bench/idl/table.idl",
];

/// The packages that JacORB and its IDL compiler need to run on a Java that has no CORBA of
/// its own. The last is left without its own dependencies, one of which is a JacORB that no
/// repository has.
const PROJECT: &str = "\
<project xmlns=\"http://maven.apache.org/POM/4.0.0\">
  <modelVersion>4.0.0</modelVersion>
  <groupId>taut</groupId>
  <artifactId>jacorb-peer</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.jacorb</groupId>
      <artifactId>jacorb</artifactId>
      <version>3.9</version>
    </dependency>
    <dependency>
      <groupId>org.jacorb</groupId>
      <artifactId>jacorb-idl-compiler</artifactId>
      <version>3.9</version>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-jdk14</artifactId>
      <version>1.7.14</version>
    </dependency>
    <dependency>
      <groupId>org.jboss.spec.javax.rmi</groupId>
      <artifactId>jboss-rmi-api_1.0_spec</artifactId>
      <version>1.0.6.Final</version>
      <exclusions>
        <exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion>
      </exclusions>
    </dependency>
  </dependencies>
</project>
";

/// Fetches the jars with Maven into `target/peers/jacorb`, where the file
/// `classpath` then has what Java's option `-cp` takes. Does nothing when it is
/// there already.
pub(crate) fn fetch(workspace: &Workspace) -> Result<(), ChoreError> {
    let directory = workspace.jacorb_peers();
    let classpath = directory.join("classpath");
    let project = directory.join("pom.xml");
    let file_error = |source| ChoreError::File {
        path: directory.clone(),
        source,
    };
    let is_current = fs::read_to_string(&project).is_ok_and(|text| text == PROJECT);
    if is_current && classpath.is_file() {
        return Ok(());
    }
    if directory.exists() {
        fs::remove_dir_all(&directory).map_err(file_error)?;
    }
    fs::create_dir_all(&directory).map_err(file_error)?;
    fs::write(&project, PROJECT).map_err(file_error)?;
    let mut maven = Command::new("mvn");
    maven.args(["--quiet", "--batch-mode", "dependency:copy-dependencies"]);
    maven.arg("-DoutputDirectory=.").current_dir(&directory);
    command::run(&mut maven)?;

    let jars: Vec<_> = files_with_suffix(&directory, "jar")?
        .iter()
        .map(|jar| jar.display().to_string())
        .collect();
    fs::write(&classpath, jars.join(":")).map_err(file_error)
}

/// Builds the peers into `target/peers/jacorb/classes`, when a source of theirs
/// has changed: the stubs and skeletons with JacORB's IDL compiler, and all with
/// Java's. The jars must be there.
pub(crate) fn build(workspace: &Workspace) -> Result<(), ChoreError> {
    let directory = workspace.jacorb_peers();
    let classes = directory.join("classes");
    let stubs = directory.join("stubs");
    // Written last, so that nothing half-made looks fresh.
    let built = directory.join("built");
    let classpath = directory.join("classpath");
    let idl = IDL.map(|file| workspace.path(file));
    let sources = files_with_suffix(&workspace.path(SOURCES), "java")?;
    let this = workspace.path("xtask/src/jacorb.rs");
    let inputs = sources.iter().chain(&idl).chain([&this, &classpath]);
    if is_fresh(&built, inputs) {
        println!("The peers in {} were up to date.", directory.display());
        return Ok(());
    }
    for directory in [&classes, &stubs] {
        let file_error = |source| ChoreError::File {
            path: directory.clone(),
            source,
        };
        if directory.exists() {
            fs::remove_dir_all(directory).map_err(file_error)?;
        }
        fs::create_dir(directory).map_err(file_error)?;
    }
    let jars = fs::read_to_string(&classpath).map_err(|source| ChoreError::File {
        path: classpath.clone(),
        source,
    })?;
    let mut compiler = Command::new("java");
    compiler.args(["-cp", &jars, "org.jacorb.idl.parser", "-DJACORB"]);
    command::run(compiler.arg("-d").arg(&stubs).args(&idl))?;
    let mut javac = Command::new("javac");
    javac.args(["-nowarn", "-encoding", "UTF-8", "-cp", &jars]);
    // It finds the stubs by the names of their classes.
    javac.arg("-sourcepath").arg(&stubs);
    command::run(javac.arg("-d").arg(&classes).args(&sources))?;
    build_repository(workspace, &jars)?;
    fs::write(&built, "").map_err(|source| ChoreError::File {
        path: built.clone(),
        source,
    })?;
    println!("The peers in {} are built.", directory.display());
    Ok(())
}

/// Builds the classes of which JacORB's interface repository reads the IDL, in a directory of their
/// own: it ends at IDL of ours that it does not understand.
fn build_repository(workspace: &Workspace, jars: &str) -> Result<(), ChoreError> {
    let directory = workspace.jacorb_peers().join("repository");
    let file_error = |source| ChoreError::File {
        path: directory.clone(),
        source,
    };
    if directory.exists() {
        fs::remove_dir_all(&directory).map_err(file_error)?;
    }
    fs::create_dir(&directory).map_err(file_error)?;
    let mut compiler = Command::new("java");
    compiler.args(["-cp", jars, "org.jacorb.idl.parser", "-ir", "-DJACORB"]);
    let idl = workspace.path("interop/idl/session_test.idl");
    command::run(compiler.arg("-d").arg(&directory).arg(idl))?;
    // Its module of IDL is a package.
    let sources = files_with_suffix(&directory.join("sessions"), "java")?;
    let mut javac = Command::new("javac");
    javac.args(["-nowarn", "-encoding", "UTF-8", "-cp", jars]);
    javac.arg("-sourcepath").arg(&directory);
    command::run(javac.arg("-d").arg(&directory).args(sources))
}

/// The files in a directory whose names end so, sorted.
fn files_with_suffix(directory: &Path, suffix: &str) -> Result<Vec<PathBuf>, ChoreError> {
    let file_error = |source| ChoreError::File {
        path: directory.to_path_buf(),
        source,
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(file_error)? {
        let path = entry.map_err(file_error)?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == suffix)
        {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
