//! The layout: `tests/data/fmt/*.idl` must become what stands in `*.out`, and
//! whatever is laid out must say what it said before.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use taut_idl::fmt::format;
use taut_idl::{DiagnosticCode, Limits, Options, compile_with};

fn data(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(kind)
}

/// All IDL files in and below a directory.
fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "idl") {
            found.push(path);
        }
    }
    found.sort();
}

fn laid_out(path: &Path, source: &[u8]) -> Option<Vec<u8>> {
    match format(path, source, &Limits::default()) {
        Ok(text) => Some(text),
        Err(refused) => {
            for diagnostic in &refused.diagnostics {
                let code = diagnostic.code;
                assert_ne!(code, DiagnosticCode::NotSupported, "{}", path.display());
            }
            assert!(!refused.render(false).is_empty());
            None
        }
    }
}

/// Returns a text without its blanks.
fn without_blanks(text: &[u8]) -> Vec<u8> {
    let text = text.iter().copied();
    text.filter(|byte| !byte.is_ascii_whitespace() && *byte != 0x0B)
        .collect()
}

#[test]
fn layout_is_canonical() {
    let mut found = Vec::new();
    sources(&data("fmt"), &mut found);
    assert!(!found.is_empty());
    let mut failures = Vec::new();
    for path in found {
        let text = laid_out(&path, &fs::read(&path).unwrap()).unwrap();
        let expected = path.with_extension("out");
        if std::env::var_os("TAUT_BLESS").is_some() {
            fs::write(&expected, &text).unwrap();
        } else if fs::read(&expected).unwrap_or_default() != text {
            failures.push(format!(
                "{}:\n{}",
                expected.display(),
                String::from_utf8_lossy(&text)
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn nothing_but_blanks_changes_and_twice_is_once() {
    let mut found = Vec::new();
    sources(&data(""), &mut found);
    sources(&data("../../../taut-build/tests/data"), &mut found);
    sources(&data("../../../../interop"), &mut found);
    // The services' IDL of omniORB, where it is installed.
    sources(Path::new("/usr/share/idl"), &mut found);
    let mut count = 0;
    for path in &found {
        let source = fs::read(path).unwrap();
        let Some(once) = laid_out(path, &source) else {
            continue;
        };
        count += 1;
        let twice = laid_out(path, &once).unwrap();
        let shown = path.display();
        assert_eq!(
            String::from_utf8_lossy(&once),
            String::from_utf8_lossy(&twice),
            "{shown}"
        );
        // Splices between tokens go, and with them their backslashes.
        if !source.windows(2).any(|pair| pair == b"\\\n") {
            assert!(without_blanks(&source) == without_blanks(&once), "{shown}");
        }
    }
    assert!(count > 150, "{count} files");
}

#[test]
fn a_comment_without_end_after_an_include_is_refused() {
    let source = b"typedef long T;\n#include /* \"a.idl\"\n";
    let refused = format(Path::new("a.idl"), source, &Limits::default()).unwrap_err();
    let codes: Vec<DiagnosticCode> = refused.diagnostics.iter().map(|it| it.code).collect();
    assert_eq!(codes, [DiagnosticCode::Unterminated]);
}

#[test]
fn lines_end_as_the_first_one_does() {
    let text = laid_out(
        Path::new("a.idl"),
        b"// a\r\ntypedef  long T;\n\n\n\n#pragma x",
    )
    .unwrap();
    assert_eq!(text, b"// a\r\ntypedef long T;\r\n\r\n#pragma x\r\n");
}

/// A backslash at the end of a comment must not begin to splice lines.
#[test]
fn no_line_splice_appears_or_vanishes() {
    let source = b"// path C:\\ \ntypedef long T;\n#define A 1 \\\n + 2\n// b \\\n c\n";
    assert_eq!(laid_out(Path::new("a.idl"), source).unwrap(), source);
}

/// Checks that a text that is laid out stays as it is.
fn assert_laid_out_once(source: &str) {
    let once = laid_out(Path::new("a.idl"), source.as_bytes()).unwrap();
    let twice = laid_out(Path::new("a.idl"), &once).unwrap();
    assert_eq!(
        String::from_utf8_lossy(&once),
        String::from_utf8_lossy(&twice)
    );
}

#[test]
fn long_annotations_are_laid_out_once() {
    let annotations = "@verbatim(language = \"c\", text = \"something\") ".repeat(4);
    for rest in ["long a;", "void f (in long a, in long b);"] {
        assert_laid_out_once(&std::format!("interface I {{ {annotations}{rest} }};"));
    }
}

/// The text behind a spliced name is on a line that begins within the name, and a carriage
/// return that goes is not part of any.
#[test]
fn spliced_names_are_laid_out_once() {
    for end in ["\n", "\r\n"] {
        for extra in 0..60 {
            let long = "x".repeat(extra);
            assert_laid_out_once(&std::format!(
                "// Its lines end thus.\n\
                 interface Wide : A, _rather_l\\{end}ong_name_of_a_base, {long}, Another, Last {{\n\
                 void {long}_f (in long abcdefghijklm, in F\\{end} opqrstuvwxyz, in long last);\n\
                 }};\n"
            ));
        }
    }
}

/// Neither a directive within a statement nor the margin of a comment makes it long.
#[test]
fn what_goes_from_within_a_statement_does_not_count() {
    for margin in 0..100 {
        let margin = " ".repeat(margin);
        assert_laid_out_once(&std::format!(
            "struct S {{ long a\n#define F(x) \\\n x {margin} \\\n\\\n\n\
             /* one{margin}\n {margin} two */ const long N = F(2);\n}};\n"
        ));
    }
}

#[test]
fn a_scope_at_the_end_of_a_statement_is_laid_out_once() {
    assert_laid_out_once("module M { typedef T ::};");
}

/// Behind it there will be a blank, so that it leads no name the second time either.
#[test]
fn a_scope_in_front_of_no_name_is_laid_out_once() {
    for source in ["c :://", "c ::/**/ d;", "c/**/::d;", "a :::", "a ::1"] {
        assert_laid_out_once(source);
    }
}

#[test]
fn a_file_that_is_too_large_is_refused() {
    let limits = Limits {
        file_bytes: 10,
        ..Limits::default()
    };
    let refused = format(Path::new("a.idl"), b"typedef long T;", &limits).unwrap_err();
    assert_eq!(refused.diagnostics[0].code, DiagnosticCode::LimitExceeded);
}

/// Names, types, values and the comments that document them.
#[test]
fn the_model_stays() {
    let mut found = Vec::new();
    sources(&data("ok"), &mut found);
    let compile = |files: &HashMap<PathBuf, Vec<u8>>, main: &str| {
        let options = Options {
            include_paths: vec!["include".into()],
            ..Options::default()
        };
        crate::support::dump(&compile_with(&[main], &options, &mut files.clone()))
    };
    let names: Vec<String> = found
        .iter()
        .map(|path| {
            path.strip_prefix(data("ok"))
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    let before: HashMap<PathBuf, Vec<u8>> = names
        .iter()
        .map(|name| (name.into(), fs::read(data("ok").join(name)).unwrap()))
        .collect();
    let after: HashMap<PathBuf, Vec<u8>> = before
        .iter()
        .map(|(path, source)| (path.clone(), laid_out(path, source).unwrap()))
        .collect();
    for name in names.iter().filter(|name| !name.contains('/')) {
        assert_eq!(compile(&before, name), compile(&after, name), "{name}");
    }
}
