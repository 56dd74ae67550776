//! How large generated stubs and skeletons are, marshaled by code and by table
//! (E5 of the TAO papers).

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use object::{Object as _, ObjectSymbol as _, SymbolKind};

use crate::command::{self, ChoreError};
use crate::workspace::Workspace;

const PACKAGE: &str = "taut-code-size";

/// The size of tables as a share of the size of code, in hundredths, on average: the most
/// that is allowed.
const STUBS_MAX: f64 = 40.0;
const SKELETONS_MAX: f64 = 60.0;

const METHOD: &str = "\
Octets, of the symbols of a release build with fat LTO (target/code-size). A stub is
the method of the reference with its closures, a skeleton the function that serves
the operation, for a servant behind a trait object. Tables and operations' names are
counted. Code of types is not attributed to operations, although each operation with
structs needs it; it has its own rows, tables included. What both strategies share
of the run-time, and relocations, are not counted; nor are closures' vtables, which
only compiled stubs have.";

/// A function of the program.
struct Function {
    name: String,
    size: u64,
}

/// The octets of an operation's stub and skeleton.
#[derive(Default, Clone, Copy)]
struct Weight {
    stub: u64,
    skeleton: u64,
}

/// The sizes that the program prints of its tables: `operation <name> <octets>` and `type
/// <name> <octets>`.
struct Tables {
    operations: Vec<(String, u64)>,
    types: Vec<(String, u64)>,
}

/// Builds the program, weighs it and prints what was found.
pub(crate) fn run(workspace: &Workspace, check: bool) -> Result<(), ChoreError> {
    let directory = workspace.build_directory("code-size");
    let mut build = workspace.cargo(&["build", "--release", "--package", PACKAGE, "--target-dir"]);
    build.arg(&directory);
    // Names that tell the types that generic code was made for.
    build.env("RUSTFLAGS", "-Csymbol-mangling-version=v0");
    command::run(&mut build)?;
    let program = directory.join("release").join(PACKAGE);
    let tables = tables(&program)?;
    let functions = functions(&program)?;

    let (mut stubs, mut skeletons) = (Vec::new(), Vec::new());
    println!("\n{METHOD}\n");
    println!(
        "{:<22} {:>8} {:>12} {:>5}  {:>8} {:>12} {:>5}",
        "operation", "stub", "by table", "%", "skeleton", "by table", "%"
    );
    for (operation, table) in &tables.operations {
        let mut compiled = weigh(&functions, "compiled", operation);
        let mut interpretive = weigh(&functions, "interpretive", operation);
        if [
            compiled.stub,
            compiled.skeleton,
            interpretive.stub,
            interpretive.skeleton,
        ]
        .contains(&0)
        {
            let what = format!("no code was found for the operation {operation}");
            return Err(ChoreError::Program {
                path: program,
                what,
            });
        }
        compiled.stub += operation.len() as u64;
        interpretive.stub += table;
        interpretive.skeleton += table;
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole as f64;
        let stub = share(interpretive.stub, compiled.stub);
        let skeleton = share(interpretive.skeleton, compiled.skeleton);
        stubs.push(stub);
        skeletons.push(skeleton);
        println!(
            "{operation:<22} {:>8} {:>12} {stub:>5.1}  {:>8} {:>12} {skeleton:>5.1}",
            compiled.stub, interpretive.stub, compiled.skeleton, interpretive.skeleton
        );
    }
    let mean = |shares: &[f64]| shares.iter().sum::<f64>() / shares.len() as f64;
    let (stubs, skeletons) = (mean(&stubs), mean(&skeletons));
    println!("{:<22} {:>28.1} {:>29.1}\n", "average", stubs, skeletons);
    print!("{}", rest(&functions, &tables));

    let too_large = stubs > STUBS_MAX || skeletons > SKELETONS_MAX;
    if check && too_large {
        let what = format!(
            "by table, stubs may take {STUBS_MAX} % and skeletons {SKELETONS_MAX} % of what \
             compiled ones take, on average; they take {stubs:.1} % and {skeletons:.1} %"
        );
        return Err(ChoreError::TooLarge { what });
    }
    Ok(())
}

/// The code of an operation in a strategy.
fn weigh(functions: &[Function], strategy: &str, operation: &str) -> Weight {
    let mut weight = Weight::default();
    for function in functions {
        if mentions(
            &function.name,
            strategy,
            &format!("ParamTest>::{operation}"),
        ) {
            weight.stub += function.size;
        } else if mentions(&function.name, strategy, &format!("::dispatch_{operation}")) {
            weight.skeleton += function.size;
        }
    }
    weight
}

/// The code and the tables that belong to no operation, and the sums.
fn rest(functions: &[Function], tables: &Tables) -> String {
    let mut text = String::new();
    for strategy in ["compiled", "interpretive"] {
        let of_strategy = format!("{}::{strategy}::", crate_name());
        let is_operation =
            |name: &str| name.contains("ParamTest>::") || name.contains("::dispatch_");
        let (operations, types): (Vec<_>, Vec<_>) = functions
            .iter()
            .filter(|function| function.name.contains(&of_strategy))
            .partition(|function| is_operation(&function.name));
        let _ = writeln!(text, "code of types, {strategy}:");
        for function in &types {
            let name = function.name.replace(&of_strategy, "");
            let _ = writeln!(text, "  {:>6}  {name}", function.size);
        }
        let mut total: u64 = operations.iter().chain(&types).map(|f| f.size).sum();
        if strategy == "interpretive" {
            for (name, size) in &tables.types {
                let _ = writeln!(text, "  {size:>6}  table of {name}");
            }
            let tables = tables.operations.iter().chain(&tables.types);
            total += tables.map(|(_, size)| size).sum::<u64>();
        }
        let _ = writeln!(text, "  {total:>6}  in all, with stubs and skeletons\n");
    }
    text
}

/// Whether a function's name has the text, in the strategy's module, and no
/// longer identifier in its place.
fn mentions(name: &str, strategy: &str, text: &str) -> bool {
    let module = format!("{}::{strategy}::", crate_name());
    name.contains(&module)
        && name.match_indices(text).any(|(start, _)| {
            let behind = name[start + text.len()..].chars().next();
            behind.is_none_or(|next| !next.is_alphanumeric() && next != '_')
        })
}

fn crate_name() -> String {
    PACKAGE.replace('-', "_")
}

fn functions(program: &Path) -> Result<Vec<Function>, ChoreError> {
    let data = fs::read(program).map_err(|source| ChoreError::File {
        path: program.to_path_buf(),
        source,
    })?;
    let file = object::File::parse(&*data).map_err(|error| ChoreError::Program {
        path: program.to_path_buf(),
        what: error.to_string(),
    })?;
    let symbols = file.symbols();
    let functions = symbols.filter(|symbol| symbol.kind() == SymbolKind::Text);
    Ok(functions
        .filter_map(|symbol| {
            let name = rustc_demangle::demangle(symbol.name().ok()?);
            Some(Function {
                name: format!("{name:#}"),
                size: symbol.size(),
            })
        })
        .collect())
}

fn tables(program: &Path) -> Result<Tables, ChoreError> {
    let output = Command::new(program)
        .output()
        .map_err(|source| ChoreError::Start {
            command: program.display().to_string(),
            source,
        })?;
    let mut tables = Tables {
        operations: Vec::new(),
        types: Vec::new(),
    };
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let words: Vec<_> = line.split_whitespace().collect();
        let (list, name, size) = match words.as_slice() {
            ["operation", name, size] => (&mut tables.operations, name, size),
            ["type", name, size] => (&mut tables.types, name, size),
            _ => continue,
        };
        list.push(((*name).to_owned(), size.parse().unwrap_or(0)));
    }
    if tables.operations.is_empty() {
        return Err(ChoreError::Program {
            path: program.to_path_buf(),
            what: "it does not tell its tables".to_owned(),
        });
    }
    Ok(tables)
}
