//! TypeCodes of models: all kinds, and types that contain each other.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::io;
use std::path::Path;

use taut_idl::{Compilation, FileLoader};
use taut_idl_types::{TypeCodeFault, TypeCodes};
use taut_types::{CreateError, TypeCode};

struct Source(&'static str);

impl FileLoader for Source {
    fn load(&mut self, _: &Path, _: usize) -> io::Result<Vec<u8>> {
        Ok(self.0.as_bytes().to_vec())
    }
}

fn compile(source: &'static str) -> Compilation {
    let options = taut_idl::Options::default();
    let compilation = taut_idl::compile_with(&["test.idl"], &options, &mut Source(source));
    assert!(!compilation.has_errors(), "{}", compilation.render(false));
    compilation
}

fn type_code(compilation: &Compilation, name: &[&str]) -> Result<TypeCode, TypeCodeFault> {
    let id = compilation.model.find(name).unwrap();
    TypeCodes::new(&compilation.model).of_definition(id)
}

#[test]
fn every_kind_of_definition_has_its_type_code() {
    let compilation = compile(
        "enum Color { RED, BLUE };
         typedef sequence<Color, 3> Colors;
         typedef long Grid[2][3];
         interface I {};
         abstract interface A {};
         struct S { octet o; string<5> t; Colors c; Grid g; I r; any n; fixed<5, 2> f; };
         union U switch (Color) { case RED: long l; default: wstring w; };
         exception E { S held; };
         valuetype V { public long x; private string y; };
         valuetype B S;",
    );
    for (name, expected) in [
        ("Color", "enum Color { RED, BLUE }"),
        ("Colors", "typedef sequence<Color, 3> Colors"),
        ("Grid", "typedef long[2][3] Grid"),
        ("I", "interface I"),
        ("A", "abstract interface A"),
        (
            "S",
            "struct S { octet o; string<5> t; Colors c; Grid g; I r; any n; fixed<5, 2> f; }",
        ),
        (
            "U",
            "union U switch (Color) { case RED: long l; default: wstring w; }",
        ),
        ("E", "exception E { S held; }"),
        ("V", "valuetype V { public long x; private string y; }"),
        ("B", "valuetype B S"),
    ] {
        assert_eq!(
            type_code(&compilation, &[name]).unwrap().to_string(),
            expected
        );
    }
}

#[test]
fn types_may_contain_each_other() {
    let compilation = compile(
        "valuetype B;
         typedef sequence<B> Bs;
         struct A { Bs several; };
         valuetype B { public A one; public Bs more; };
         struct Tree { string name; sequence<Tree> below; };
         valuetype List { public List next; public Tree content; };",
    );
    for name in ["A", "B", "Tree", "List"] {
        let type_code = type_code(&compilation, &[name]).unwrap();
        assert!(type_code.is_complete(), "{type_code}");
    }
    // Whatever is asked for first; how much is described on the spot may differ.
    let mut type_codes = TypeCodes::new(&compilation.model);
    let both: Vec<TypeCode> = ["B", "A", "Tree", "List", "A", "B"]
        .iter()
        .map(|name| compilation.model.find(&[name]).unwrap())
        .map(|id| type_codes.of_definition(id).unwrap())
        .collect();
    for (index, name) in ["B", "A", "Tree", "List", "A", "B"].iter().enumerate() {
        assert!(
            both[index].equivalent(&type_code(&compilation, &[name]).unwrap()),
            "{name}"
        );
    }
}

#[test]
fn what_is_no_type_is_refused() {
    let compilation = compile("module M { const long N = 1; };");
    let fault = type_code(&compilation, &["M"]).unwrap_err();
    assert_eq!(fault.to_string(), "`M` is no type, or is only declared");
}

#[test]
fn types_that_contain_each_other_crosswise_do_not_exhaust_the_machine() {
    let mut source = String::new();
    for number in 0..24 {
        source.push_str(&format!("valuetype S{number};\n"));
    }
    for number in 0..24 {
        source.push_str(&format!("valuetype S{number} {{"));
        for member in 0..24 {
            source.push_str(&format!(" public S{member} m{member};"));
        }
        source.push_str(" };\n");
    }
    let compilation = compile(source.leak());
    let fault = type_code(&compilation, &["S0"]).unwrap_err();
    assert_eq!(fault, TypeCodeFault::Create(CreateError::TooLarge));
}
