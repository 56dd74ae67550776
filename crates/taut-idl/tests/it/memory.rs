//! The memory that the compiler needs is in proportion to the source: at most 64 bytes for
//! each of its bytes, from the first file read to the model, for all kinds of source,
//! however densely they are written.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::HashMap;
use std::fmt::Write;
use std::path::PathBuf;

use taut_idl::{Options, compile_with};

/// The bytes of memory that a byte of source may claim.
const FACTOR: usize = 64;

/// The memory that is claimed for any source, however small: the compiler's tables, and the
/// diagnostics, of which there are a hundred of each kind at most.
const BASE: usize = 256 << 10;

/// Makes IDL of about so many bytes.
type Source = fn(usize) -> String;

/// A name for each number, no longer than need be.
fn name(number: usize) -> String {
    const FIRST: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
    const REST: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let mut text = String::from(char::from(FIRST[number % FIRST.len()]));
    let mut number = number / FIRST.len();
    while number > 0 {
        number -= 1;
        text.push(char::from(REST[number % REST.len()]));
        number /= REST.len();
    }
    text
}

/// Texts, each with its number, between two others, until there are as many
/// bytes as wanted.
fn filled(bytes: usize, before: &str, text: impl Fn(usize) -> String, after: &str) -> String {
    let mut source = before.to_owned();
    for number in 0.. {
        if source.len() + after.len() >= bytes {
            break;
        }
        source.push_str(&text(number));
    }
    source + after
}

const SOURCES: &[(&str, Source)] = &[
    ("semicolons", |bytes| ";".repeat(bytes)),
    ("letters", |bytes| "a ".repeat(bytes / 2)),
    ("numbers", |bytes| "1 ".repeat(bytes / 2)),
    ("typedefs of one type", |bytes| {
        filled(bytes, "typedef long t", |i| format!(",_{}", name(i)), ";")
    }),
    ("typedefs", |bytes| {
        filled(bytes, "", |i| format!("typedef any _{};", name(i)), "")
    }),
    ("forward declarations", |bytes| {
        filled(bytes, "", |i| format!("interface _{};", name(i)), "")
    }),
    ("interfaces", |bytes| {
        filled(bytes, "", |i| format!("interface _{}{{}};", name(i)), "")
    }),
    ("modules", |bytes| {
        filled(
            bytes,
            "",
            |i| format!("module _{}{{native a;}};", name(i)),
            "",
        )
    }),
    ("natives", |bytes| {
        filled(bytes, "", |i| format!("native _{};", name(i)), "")
    }),
    ("enumerators", |bytes| {
        filled(bytes, "enum e_{A", |i| format!(",_{}", name(i)), "};")
    }),
    ("flags", |bytes| {
        filled(
            bytes,
            "",
            |i| format!("bitmask _{}{{A,B,C,D,E,F,G,H}};", name(i)),
            "",
        )
    }),
    ("members", |bytes| {
        filled(bytes, "struct s_{", |i| format!("any _{};", name(i)), "};")
    }),
    ("members of one type", |bytes| {
        filled(
            bytes,
            "struct s_{long t",
            |i| format!(",_{}", name(i)),
            ";};",
        )
    }),
    ("structs", |bytes| {
        filled(bytes, "", |i| format!("struct _{}{{any a;}};", name(i)), "")
    }),
    ("constants", |bytes| {
        filled(bytes, "", |i| format!("const long _{}=1;", name(i)), "")
    }),
    ("terms", |bytes| {
        filled(bytes, "const long c=1", |_| "+1".to_owned(), ";")
    }),
    ("signs", |bytes| {
        filled(
            bytes,
            "",
            |i| format!("const long _{}=------------------------1;", name(i)),
            "",
        )
    }),
    ("names in expressions", |bytes| {
        filled(
            bytes,
            "const long a=1;const long c=1",
            |_| "+a".to_owned(),
            ";",
        )
    }),
    ("labels", |bytes| {
        filled(
            bytes,
            "union u_ switch(long){",
            |i| format!("case {i}:"),
            "long a;};",
        )
    }),
    ("branches", |bytes| {
        filled(
            bytes,
            "union u_ switch(long){",
            |i| format!("case {i}:any _{};", name(i)),
            "};",
        )
    }),
    ("operations", |bytes| {
        filled(
            bytes,
            "interface i_{",
            |i| format!("void _{}();", name(i)),
            "};",
        )
    }),
    ("parameters", |bytes| {
        filled(
            bytes,
            "interface i_{void f(in any t",
            |i| format!(",in any _{}", name(i)),
            ");};",
        )
    }),
    ("attributes of one type", |bytes| {
        filled(
            bytes,
            "interface i_{attribute any t",
            |i| format!(",_{}", name(i)),
            ";};",
        )
    }),
    ("exceptions that are raised", |bytes| {
        filled(
            bytes,
            "exception x{};interface i_{void f()raises(x",
            |_| ",x".to_owned(),
            ");};",
        )
    }),
    ("contexts", |bytes| {
        filled(
            bytes,
            "interface i_{void f()context(\"t\"",
            |i| format!(",\"{}\"", name(i)),
            ");};",
        )
    }),
    ("annotations", |bytes| {
        filled(bytes, "", |_| "@a".to_owned(), " native n;")
    }),
    ("arguments of annotations", |bytes| {
        filled(bytes, "@a(a=1", |_| ",a=1".to_owned(), ") native n;")
    }),
    ("nested sequences", |bytes| {
        let open = "sequence<".repeat(40);
        let close = ">".repeat(40);
        filled(
            bytes,
            "",
            |i| format!("typedef {open}any{close}_{};", name(i)),
            "",
        )
    }),
    ("nested modules", |bytes| {
        let open = "module a{".repeat(50);
        let close = "};".repeat(50);
        filled(
            bytes,
            "",
            |i| format!("{open}native _{};{close}", name(i)),
            "",
        )
    }),
    ("deep modules", |bytes| {
        let open: String = (0..50).map(|i| format!("module m{i}{{")).collect();
        let close = "};".repeat(50);
        filled(bytes, &open, |i| format!("native _{};", name(i)), &close)
    }),
    ("deep modules with long names", |bytes| {
        let name = |i: usize| format!("m{i}{}", "a".repeat(bytes / 100));
        let open: String = (0..50).map(|i| format!("module {}{{", name(i))).collect();
        let close = "};".repeat(50);
        filled(bytes, &open, |i| format!("native _{};", name(i)), &close)
    }),
    ("a prefix in deep modules", |bytes| {
        let open: String = (0..50).map(|i| format!("module m{i}{{")).collect();
        let open = format!("#pragma prefix \"{}\"\n{open}", "a".repeat(bytes / 4));
        let close = "};".repeat(50);
        filled(bytes, &open, |i| format!("native _{};", name(i)), &close)
    }),
    ("a type prefix in deep modules", |bytes| {
        let open: String = (0..50).map(|i| format!("module m{i}{{")).collect();
        let close = "};".repeat(50) + "typeprefix m0 \"omg.org\";";
        filled(bytes, &open, |i| format!("native _{};", name(i)), &close)
    }),
    ("a comment for many", |bytes| {
        let start = format!("/*{}*/typedef long t", "a\n".repeat(bytes / 4));
        filled(bytes, &start, |i| format!(",_{}", name(i)), ";")
    }),
    ("annotations for many", |bytes| {
        let start = format!("struct s_{{{}long t", "@unit(\"a\")".repeat(bytes / 20));
        filled(bytes, &start, |i| format!(",_{}", name(i)), ";};")
    }),
    ("a nested type for many", |bytes| {
        let (open, close) = ("sequence<".repeat(50), ">".repeat(50));
        let start = format!("typedef {open}long{close} t");
        filled(bytes, &start, |i| format!(",_{}", name(i)), ";")
    }),
    ("exceptions for many", |bytes| {
        let declared = filled(
            bytes / 4,
            "",
            |i| format!("exception _{}{{}};", name(i)),
            "",
        );
        let count = declared.matches(';').count();
        let raised: Vec<String> = (0..count).map(|i| format!("_{}", name(i))).collect();
        let start = format!("{declared}interface i_{{readonly attribute any t");
        let end = format!(" raises({});}};", raised.join(","));
        filled(bytes, &start, |i| format!(",_{}", name(i)), &end)
    }),
    ("words in capitals", |bytes| {
        filled(
            bytes,
            "typedef long t",
            |i| format!(",_{}", name(i).to_uppercase()),
            ";",
        )
    }),
    ("dimensions", |bytes| {
        filled(
            bytes,
            "",
            |i| format!("typedef any _{}[1][1][1][1][1][1][1];", name(i)),
            "",
        )
    }),
    ("line comments", |bytes| {
        "//a\n".repeat(bytes / 4) + "native a;"
    }),
    ("empty comments", |bytes| {
        "//\n".repeat(bytes / 3) + "native a;"
    }),
    ("a long comment", |bytes| {
        format!("/*a\n{}*/native a;", "b\n".repeat(bytes / 2))
    }),
    ("comments of members", |bytes| {
        filled(bytes, "enum e_{A", |i| format!(",/*a*/_{}", name(i)), "};")
    }),
    ("a long string", |bytes| {
        format!("const string s=\"{}\";", "a".repeat(bytes))
    }),
    ("a long wide string", |bytes| {
        format!("const wstring s=L\"{}\";", "a".repeat(bytes))
    }),
    ("letters beyond ASCII", |bytes| {
        format!("const string s=\"{}\";", "\u{e4}".repeat(bytes / 2))
    }),
    ("strings", |bytes| {
        filled(bytes, "const string s=\"\"", |_| "\"\"".to_owned(), ";")
    }),
    ("a long name", |bytes| {
        format!("native {};", "a".repeat(bytes))
    }),
    ("a long number", |bytes| {
        format!("const double d={}.;", "1".repeat(bytes))
    }),
    ("faults", |bytes| "long ".repeat(bytes / 5)),
    ("strays", |bytes| "$".repeat(bytes)),
    ("closing braces", |bytes| "}".repeat(bytes)),
    ("opening braces", |bytes| "{".repeat(bytes)),
    ("unknown names", |bytes| {
        filled(bytes, "", |i| format!("typedef A _{};", name(i)), "")
    }),
    ("macros", |bytes| {
        filled(bytes, "", |i| format!("#define {}\n", name(i)), "")
    }),
    ("macros with a body", |bytes| {
        filled(
            bytes,
            "",
            |i| format!("#define {} {}\n", name(i), "+ ".repeat(20)),
            "",
        )
    }),
    ("a long macro", |bytes| {
        filled(bytes, "#define A ", |_| "+".to_owned(), "\n")
    }),
    ("a long macro that is used", |bytes| {
        filled(bytes / 2, "#define A ", |_| ";".to_owned(), "\nA\n")
    }),
    ("parameters of a macro", |bytes| {
        filled(bytes, "#define A(t", |i| format!(",_{}", name(i)), ")\n")
    }),
    ("arguments of a macro", |bytes| {
        filled(bytes, "#define A(a)\nA(", |_| "+".to_owned(), ")\n")
    }),
    ("an argument used often", |bytes| {
        let body = filled(bytes / 2, "#define A(a) a", |_| " a".to_owned(), "\n");
        filled(bytes, &(body + "A("), |_| "+".to_owned(), ")\n")
    }),
    ("an argument spelt often", |bytes| {
        let body = filled(bytes / 2, "#define A(a) #a", |_| "#a".to_owned(), "\n");
        filled(bytes, &(body + "A("), |_| "+".to_owned(), ")\n")
    }),
    ("an argument pasted often", |bytes| {
        let body = filled(bytes / 2, "#define A(a) a", |_| "##a".to_owned(), "\n");
        filled(bytes, &(body + "A("), |_| "a".to_owned(), ")\n")
    }),
    ("parentheses that are not closed", |bytes| {
        filled(
            bytes,
            "#define A(a)\n#define B ",
            |_| "A(".to_owned(),
            "\nB\n",
        )
    }),
    ("inclusions by a macro", |bytes| {
        let body = filled(bytes / 2, "#define A ", |_| "+".to_owned(), "\n");
        filled(bytes, &body, |_| "#include A\n".to_owned(), "")
    }),
    ("conditions", |bytes| {
        filled(bytes, "#if 1", |_| "+1".to_owned(), "\n#endif\n")
    }),
    ("pragmas", |bytes| {
        filled(bytes, "", |_| "#pragma prefix \"a\"\n".to_owned(), "")
    }),
    ("value types", |bytes| {
        filled(bytes, "", |i| format!("valuetype _{}{{}};", name(i)), "")
    }),
    ("value boxes", |bytes| {
        filled(bytes, "", |i| format!("valuetype _{} long;", name(i)), "")
    }),
    ("components", |bytes| {
        filled(bytes, "", |i| format!("component _{}{{}};", name(i)), "")
    }),
    ("inherited interfaces", |bytes| {
        filled(
            bytes,
            "interface a{};",
            |i| format!("interface _{}:a{{}};", name(i)),
            "",
        )
    }),
    ("blanks", |bytes| " ".repeat(bytes)),
    ("lines", |bytes| "\n".repeat(bytes)),
    ("splices", |bytes| "\\\n".repeat(bytes / 2)),
];

/// The most bytes that compiling a source claims at once.
fn claimed(source: &str) -> usize {
    let mut files = HashMap::from([(PathBuf::from("main.idl"), source.as_bytes().to_vec())]);
    let options = Options::default();
    counting_allocator::peak(|| {
        compile_with(&["main.idl"], &options, &mut files);
    })
}

#[test]
fn memory_is_in_proportion_to_the_source() {
    let mut excess = String::new();
    for (kind, source) in SOURCES {
        let source = source(256 << 10);
        let claimed = claimed(&source);
        println!("{kind:32} {:4}", claimed.div_ceil(source.len()));
        if claimed > BASE + FACTOR * source.len() {
            let length = source.len();
            writeln!(excess, "{kind}: {claimed} bytes for {length}").unwrap();
        }
    }
    assert!(excess.is_empty(), "too much memory:\n{excess}");
}
