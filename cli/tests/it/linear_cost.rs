//! The cost of IDL grows with its length and no faster: ten times the
//! declarations take at most twelve times the instructions, counted by
//! valgrind. Without valgrind this is left out.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;
use std::process::Command;

use tempfile::TempDir;
use test_tools::{CountError, InstructionCounter, beyond_linear};

/// Makes IDL with so many declarations of a kind.
type Source = fn(usize) -> String;

/// One text for each number up to `count`.
fn each(count: usize, text: impl Fn(usize) -> String) -> String {
    (0..count).map(text).collect()
}

fn joined(count: usize, between: &str, text: impl Fn(usize) -> String) -> String {
    let parts: Vec<String> = (0..count).map(text).collect();
    parts.join(between)
}

/// Sources that the compiler only has to read and check.
const CHECKED: &[(&str, Source)] = &[
    ("constants", |count| {
        let others = each(count, |i| format!("const long C{i} = C + {i};\n"));
        format!("const long C = 1;\n{others}")
    }),
    ("terms of an expression", |count| {
        format!(
            "const long C = {};",
            joined(count, " + ", |_| "1".to_owned())
        )
    }),
    ("strings behind each other", |count| {
        format!(
            "const string C = {};",
            joined(count, " ", |_| "\"abc\"".to_owned())
        )
    }),
    ("typedefs of typedefs", |count| {
        let others = each(count, |i| format!("typedef T{i} T{};\n", i + 1));
        format!("typedef long T0;\n{others}")
    }),
    ("members of a struct", |count| {
        format!(
            "struct S {{\n{}}};",
            each(count, |i| format!("long m{i};\n"))
        )
    }),
    ("enumerators", |count| {
        format!("enum E {{ {} }};", joined(count, ", ", |i| format!("A{i}")))
    }),
    ("labels of a branch", |count| {
        let labels = each(count, |i| format!("case {i}: "));
        format!("union U switch (long) {{ {labels} long a; default: long b; }};")
    }),
    ("forward declarations of structs", |count| {
        let declared = each(count, |i| format!("struct S{i};\n"));
        let defined = each(count, |i| format!("struct S{i} {{ sequence<S{i}> a; }};\n"));
        declared + &defined
    }),
    ("parts of a module", |count| {
        each(count, |i| format!("module M {{ typedef long T{i}; }};\n"))
    }),
    ("macros", |count| {
        let defined = each(count, |i| format!("#define N{i} ({i})\n"));
        defined + &each(count, |i| format!("const long C{i} = N{i};\n"))
    }),
    ("parameters of a macro", |count| {
        let names = joined(count, ", ", |i| format!("p{i}"));
        let body = joined(count, " + ", |i| format!("p{i}"));
        let values = joined(count, ", ", |_| "1".to_owned());
        format!("#define M({names}) {body}\nconst long C = M({values});\n")
    }),
    ("conditions", |count| {
        each(count, |i| {
            format!("#ifdef A\nnonsense\n#else\ntypedef long T{i};\n#endif\n")
        })
    }),
    ("pragmas", |count| {
        each(count, |i| {
            format!("typedef long T{i};\n#pragma ID T{i} \"IDL:x/T{i}:2.0\"\n")
        })
    }),
    ("exceptions that an operation raises", |count| {
        let exceptions = each(count, |i| format!("exception X{i} {{}};\n"));
        let raised = joined(count, ", ", |i| format!("X{i}"));
        format!("{exceptions}interface I {{ void f() raises ({raised}); }};")
    }),
    ("parameters", |count| {
        let parameters = joined(count, ", ", |i| format!("in long p{i}"));
        format!("interface I {{ void f({parameters}); }};")
    }),
    ("lines of comments", |count| {
        each(count, |i| format!("// Line {i}\n")) + "typedef long T;\n"
    }),
    ("files that include another", |count| {
        each(count, |_| "#include \"included.idl\"\n".to_owned())
    }),
    ("interfaces that inherit from one another", |count| {
        let types = "typedef long T;\ninterface I0 { typedef long U; void f0 (in T a); };\n";
        let derived = |i| {
            let base = i - 1;
            format!("interface I{i} : I{base} {{ void f{i} (in T a, in U b); }};\n")
        };
        types.to_owned() + &(1..count).map(derived).collect::<String>()
    }),
    ("interfaces with many bases", |count| {
        let bases = each(count, |i| format!("interface I{i} {{ void f{i} (); }};\n"));
        let names = joined(count, ", ", |i| format!("I{i}"));
        let features = each(count, |i| format!("void g{i} ();\n"));
        format!("{bases}interface J : {names} {{\n{features}}};\n")
    }),
    ("values that inherit from one another", |count| {
        let derived = |i| {
            let base = i - 1;
            format!("valuetype V{i} : V{base} {{ private long m{i}; }};\n")
        };
        let first = "valuetype V0 { private long m0; };\n".to_owned();
        first + &(1..count).map(derived).collect::<String>()
    }),
    ("labels that are enumerators", |count| {
        let enumerators = joined(count, ", ", |i| format!("A{i}"));
        let labels = each(count, |i| format!("case A{i}: "));
        format!("enum E {{ {enumerators}, B }};\nunion U switch (E) {{ {labels} long a; }};")
    }),
    ("prefixes of types", |count| {
        let modules = each(count, |i| format!("module M{i} {{ typedef long T; }};\n"));
        modules + &each(count, |i| format!("typeprefix M{i} \"x\";\n"))
    }),
];

/// Files of which each includes the next, so many of them deep.
fn including(directory: &TempDir, deep: usize) -> String {
    for i in 0..deep {
        let next = match i + 1 < deep {
            true => format!("#include \"deep{}.idl\"\n", i + 1),
            false => String::new(),
        };
        let file = directory.path().join(format!("deep{i}.idl"));
        let text = format!("#ifndef DEEP{i}\n#define DEEP{i}\n{next}typedef long D{i};\n#endif\n");
        fs::write(file, text).unwrap();
    }
    "#include \"deep0.idl\"\n".to_owned()
}

/// Sources that also become Rust.
const GENERATED: &[(&str, Source)] = &[
    ("modules", |count| {
        each(count, |i| format!("module M{i} {{ typedef long T; }};\n"))
    }),
    ("operations", |count| {
        let operations = each(count, |i| format!("long f{i} (in long a, in string b);\n"));
        format!("interface I {{\n{operations}}};")
    }),
    ("interfaces", |count| {
        each(count, |i| {
            format!("interface I{i} {{ void f (in long a); }};\n")
        })
    }),
    ("bases", |count| {
        // The inherited part of an interface is part of its Rust: chains of the same length
        // are compared.
        each(count, |i| {
            let base = if i % 4 > 0 {
                format!(" : I{}", i - 1)
            } else {
                String::new()
            };
            format!("interface I{i}{base} {{ void f{i} (); }};\n")
        })
    }),
    ("structs", |count| {
        each(count, |i| format!("struct S{i} {{ long a; string b; }};\n"))
    }),
    ("enums", |count| {
        each(count, |i| format!("enum E{i} {{ A{i}, B{i} }};\n"))
    }),
    ("branches of a union", |count| {
        let branches = each(count, |i| format!("case {i}: long m{i};\n"));
        format!("union U switch (long) {{\n{branches}}};")
    }),
    ("exceptions", |count| {
        each(count, |i| format!("exception X{i} {{ long a; }};\n"))
    }),
    ("forward declarations", |count| {
        let declared = each(count, |i| format!("interface I{i};\n"));
        let defined = each(count, |i| {
            format!("interface I{i} {{ void f (in I{i} a); }};\n")
        });
        declared + &defined
    }),
];

/// How many instructions the command takes.
fn instructions(
    counter: &InstructionCounter,
    directory: &TempDir,
    arguments: &[&str],
    source: &str,
) -> Result<u64, CountError> {
    let file = directory.path().join("main.idl");
    fs::write(&file, source).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_taut"));
    command.args(arguments).arg(&file);
    counter.count(&command)
}

fn assert_linear(command: &[&str], kinds: &[(&str, Source)], count: usize) {
    let Some(counter) = InstructionCounter::find() else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    fs::write(
        directory.path().join("included.idl"),
        "#pragma once\ntypedef long T;\n",
    )
    .unwrap();
    let start = instructions(&counter, &directory, command, "").unwrap();
    let faults: Vec<String> = kinds
        .iter()
        .filter_map(|(kind, source)| {
            // The cost that every run has says nothing of how the cost grows.
            let cost = |count| {
                let all = instructions(&counter, &directory, command, &source(count))?;
                Ok(all - start)
            };
            beyond_linear(kind, count, cost).unwrap()
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn checking_is_linear() {
    assert_linear(&["idl", "check"], CHECKED, 25);
}

#[test]
fn checking_deep_inclusion_is_linear() {
    let Some(counter) = InstructionCounter::find() else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let command = ["idl", "check"];
    let start = instructions(&counter, &directory, &command, "").unwrap();
    let cost = |deep| {
        let source = including(&directory, deep);
        instructions(&counter, &directory, &command, &source).unwrap() - start
    };
    // As deep as the limit lets them be.
    let (few, many) = (cost(6), cost(60));
    assert!(many <= 12 * few, "{few} instructions for 6, {many} for 60");
}

#[test]
fn generating_is_linear() {
    assert_linear(&["idl", "gen", "-o", "/dev/null"], GENERATED, 4);
}

#[test]
fn laying_out_is_linear() {
    // A file that would be laid out differently is named, which `--check` calls a failure:
    // the text is laid out already.
    let kinds: &[(&str, Source)] = &[
        ("constants", |count| {
            each(count, |i| format!("const long C{i} = {i};\n"))
        }),
        ("comments", |count| {
            each(count, |i| format!("// Line {i}\n"))
        }),
        ("conditions", |count| {
            each(count, |i| format!("#ifdef A{i}\n")) + &"#endif\n".repeat(count)
        }),
    ];
    assert_linear(&["idl", "fmt", "--check"], kinds, 25);
}
