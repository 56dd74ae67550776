//! JacORB's jars, from which it is started as a peer.

use std::fs;
use std::process::Command;

use crate::command::{self, ChoreError};
use crate::workspace::Workspace;

/// What JacORB and its IDL compiler need to run on a Java that has no CORBA of
/// its own. The last is left without its own dependencies, one of which is a
/// JacORB that no repository has.
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

    let mut jars = Vec::new();
    for entry in fs::read_dir(&directory).map_err(file_error)? {
        let path = entry.map_err(file_error)?.path();
        if path.extension().is_some_and(|extension| extension == "jar") {
            jars.push(path.display().to_string());
        }
    }
    jars.sort();
    fs::write(&classpath, jars.join(":")).map_err(file_error)
}
