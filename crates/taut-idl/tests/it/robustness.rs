//! No input may panic, overflow the stack or run for ever.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::HashMap;
use std::fmt::Write;
use std::path::PathBuf;

use proptest::prelude::*;
use taut_idl::{Compilation, DiagnosticCode, Limits, Options, compile_with};

fn compile_bytes(source: &[u8]) -> Compilation {
    let mut files = HashMap::from([(PathBuf::from("main.idl"), source.to_vec())]);
    let limits = Limits {
        tokens: 300_000,
        ..Limits::default()
    };
    compile_with(
        &["main.idl"],
        &Options {
            limits,
            ..Options::default()
        },
        &mut files,
    )
}

/// Compiles, and looks at all that came of it.
fn survive(source: &[u8]) -> Compilation {
    let compilation = compile_bytes(source);
    compilation.render(true);
    compilation.to_json();
    for (id, _) in compilation.model.definitions() {
        compilation.model.all_bases(id);
        compilation.model.all_state(id);
    }
    compilation
}

fn corpus() -> Vec<Vec<u8>> {
    let mut sources = Vec::new();
    for kind in ["ok", "err"] {
        let folder = format!("{}/tests/data/{kind}", env!("CARGO_MANIFEST_DIR"));
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "idl") {
                sources.push(std::fs::read(path).unwrap());
            }
        }
    }
    sources.sort();
    sources
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes(source in proptest::collection::vec(any::<u8>(), 0..400)) {
        survive(&source);
    }

    #[test]
    fn random_words(words in proptest::collection::vec(proptest::sample::select(WORDS), 0..200)) {
        survive(words.join(" ").as_bytes());
    }

    #[test]
    fn mutated_sources(
        source in proptest::sample::select(corpus()),
        mutations in proptest::collection::vec((any::<prop::sample::Index>(), 0..4_u8, any::<u8>()), 1..8),
    ) {
        let mut source = source;
        for (index, kind, byte) in mutations {
            if source.is_empty() {
                break;
            }
            let at = index.index(source.len());
            match kind {
                0 => source[at] = byte,
                1 => source.insert(at, byte),
                2 => drop(source.remove(at)),
                _ => source.truncate(at),
            }
        }
        survive(&source);
    }

    #[test]
    fn spliced_sources(
        first in proptest::sample::select(corpus()),
        second in proptest::sample::select(corpus()),
        cut in any::<prop::sample::Index>(),
        from in any::<prop::sample::Index>(),
    ) {
        let mut source = first[..cut.index(first.len() + 1)].to_vec();
        source.extend_from_slice(&second[from.index(second.len() + 1)..]);
        survive(&source);
    }
}

const WORDS: &[&str] = &[
    "module",
    "interface",
    "struct",
    "exception",
    "enum",
    "typedef",
    "const",
    "sequence",
    "string",
    "long",
    "unsigned",
    "octet",
    "void",
    "attribute",
    "readonly",
    "oneway",
    "raises",
    "in",
    "out",
    "union",
    "valuetype",
    "component",
    "home",
    "manages",
    "porttype",
    "connector",
    "provides",
    "uses",
    "typename",
    "alias",
    "eventtype",
    "bitset",
    "public",
    "factory",
    "supports",
    "local",
    "native",
    "switch",
    "case",
    "default",
    "fixed",
    "wstring",
    "typeprefix",
    "1.5d",
    "L'c'",
    "abstract",
    "any",
    "A",
    "B",
    "C",
    "a",
    "1",
    "2.5",
    "'c'",
    "\"s\"",
    "TRUE",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ">>",
    "<<",
    ";",
    ";",
    ",",
    ":",
    "::",
    "=",
    "+",
    "-",
    "*",
    "~",
    "@",
    "#",
    "\n#define A B\n",
    "\n#if 1\n",
    "\n#else\n",
    "\n#endif\n",
    "\n#include \"main.idl\"\n",
    "\n#pragma prefix \"p\"\n",
    "\\\n",
    "/*",
    "*/",
    "// x\n",
];

#[test]
fn every_prefix_of_a_source() {
    for source in corpus() {
        for end in 0..source.len() {
            compile_bytes(&source[..end]);
        }
    }
}

/// Cuts a source into what may be dropped, doubled or swapped: words, numbers
/// and marks, each with the blanks before it.
fn words(source: &[u8]) -> Vec<&[u8]> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut words = Vec::new();
    let mut start = 0;
    while start < source.len() {
        let rest = &source[start..];
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace());
        let mut length = blanks.count();
        let part = rest[length..].iter().take_while(|byte| is_part(**byte));
        length = (length + part.count().max(1)).min(rest.len());
        words.push(&rest[..length]);
        start += length;
    }
    words
}

#[test]
fn every_word_of_a_source_dropped_doubled_or_swapped() {
    for source in corpus() {
        let words = words(&source);
        for index in 0..words.len() {
            let (before, after) = (words[..index].concat(), words[index + 1..].concat());
            compile_bytes(&[&before[..], &after].concat());
            compile_bytes(&[&before[..], words[index], words[index], &after].concat());
            if let Some(next) = words.get(index + 1) {
                let after = words[index + 2..].concat();
                compile_bytes(&[&before[..], next, words[index], &after].concat());
            }
        }
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let deep = 100_000;
    let cases = [
        format!("const long A = {}1;", "(".repeat(deep)),
        format!("const long A = {}1;", "-".repeat(deep)),
        format!("const long A = {}1;", "~ ".repeat(deep)),
        format!(
            "typedef {}long{} T;",
            "sequence<".repeat(deep),
            ">".repeat(deep)
        ),
        "module M {".repeat(deep),
        "struct S { struct T { ".repeat(deep),
        "union U switch (long) { case 1: ".repeat(deep),
        format!("typedef {}long T;", "map<long, ".repeat(deep)),
        format!("typedef {}long> T;", "sequence<struct S { ".repeat(deep)),
        "valuetype V { ".repeat(deep),
        format!("const fixed A = {}1d;", "-(".repeat(deep)),
        format!("const long double A = {}1.0;", "-(".repeat(deep)),
        format!("@id({}1) typedef long T;", "(".repeat(deep)),
        format!("#if {}1\n#endif\n", "(".repeat(deep)),
        format!("#if {}1\n#endif\n", "1 ? ".repeat(deep)),
        format!("typedef long T{};", "[1]".repeat(deep)),
        "component C { ".repeat(deep),
        "home H manages C { ".repeat(deep),
        "module T<typename X> { ".repeat(deep),
        "module T<".repeat(deep),
        format!(
            "module T<{}long{}> M;",
            "sequence<".repeat(deep),
            ">".repeat(deep)
        ),
        format!("{}#if 1\n", "#if 1\n".repeat(deep)),
        format!("#define F(x) x\ntypedef {}long T;", "F(".repeat(deep)),
        format!(
            "#define F(x) x\ntypedef {}long{} T;",
            "F(".repeat(deep),
            ")".repeat(deep)
        ),
    ];
    for source in &cases {
        let compilation = survive(source.as_bytes());
        assert!(compilation.has_errors(), "{}", &source[..60]);
        // However high the limit is set, the stack of a thread must do.
        let mut files = HashMap::from([(PathBuf::from("main.idl"), source.as_bytes().to_vec())]);
        let options = however_deep();
        assert!(compile_with(&["main.idl"], &options, &mut files).has_errors());
    }
}

/// Options without a limit of nesting.
fn however_deep() -> Options {
    let limits = Limits {
        nesting: usize::MAX,
        ..Limits::default()
    };
    Options {
        limits,
        ..Options::default()
    }
}

#[test]
fn instances_nest_no_deeper_than_modules() {
    // The innermost is as deep as the parser allows it to be.
    let mut source = format!(
        "module T0<typename X> {{ {}typedef {}X{} Y;{} }};",
        "module A { module B { ".repeat(100),
        "sequence<".repeat(50),
        ">".repeat(50),
        " };".repeat(200)
    );
    for index in 1..2_000 {
        let before = index - 1;
        write!(
            source,
            "module T{index}<typename X> {{ module T{before}<X> Inner{index}; }};"
        )
        .unwrap();
    }
    let compile = |depth: usize| {
        let source = format!("{source} module T{depth}<long> Made;");
        let mut files = HashMap::from([(PathBuf::from("main.idl"), source.into_bytes())]);
        let options = however_deep();
        compile_with(&["main.idl"], &options, &mut files)
    };
    let sound = compile(4);
    assert!(!sound.has_errors(), "{}", sound.render(false));
    for depth in [6, 1999] {
        let found = compile(depth).diagnostics;
        assert_eq!(found[0].code, DiagnosticCode::LimitExceeded);
    }
}

#[test]
fn instances_and_inheritance_that_explode_are_errors() {
    let mut templates = String::from("module T0<typename X> { struct S { X x; }; };");
    let mut structs = String::from("struct S0 { long a0; };");
    for index in 1..50 {
        let before = index - 1;
        write!(
            templates,
            "module T{index}<typename X> {{ module T{before}<X> A; module T{before}<X> B; }};"
        )
        .unwrap();
    }
    templates.push_str("module T49<long> Made;");
    for index in 1..5_000 {
        write!(
            structs,
            "struct S{index} : S{} {{ long a{index}; }};",
            index - 1
        )
        .unwrap();
    }
    for source in [templates, structs] {
        let found = survive(source.as_bytes()).diagnostics;
        assert!(
            found
                .iter()
                .any(|found| found.code == DiagnosticCode::LimitExceeded)
        );
    }
}

#[test]
fn long_chains_are_no_deep_ones() {
    let long = 5_000;
    let sum = format!("const long long A = 0{};", " + 1".repeat(long));
    assert!(!survive(sum.as_bytes()).has_errors());
    let sum = format!("const long long A = (0){};", " + (1) * (1)".repeat(long));
    assert!(!survive(sum.as_bytes()).has_errors());
    let mut aliases = String::from("typedef long T0;");
    let mut interfaces = String::from("interface I0 { };");
    let mut macros = String::from("#define M0 long\n");
    for index in 1..long {
        write!(aliases, "typedef T{} T{index};", index - 1).unwrap();
        write!(interfaces, "interface I{index} : I{} {{ }};", index - 1).unwrap();
        writeln!(macros, "#define M{index} M{}", index - 1).unwrap();
    }
    assert!(!survive(aliases.as_bytes()).has_errors());
    assert!(survive(interfaces.as_bytes()).has_errors());
    write!(macros, "typedef M{} T;", long - 1).unwrap();
    assert!(survive(macros.as_bytes()).has_errors());
    let name = format!("struct S {{ {}A a; }};", "A::".repeat(long));
    assert!(survive(name.as_bytes()).has_errors());
    let strings = format!("const string S = {};", "\"s\" ".repeat(long));
    assert!(!survive(strings.as_bytes()).has_errors());
}

#[test]
fn explosive_expansion_is_an_error() {
    for leaf in ["", "x"] {
        let mut source = format!("#define A0 {leaf}\n");
        for index in 1..100 {
            writeln!(source, "#define A{index} A{0} A{0}", index - 1).unwrap();
        }
        source.push_str("A99\n");
        let found = survive(source.as_bytes()).diagnostics;
        assert!(
            found
                .iter()
                .any(|found| found.code == DiagnosticCode::LimitExceeded)
        );
    }
    let found = survive(b"#include \"main.idl\"\n#include \"main.idl\"\n").diagnostics;
    assert!(
        found
            .iter()
            .any(|found| found.code == DiagnosticCode::LimitExceeded)
    );
}
