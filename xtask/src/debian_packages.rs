//! The packages that the peers need, and their installation.

use std::path::Path;
use std::process::Command;

use crate::command::{self, ChoreError, find_program};

/// A package under its Debian name, and how to see that it is installed. The
/// probes do not ask the package manager, so that other systems serve as well.
struct Package {
    name: &'static str,
    probe: Probe,
}

enum Probe {
    /// A program on the `PATH`.
    Program(&'static str),
    /// A file in one of these places.
    File(&'static [&'static str]),
}

const PACKAGES: &[Package] = &[
    Package {
        name: "g++",
        probe: Probe::Program("g++"),
    },
    Package {
        name: "omniorb",
        probe: Probe::Program("nameclt"),
    },
    Package {
        name: "omniidl",
        probe: Probe::Program("omniidl"),
    },
    Package {
        name: "omniorb-nameserver",
        probe: Probe::Program("omniNames"),
    },
    Package {
        name: "libomniorb4-dev",
        probe: Probe::File(&[
            "/usr/include/omniORB4/CORBA.h",
            "/usr/local/include/omniORB4/CORBA.h",
        ]),
    },
    Package {
        name: "omniorb-idl",
        probe: Probe::File(&[
            "/usr/share/idl/omniORB/Naming.idl",
            "/usr/local/share/idl/omniORB/Naming.idl",
        ]),
    },
    Package {
        name: "etcd-server",
        probe: Probe::Program("etcd"),
    },
    Package {
        name: "maven",
        probe: Probe::Program("mvn"),
    },
    Package {
        name: "default-jdk-headless",
        probe: Probe::Program("javac"),
    },
    Package {
        name: "strace",
        probe: Probe::Program("strace"),
    },
    Package {
        name: "tshark",
        probe: Probe::Program("tshark"),
    },
    Package {
        name: "groff-base",
        probe: Probe::Program("groff"),
    },
    Package {
        name: "iproute2",
        probe: Probe::Program("ip"),
    },
    Package {
        name: "systemd",
        probe: Probe::Program("systemd-analyze"),
    },
    Package {
        name: "valgrind",
        probe: Probe::Program("valgrind"),
    },
];

/// Installs what is missing. Needs the network only in that case.
pub(crate) fn install_missing() -> Result<(), ChoreError> {
    let packages = missing();
    if packages.is_empty() {
        println!("All packages are installed.");
        return Ok(());
    }
    run_apt_get(&packages, &["update"])?;
    let mut arguments = vec!["install", "--yes", "--no-install-recommends"];
    arguments.extend(&packages);
    run_apt_get(&packages, &arguments)?;
    let packages = missing();
    if packages.is_empty() {
        Ok(())
    } else {
        Err(ChoreError::NotInstalled { packages })
    }
}

/// The names of the packages that are not installed.
pub(crate) fn missing() -> Vec<&'static str> {
    PACKAGES
        .iter()
        .filter(|package| !package.probe.succeeds())
        .map(|package| package.name)
        .collect()
}

impl Probe {
    fn succeeds(&self) -> bool {
        match self {
            Self::Program(name) => find_program(name).is_some(),
            Self::File(places) => places.iter().any(|place| Path::new(place).is_file()),
        }
    }
}

fn run_apt_get(packages: &[&'static str], arguments: &[&str]) -> Result<(), ChoreError> {
    let refuse = |why| ChoreError::Missing {
        packages: packages.to_vec(),
        why,
    };
    if find_program("apt-get").is_none() {
        return Err(refuse("this system has no apt-get"));
    }
    let mut command = if is_root() {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive");
        command
    } else if find_program("sudo").is_some() {
        // Never ask for a password: nobody may be there to type it.
        let mut command = Command::new("sudo");
        command.args(["-n", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
        command
    } else {
        return Err(refuse(
            "installing takes root's rights, and there is no sudo",
        ));
    };
    command::run(command.args(arguments))
}

fn is_root() -> bool {
    Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
