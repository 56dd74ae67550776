//! Building the programs that run on other ORBs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{self, ChoreError};
use crate::freshness::is_fresh;
use crate::workspace::Workspace;
use crate::{corpus, debian_packages, jacorb};

/// Where the sources of the peers that use omniORB lie.
const SOURCES: &str = "interop/peers/omniorb";

/// An IDL file and the programs that use it, by their names without suffix.
struct Interface {
    idl: &'static str,
    stem: &'static str,
    /// The options of omniidl besides those that all have.
    options: &'static [&'static str],
    programs: &'static [&'static str],
}

const INTERFACES: &[Interface] = &[
    Interface {
        idl: "interop/idl/param_test.idl",
        stem: "param_test",
        options: &[],
        programs: &["param_server", "param_client"],
    },
    Interface {
        idl: "interop/idl/context_test.idl",
        stem: "context_test",
        options: &[],
        programs: &["context_server", "context_client"],
    },
    Interface {
        idl: "interop/idl/construct_test.idl",
        stem: "construct_test",
        options: &[],
        programs: &["construct_server", "construct_client"],
    },
    Interface {
        idl: "interop/idl/any_test.idl",
        stem: "any_test",
        options: &[],
        programs: &["any_server"],
    },
    Interface {
        idl: "interop/idl/session_test.idl",
        stem: "session_test",
        options: &[],
        programs: &["session_server", "session_client"],
    },
    Interface {
        idl: "interop/idl/ami_test.idl",
        stem: "ami_test",
        options: &["-Wbami"],
        programs: &["ami_peer"],
    },
    Interface {
        idl: "bench/idl/ping.idl",
        stem: "ping",
        // The asynchronous operations of `async_client`.
        options: &["-Wbami"],
        programs: &[
            "ping_server",
            "ping_client",
            "async_client",
            "periodic_client",
            "interface_client",
            "interceptor_server",
            "interceptor_client",
        ],
    },
    Interface {
        idl: "bench/idl/scalability.idl",
        stem: "scalability",
        options: &[],
        programs: &["scalability_server", "scalability_client"],
    },
    Interface {
        idl: "bench/idl/collocation.idl",
        stem: "collocation",
        // Without, a POA's policy to that effect is of no use.
        options: &["-Wbshortcut"],
        programs: &["collocation_client"],
    },
    Interface {
        idl: "bench/idl/table.idl",
        stem: "table",
        options: &[],
        programs: &[
            "table_server",
            "table_client",
            "table_dynamic_server",
            "table_dynamic_client",
        ],
    },
    Interface {
        idl: "services/scheduling/idl/RtecScheduler.idl",
        stem: "RtecScheduler",
        // One set of stubs for all that it includes, with the times of Taut's own file: omniORB's
        // refers to a library.
        options: &["-Wbinline", "-Icrates/taut-idl/src/built_in"],
        programs: &["scheduler_client"],
    },
    Interface {
        idl: "interop/idl/bridge.idl",
        stem: "bridge",
        options: &[],
        programs: &["bridge_server"],
    },
    Interface {
        idl: "interop/idl/value_types.idl",
        stem: "value_types",
        options: &[],
        programs: &["value_server", "value_client"],
    },
];

/// Installs what is missing, builds the peers of both ORBs, and fetches JacORB
/// and the corpus.
pub(crate) fn run(workspace: &Workspace) -> Result<(), ChoreError> {
    debian_packages::install_missing()?;
    build(workspace)?;
    jacorb::fetch(workspace)?;
    jacorb::build(workspace)?;
    corpus::fetch(workspace)
}

/// Builds the peers, as far as something that they are made of has changed.
pub(crate) fn build(workspace: &Workspace) -> Result<(), ChoreError> {
    let output = workspace.omniorb_peers();
    fs::create_dir_all(&output).map_err(|source| ChoreError::File {
        path: output.clone(),
        source,
    })?;
    let mut builder = Builder {
        // This file says how things are built, so all depends on it.
        common: vec![workspace.path("xtask/src/peers.rs")],
        output,
        made: 0,
    };
    let headers = headers(&workspace.path(SOURCES))?;
    for interface in INTERFACES {
        builder.build_interface(workspace, interface, &headers)?;
    }
    let state = match builder.made {
        0 => "were up to date".to_owned(),
        made => format!("are built ({made} files made)"),
    };
    println!("The peers in {} {state}.", builder.output.display());
    Ok(())
}

struct Builder {
    common: Vec<PathBuf>,
    output: PathBuf,
    made: usize,
}

impl Builder {
    fn build_interface(
        &mut self,
        workspace: &Workspace,
        interface: &Interface,
        headers: &[PathBuf],
    ) -> Result<(), ChoreError> {
        let idl = workspace.path(interface.idl);
        let header = self.output.join(format!("{}.hh", interface.stem));
        let stubs = self.output.join(format!("{}SK.cc", interface.stem));
        self.make(&stubs, std::slice::from_ref(&idl), |directory| {
            let mut command = Command::new("omniidl");
            command.args(["-bcxx", "-Wba", "-Wbuse_quotes"]);
            // Directories among the options are below the root.
            command.current_dir(workspace.path(""));
            command.args(interface.options);
            command.arg("-C").arg(directory).arg(&idl);
            command
        })?;

        let mut generated = Vec::new();
        // The stubs and skeletons, and what Anys need.
        for part in ["SK", "DynSK"] {
            let part = format!("{}{part}", interface.stem);
            let source = self.output.join(&part).with_extension("cc");
            let object = source.with_extension("o");
            self.compile(&source, &object, std::slice::from_ref(&header))?;
            generated.push(object);
        }
        for program in interface.programs {
            let source = workspace.path(&format!("{SOURCES}/{program}.cc"));
            let object = self.output.join(format!("{program}.o"));
            let mut included = headers.to_vec();
            included.push(header.clone());
            self.compile(&source, &object, &included)?;

            let mut objects = generated.clone();
            objects.push(object);
            let executable = self.output.join(program);
            self.make(&executable, &objects, |directory| {
                let mut command = Command::new("g++");
                command
                    .args(&objects)
                    .arg("-o")
                    .arg(directory.join(program));
                command.args(["-lomniORB4", "-lomniDynamic4", "-lomnithread", "-pthread"]);
                command
            })?;
        }
        Ok(())
    }

    fn compile(
        &mut self,
        source: &Path,
        object: &Path,
        included: &[PathBuf],
    ) -> Result<(), ChoreError> {
        let mut inputs = included.to_vec();
        inputs.push(source.to_path_buf());
        let generated = self.output.clone();
        self.make(object, &inputs, |directory| {
            let mut command = Command::new("g++");
            command.args(["-std=c++17", "-O2", "-Wall", "-Wextra", "-pthread"]);
            // System headers, for warnings in generated code help nobody.
            command.arg("-isystem").arg(&generated);
            command.arg("-c").arg(source).arg("-o");
            command.arg(directory.join(object.file_name().unwrap_or_default()));
            command
        })
    }

    /// Runs a command when `output` is older than an input. The command writes
    /// into the directory that it is given; what it leaves there is moved into
    /// place only when it succeeds, so that no half-made file looks fresh.
    fn make(
        &mut self,
        output: &Path,
        inputs: &[PathBuf],
        command: impl FnOnce(&Path) -> Command,
    ) -> Result<(), ChoreError> {
        if is_fresh(output, self.common.iter().chain(inputs)) {
            return Ok(());
        }
        let partial = self.output.join("partial");
        let file_error = |source| ChoreError::File {
            path: partial.clone(),
            source,
        };
        if partial.exists() {
            fs::remove_dir_all(&partial).map_err(file_error)?;
        }
        fs::create_dir(&partial).map_err(file_error)?;
        command::run(&mut command(&partial))?;
        for entry in fs::read_dir(&partial).map_err(file_error)? {
            let entry = entry.map_err(file_error)?;
            fs::rename(entry.path(), self.output.join(entry.file_name())).map_err(file_error)?;
            self.made += 1;
        }
        fs::remove_dir(&partial).map_err(file_error)
    }
}

/// The headers that the sources in a directory may include.
fn headers(directory: &Path) -> Result<Vec<PathBuf>, ChoreError> {
    let file_error = |source| ChoreError::File {
        path: directory.to_path_buf(),
        source,
    };
    let mut headers = Vec::new();
    for entry in fs::read_dir(directory).map_err(file_error)? {
        let path = entry.map_err(file_error)?.path();
        if path.extension().is_some_and(|extension| extension == "h") {
            headers.push(path);
        }
    }
    Ok(headers)
}
