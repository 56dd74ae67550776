//! Makes Rust of the IDL that the benchmarks call through.

use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

use taut_build::{Config, Marshaling};

/// Interfaces of operations that do nothing, and how many each has.
const INTERFACES: [(&str, usize); 4] = [
    ("One", 1),
    ("Ten", 10),
    ("Hundred", 100),
    ("Thousand", 1_000),
];

fn main() -> Result<(), Box<dyn Error>> {
    for stem in ["collocation", "param_test", "ping", "scalability", "table"] {
        taut_build::compile(&[format!("idl/{stem}.idl")])?;
    }

    for stem in ["param_test", "table"] {
        Config::new()
            .output(format!("{stem}_interpretive"))
            .marshaling(Marshaling::Interpretive)
            .compile(&[format!("idl/{stem}.idl")])?;
    }

    let out = PathBuf::from(env::var("OUT_DIR")?);
    let idl = out.join("operations.idl");
    fs::write(&idl, operations_idl()?)?;
    taut_build::compile(&[idl])?;
    fs::write(out.join("operations_servants.rs"), servants()?)?;
    Ok(())
}

/// The interfaces in IDL.
fn operations_idl() -> Result<String, std::fmt::Error> {
    let mut idl = String::from("#pragma prefix \"taut.test\"\nmodule demux {\n");
    for (name, count) in INTERFACES {
        writeln!(idl, "  interface {name} {{")?;
        for number in 0..count {
            writeln!(idl, "    void operation_{number:03} ();")?;
        }
        writeln!(idl, "  }};")?;
    }
    idl += "};\n";
    Ok(idl)
}

/// The servants' methods.
fn servants() -> Result<String, std::fmt::Error> {
    let mut rust = String::new();
    for (name, count) in INTERFACES {
        writeln!(rust, "impl {name} for Nothing {{")?;
        for number in 0..count {
            writeln!(
                rust,
                "    fn operation_{number:03}(&self) -> taut::Result<()> {{ \
                 black_box({number}); Ok(()) }}"
            )?;
        }
        writeln!(rust, "}}\n")?;
    }
    Ok(rust)
}
