//! The effects of options, of loaders and of several main files.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod limits;

use std::collections::HashMap;
use std::path::PathBuf;

use taut_idl::model::{ConstantValue, DefinitionKind};
use taut_idl::{
    Compilation, DiagnosticCode, ModuleIds, Options, PrefixInModule, Severity, compile,
    compile_with,
};

fn run(files: &[(&str, &str)], main: &[&str], options: &Options) -> Compilation {
    let mut loader: HashMap<PathBuf, Vec<u8>> = files
        .iter()
        .map(|(path, text)| (path.into(), text.as_bytes().to_vec()))
        .collect();
    compile_with(main, options, &mut loader)
}

fn repository_id(compilation: &Compilation, name: &[&str]) -> String {
    let id = compilation.model.find(name).unwrap();
    compilation.model.get(id).repository_id.to_string()
}

fn codes(compilation: &Compilation) -> Vec<DiagnosticCode> {
    compilation
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code)
        .collect()
}

#[test]
fn defines_are_macros() {
    let options = Options {
        defines: vec![("SIZE".into(), Some("7".into())), ("FLAG".into(), None)],
        ..Options::default()
    };
    let source = "#if FLAG && defined(__TAUT_IDL__)\nconst long N = SIZE;\n#endif";
    let compilation = run(&[("a.idl", source)], &["a.idl"], &options);
    assert!(!compilation.has_errors(), "{}", compilation.render(false));
    let id = compilation.model.find(&["N"]).unwrap();
    let DefinitionKind::Constant(constant) = &compilation.model.get(id).kind else {
        panic!()
    };
    assert_eq!(constant.value, ConstantValue::Integer(7));
}

#[test]
fn a_malformed_define_is_reported() {
    let options = Options {
        defines: vec![("1".into(), None)],
        ..Options::default()
    };
    let compilation = run(&[("a.idl", "typedef long T;")], &["a.idl"], &options);
    assert_eq!(codes(&compilation), [DiagnosticCode::Directive]);
    assert!(compilation.render(false).contains("<command line>"));
}

#[test]
fn prefix_in_a_module_can_keep_the_path() {
    let source = "module F {\n#pragma prefix \"X\"\ninterface Y { struct S { long a; }; };\n};";
    for (prefix_in_module, expected) in [
        (PrefixInModule::Restart, ["IDL:X/Y:1.0", "IDL:X/Y/S:1.0"]),
        (PrefixInModule::Keep, ["IDL:X/F/Y:1.0", "IDL:X/F/Y/S:1.0"]),
    ] {
        let options = Options {
            prefix_in_module,
            ..Options::default()
        };
        let compilation = run(&[("a.idl", source)], &["a.idl"], &options);
        assert_eq!(repository_id(&compilation, &["F", "Y"]), expected[0]);
        assert_eq!(repository_id(&compilation, &["F", "Y", "S"]), expected[1]);
        assert_eq!(codes(&compilation), [DiagnosticCode::Pragma]);
    }
}

#[test]
fn a_module_can_be_given_another_prefix_and_version() {
    let source = "#pragma prefix \"mine\"\nmodule FT { interface Naming { struct S { long a; }; }; \
                  module Inner { typedef long T; typedef long V; };\n\
                  #pragma version Inner::V 3.1\n#pragma ID Inner \"IDL:own:1.0\"\n};\n\
                  module FTOther { typedef long T; };";
    let ids = |module: &str, prefix: Option<&str>, version: Option<&str>| ModuleIds {
        module: module.into(),
        prefix: prefix.map(Into::into),
        version: version.map(Into::into),
    };
    let mut options = Options {
        module_ids: vec![
            ids("FT::Inner", None, Some("2.4")),
            ids("FT", Some("omg.org"), Some("2.3")),
        ],
        ..Options::default()
    };
    let compilation = run(&[("a.idl", source)], &["a.idl"], &options);
    assert!(!compilation.has_errors(), "{}", compilation.render(false));
    for (name, id) in [
        (&["FT"][..], "IDL:omg.org/FT:2.3"),
        (&["FT", "Naming"], "IDL:omg.org/FT/Naming:2.3"),
        (&["FT", "Naming", "S"], "IDL:omg.org/FT/Naming/S:2.3"),
        (&["FT", "Inner"], "IDL:own:1.0"),
        (&["FT", "Inner", "T"], "IDL:omg.org/FT/Inner/T:2.4"),
        (&["FT", "Inner", "V"], "IDL:omg.org/FT/Inner/V:3.1"),
        (&["FTOther", "T"], "IDL:mine/FTOther/T:1.0"),
    ] {
        assert_eq!(repository_id(&compilation, name), id);
    }
    options.module_ids = vec![ids("FT::Naming", None, None), ids("Nothing", None, None)];
    let compilation = run(&[("a.idl", source)], &["a.idl"], &options);
    let unknown = DiagnosticCode::UnknownName;
    assert_eq!(codes(&compilation), [unknown, unknown]);
    let rendered = compilation.render(false);
    assert!(
        rendered.contains("there is no module `Nothing`"),
        "{rendered}"
    );
}

#[test]
fn main_files_are_one_specification() {
    let files = [
        (
            "a.idl",
            "#pragma prefix \"a\"\n#include \"b.idl\"\n#include \"c.idl\"\nstruct A { B b1; };",
        ),
        (
            "b.idl",
            "#pragma prefix \"b\"\n#include \"c.idl\"\nstruct B { C c1; };",
        ),
        (
            "c.idl",
            "#ifndef C_IDL\n#define C_IDL\nstruct C { long a1; };\n#endif",
        ),
        ("d.idl", "#include \"c.idl\"\nstruct D { A a1; };"),
    ];
    let main = ["a.idl", "b.idl", "d.idl", "./a.idl"];
    let compilation = run(&files, &main, &Options::default());
    assert!(
        compilation.diagnostics.is_empty(),
        "{}",
        compilation.render(false)
    );
    for (name, id, in_main_file) in [
        ("A", "IDL:a/A:1.0", true),
        ("B", "IDL:b/B:1.0", true),
        ("C", "IDL:C:1.0", false),
        ("D", "IDL:D:1.0", true),
    ] {
        let definition = compilation
            .model
            .get(compilation.model.find(&[name]).unwrap());
        assert_eq!(definition.repository_id, id);
        assert_eq!(definition.in_main_file, in_main_file, "{name}");
    }
    let read: Vec<&str> = compilation
        .dependencies
        .iter()
        .map(|path| path.to_str().unwrap())
        .collect();
    assert_eq!(read, ["a.idl", "b.idl", "d.idl", "c.idl"]);
}

#[test]
fn orb_idl_is_built_in_unless_there_is_one() {
    let main = "#include <orb.idl>\n#include \"orb.idl\"\nstruct S { CORBA::PolicyType a; };";
    let compilation = run(&[("main.idl", main)], &["main.idl"], &Options::default());
    assert!(compilation.diagnostics.is_empty());
    let find = |name| compilation.model.find(&["CORBA", name]).unwrap();
    let policy = compilation.model.get(find("Policy"));
    assert_eq!(policy.repository_id, "IDL:omg.org/CORBA/Policy:1.0");
    assert!(!policy.in_main_file);
    assert!(compilation.sources.file(policy.span.file).is_built_in());
    assert_eq!(compilation.dependencies, [PathBuf::from("main.idl")]);

    let own = "module CORBA { typedef string PolicyType; };";
    let files = [("main.idl", main), ("include/orb.idl", own)];
    let options = Options {
        include_paths: vec!["include".into()],
        ..Options::default()
    };
    // Quotes find the same file, which has no guard.
    let compilation = run(&files, &["main.idl"], &options);
    assert!(compilation.has_errors());
    let main = "#include <orb.idl>\nstruct S { CORBA::PolicyType a; };";
    let files = [("main.idl", main), ("include/orb.idl", own)];
    let compilation = run(&files, &["main.idl"], &options);
    assert!(compilation.diagnostics.is_empty());
    assert_eq!(compilation.model.find(&["CORBA", "Policy"]), None);
}

#[test]
fn diagnostics_are_json() {
    let main = "struct S {\n    long a;\n    long a;\n};\nconst string T = \"\\q\u{1}\";\n";
    let compilation = run(
        &[("main \"1\".idl", main)],
        &["main \"1\".idl"],
        &Options::default(),
    );
    assert_eq!(
        compilation.to_json(),
        concat!(
            "[\n",
            r#"{"severity":"error","code":"redefinition","#,
            r#""message":"the member `a` is defined twice","#,
            r#""primary":{"file":"main \"1\".idl","start":32,"end":33,"line":3,"column":10,"#,
            r#""end_line":3,"end_column":11,"message":"defined again here"},"#,
            r#""secondary":[{"file":"main \"1\".idl","start":20,"end":21,"line":2,"column":10,"#,
            r#""end_line":2,"end_column":11,"message":"first defined here"}],"help":null},"#,
            "\n",
            r#"{"severity":"error","code":"illegal-character","#,
            r#""message":"malformed string literal","#,
            r#""primary":{"file":"main \"1\".idl","start":55,"end":60,"line":5,"column":18,"#,
            r#""end_line":5,"end_column":23,"message":"`\\q` is no escape"},"#,
            r#""secondary":[],"help":null}"#,
            "\n]\n"
        )
    );
    let compilation = run(&[("main.idl", "")], &["main.idl"], &Options::default());
    assert_eq!(compilation.to_json(), "[\n]\n");
}

#[test]
fn include_paths_are_tried_in_order() {
    let files = [
        (
            "src/main.idl",
            "#include \"x.idl\"\n#include <x.idl>\n#include <y.idl>",
        ),
        ("src/x.idl", "typedef long Beside;"),
        ("one/x.idl", "typedef long One;"),
        ("two/x.idl", "typedef long Wrong;"),
        ("two/y.idl", "typedef long Two;"),
    ];
    let options = Options {
        include_paths: vec!["one".into(), "two".into()],
        ..Options::default()
    };
    let compilation = run(&files, &["src/main.idl"], &options);
    assert!(
        compilation.diagnostics.is_empty(),
        "{}",
        compilation.render(false)
    );
    let names: Vec<&str> = compilation
        .model
        .roots()
        .iter()
        .map(|&id| compilation.model.get(id).name.as_str())
        .collect();
    assert_eq!(names, ["Beside", "One", "Two"]);
}

#[test]
fn a_prefix_does_not_leak_out_of_a_file_that_leaves_a_scope_open() {
    let files = [
        (
            "main.idl",
            "#include \"open.idl\"\ninterface I { };\n};\ninterface J { };",
        ),
        ("open.idl", "#pragma prefix \"leak\"\nmodule M {"),
    ];
    let compilation = run(&files, &["main.idl"], &Options::default());
    assert!(!compilation.has_errors(), "{}", compilation.render(false));
    assert_eq!(repository_id(&compilation, &["J"]), "IDL:J:1.0");
}

#[test]
fn a_missing_main_file_is_reported() {
    let compilation = compile(&["/nowhere/at/all.idl"], &Options::default());
    assert_eq!(codes(&compilation), [DiagnosticCode::File]);
    assert!(compilation.render(false).contains("/nowhere/at/all.idl"));
    assert!(compilation.dependencies.is_empty());
}

#[test]
fn no_files_are_an_empty_specification() {
    let compilation = run(&[], &[], &Options::default());
    assert!(compilation.diagnostics.is_empty());
    assert!(compilation.model.roots().is_empty());
    assert_eq!(compilation.render(false), "");
}

#[test]
fn spans_are_places_in_the_file() {
    let source = "/* \u{e9} */ typedef\\\n long Spl\\\nit;\nstruct S { Missing a; };";
    let compilation = run(&[("a.idl", source)], &["a.idl"], &Options::default());
    let split = compilation
        .model
        .get(compilation.model.find(&["Split"]).unwrap());
    assert_eq!(compilation.sources.text(split.span), b"Spl\\\nit");
    assert_eq!(compilation.sources.line(split.span), 2);
    let [diagnostic] = compilation.diagnostics.as_slice() else {
        panic!()
    };
    assert_eq!(diagnostic.severity, Severity::Error);
    assert_eq!(
        compilation.sources.text(diagnostic.primary.span),
        b"Missing"
    );
    let file = compilation.sources.file(diagnostic.primary.span.file);
    assert_eq!(
        (
            file.line(diagnostic.primary.span.start),
            file.column(diagnostic.primary.span.start)
        ),
        (4, 12)
    );
}

#[test]
fn latin_1_is_shown_as_such() {
    let mut loader = HashMap::from([(
        PathBuf::from("a.idl"),
        b"/* \xE9\xE9\xE9 */ struct S { Missing a; };".to_vec(),
    )]);
    let compilation = compile_with(&["a.idl"], &Options::default(), &mut loader);
    let rendered = compilation.render(false);
    assert!(
        rendered.contains("/* \u{e9}\u{e9}\u{e9} */ struct"),
        "{rendered}"
    );
    assert!(
        rendered.contains("  |                      ^^^^^^^ unknown name"),
        "{rendered}"
    );
}
