//! Makes Rust of the IDL that both sides of a test agree on, and of the code
//! generator's test data in both marshaling strategies.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use taut_build::{Answering, Config, Dispatch, GenerateOptions, Marshaling};

/// Test data with value types, which are nothing without code of their user's if they are
/// custom, and do not travel by themselves. In tables, value types are entries that call
/// their code.
const NEEDS_CODE: [&str; 3] = ["every_place", "values", "mapping_values"];

#[allow(
    dead_code,
    unreachable_pub,
    reason = "the library has the same module for tests"
)]
#[path = "src/random_idl/mod.rs"]
mod random_idl;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> Outcome {
    for stem in [
        "param_test",
        "construct_test",
        "value_types_more",
        "context_test",
    ] {
        let idl = format!("idl/{stem}.idl");
        let config = || match stem {
            // Beside the servant that answers at once there is one that does not.
            "param_test" => Config::new()
                .async_servants(["interop::Param_Test"])
                .answering_of("interop::Param_Test::raise_user", Answering::Responder)
                .answering_of("interop::Param_Test::echo", Answering::Responder)
                .answering_of("interop::Param_Test::call_back", Answering::AtOnce),
            _ => Config::new(),
        };
        config().compile(&[&idl])?;
        config()
            .output(format!("{stem}_interpretive"))
            .marshaling(Marshaling::Interpretive)
            .compile(&[&idl])?;
    }
    for (name, dispatch) in [
        ("perfect_hash", Dispatch::PerfectHash),
        ("binary_search", Dispatch::BinarySearch),
        ("dynamic_hash", Dispatch::DynamicHash),
        ("linear", Dispatch::Linear),
    ] {
        Config::new()
            .output(format!("handle_test_{name}"))
            .dispatch(dispatch)
            .compile(&["idl/handle_test.idl"])?;
    }
    Config::new().views().compile(&["idl/bulk_test.idl"])?;
    for idl in [
        "../bench/idl/ping.idl",
        "idl/any_test.idl",
        "idl/session_test.idl",
        "idl/sink.idl",
    ] {
        taut_build::compile(&[idl])?;
    }
    Config::new()
        .ami(["ami_test"])
        .compile(&["idl/ami_test.idl"])?;
    let operations = ["test_double", "test_unbounded_string", "raise_user"];
    Config::new()
        .output("param_test_ami")
        .ami(operations.map(|operation| format!("interop::Param_Test::{operation}")))
        .compile(&["idl/param_test.idl"])?;
    random_code()?;
    generated_code()
}

/// Writes the Rust of random IDL in both strategies, and the list of its interfaces.
fn random_code() -> Outcome {
    println!("cargo::rerun-if-env-changed=TAUT_RANDOM_IDL_SEED");
    println!("cargo::rerun-if-env-changed=TAUT_RANDOM_IDL_COMPILED");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
    let mut idl = String::new();
    let mut list = String::new();
    for file in random_idl::File::compiled()? {
        idl += &file.idl();
        for name in file.interfaces() {
            writeln!(
                list,
                "        {name:?} => Some(pass_on(poa, next.narrow::<{name}Ref>(), {name}Skeleton::new)),"
            )?;
        }
    }
    let file = out.join("random_idl.idl");
    fs::write(&file, idl)?;
    let list = format!(
        "/// Makes an object of an interface, by its name, that passes requests on. None if there \
         are no stubs of it.\n\
         pub(crate) fn activate(\n    name: &str,\n    poa: &taut::Poa,\n    \
         next: &taut::ObjectRef,\n) -> Option<Result<taut::ObjectRef, String>> {{\n    \
         match name {{\n{list}        _ => None,\n    }}\n}}\n"
    );
    fs::write(out.join("random_idl_interfaces.rs"), list)?;
    Config::new().compile(&[&file])?;
    let interpretive = Config::new().output("random_idl_interpretive");
    Ok(interpretive
        .marshaling(Marshaling::Interpretive)
        .compile(&[&file])?)
}

/// Puts the generator's test data into a directory for each strategy, for the tests'
/// module `generated`, and writes the list of its types.
fn generated_code() -> Outcome {
    let data = Path::new("../crates/taut-build/tests/data");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
    let (compiled, interpretive) = (
        out.join("generated_code"),
        out.join("generated_code_interpretive"),
    );
    fs::create_dir_all(&compiled)?;
    fs::create_dir_all(&interpretive)?;
    println!("cargo::rerun-if-changed={}", data.display());
    let mut types = String::new();
    let mut modules = String::new();
    let mut files: Vec<PathBuf> = fs::read_dir(data)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.sort();
    for idl in files {
        let Some(stem) = idl.file_stem().and_then(|stem| stem.to_str()) else {
            continue;
        };
        if idl.extension().is_none_or(|extension| extension != "idl") {
            continue;
        }
        let snapshot = fs::read_to_string(idl.with_extension("rs"))?;
        fs::write(compiled.join(format!("{stem}.rs")), &snapshot)?;
        fs::write(interpretive.join(format!("{stem}.rs")), by_table(&idl)?)?;
        if NEEDS_CODE.contains(&stem) {
            continue;
        }
        writeln!(modules, "    {stem}")?;
        for path in types_in(&syn::parse_file(&snapshot)?.items, stem) {
            writeln!(types, "    {path}")?;
        }
    }
    let lists = format!(
        "macro_rules! for_each_module {{ ($handler:ident) => {{ $handler! {{\n{modules}}} }} }}\n\
         macro_rules! for_each_type {{ ($handler:ident) => {{ $handler! {{\n{types}}} }} }}\n"
    );
    Ok(fs::write(out.join("types.rs"), lists)?)
}

/// The Rust of a file, all of it marshaled by table, with the options that stand
/// in the IDL as the snapshots have them.
fn by_table(idl: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let mut generation = GenerateOptions::default();
    generation.marshaling = Marshaling::Interpretive;
    let text = fs::read_to_string(idl)?;
    for line in text.lines().filter_map(|line| line.strip_prefix("//! ")) {
        generation.generate_standard_modules |= line == "standard";
        let (options, name, value) = match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["rename", name, value] => (&mut generation.renames, name, value),
            ["extern", name, value] => (&mut generation.extern_modules, name, value),
            ["native", name, value] => (&mut generation.native_types, name, value),
            // Strategies.
            _ => continue,
        };
        options.insert(name.to_owned(), value.to_owned());
    }
    // Its warnings are the business of the snapshots.
    let compilation = taut_idl::compile(&[idl], &taut_idl::Options::default());
    if compilation.has_errors() {
        return Err(compilation.render(false).into());
    }
    let generated = taut_build::generate(&compilation.model, &generation);
    Ok(generated.map_err(|errors| taut_build::Error::generate(errors, &compilation.sources))?)
}

/// The paths of the types that have a TypeCode and can travel by themselves:
/// all but references.
fn types_in(items: &[syn::Item], module: &str) -> Vec<String> {
    let references: Vec<String> = items
        .iter()
        .filter_map(|item| match item {
            syn::Item::Macro(item) => {
                let is_reference = item.mac.path.segments.last()?.ident == "reference";
                let first = item.mac.tokens.clone().into_iter().next()?;
                is_reference.then(|| first.to_string())
            }
            _ => None,
        })
        .collect();
    items
        .iter()
        .flat_map(|item| match item {
            syn::Item::Mod(item) => {
                let inner = item.content.as_ref().map_or(&[][..], |(_, items)| items);
                types_in(inner, &format!("{module}::{}", item.ident))
            }
            syn::Item::Impl(item) => {
                let is_typed = item.trait_.as_ref().is_some_and(|(_, path, _)| {
                    path.segments
                        .last()
                        .is_some_and(|segment| segment.ident == "Typed")
                });
                match &*item.self_ty {
                    syn::Type::Path(ty) if is_typed => ty
                        .path
                        .get_ident()
                        .map(ToString::to_string)
                        .filter(|name| !references.contains(name))
                        .map(|name| format!("{module}::{name}"))
                        .into_iter()
                        .collect(),
                    _ => Vec::new(),
                }
            }
            _ => Vec::new(),
        })
        .collect()
}
