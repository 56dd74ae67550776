//! Bounds on what a source may ask for, and trouble with reading files.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use taut_idl::{DiagnosticCode, FileLoader, Limits, Options, compile, compile_with};

use super::{codes, run};

#[test]
fn trouble_with_reading_is_no_absence() {
    struct Forbidden;
    impl FileLoader for Forbidden {
        fn load(&mut self, path: &Path, _: usize) -> io::Result<Vec<u8>> {
            match path.to_str() {
                Some("main.idl") => Ok(b"#include <x.idl>".to_vec()),
                Some("one/x.idl") => Err(io::ErrorKind::PermissionDenied.into()),
                _ => panic!("{path:?} should not be looked for"),
            }
        }
    }
    let options = Options {
        include_paths: vec!["one".into(), "two".into()],
        ..Options::default()
    };
    let compilation = compile_with(&["main.idl"], &options, &mut Forbidden);
    assert_eq!(codes(&compilation), [DiagnosticCode::File]);
    assert!(compilation.render(false).contains("permission denied"));
}

#[test]
fn every_limit_is_an_error() {
    let nested = "module M { module N { module O { typedef long T; }; }; };";
    let included = [
        (
            "main.idl",
            "#include \"a.idl\"\n#include \"a.idl\"\ntypedef long T;",
        ),
        ("a.idl", "#include \"b.idl\""),
        ("b.idl", ""),
    ];
    let repeated = [
        (
            "main.idl",
            "#include \"a.idl\"\n#include \"a.idl\"\n#include \"a.idl\"\n#include \"a.idl\"\n",
        ),
        (
            "a.idl",
            "; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ;",
        ),
    ];
    let derived = "interface A {}; interface B : A {}; interface C : B {};";
    let limits = Limits::default;
    let template = "module T<typename X> { typedef X A; typedef X B; }; module T<long> L;";
    let cases: [(&[(&str, &str)], Limits); 11] = [
        (
            &[("main.idl", template)],
            Limits {
                expansion: 7,
                ..limits()
            },
        ),
        (
            &[("main.idl", "struct A { long b, c, d; }; struct E : A { };")],
            Limits {
                expansion: 2,
                ..limits()
            },
        ),
        (
            &[("main.idl", template)],
            Limits {
                nesting: 0,
                ..limits()
            },
        ),
        (
            &[("main.idl", nested)],
            Limits {
                nesting: 2,
                ..limits()
            },
        ),
        (
            &included,
            Limits {
                include_depth: 1,
                ..limits()
            },
        ),
        (
            &included,
            Limits {
                inclusions: 3,
                ..limits()
            },
        ),
        (
            &repeated,
            Limits {
                repeated_bytes: 200,
                ..limits()
            },
        ),
        (
            &[("main.idl", nested)],
            Limits {
                tokens: 10,
                ..limits()
            },
        ),
        (
            &repeated,
            Limits {
                added_tokens: 10,
                ..limits()
            },
        ),
        (
            &[("main.idl", derived)],
            Limits {
                bases: 1,
                ..limits()
            },
        ),
        (
            &[("main.idl", "const long A = X; const long B = X;")],
            Limits {
                diagnostics: 1,
                ..limits()
            },
        ),
    ];
    for (files, limits) in cases {
        let shown = format!("{limits:?}");
        let options = Options {
            limits,
            ..Options::default()
        };
        let compilation = run(files, &["main.idl"], &options);
        assert!(
            codes(&compilation).contains(&DiagnosticCode::LimitExceeded),
            "{shown}"
        );
        assert!(
            !run(files, &["main.idl"], &Options::default())
                .diagnostics
                .iter()
                .any(|diagnostic| diagnostic.code == DiagnosticCode::LimitExceeded)
        );
    }
    let options = Options {
        limits: Limits {
            file_bytes: 10,
            ..Limits::default()
        },
        ..Options::default()
    };
    let compilation = run(&[("main.idl", nested)], &["main.idl"], &options);
    assert_eq!(codes(&compilation), [DiagnosticCode::LimitExceeded]);
}

#[test]
fn all_files_together_have_a_limit() {
    let files = [
        ("main.idl", "#include \"a.idl\"\n#include \"b.idl\"\n"),
        ("a.idl", "const long A = 1;"),
        ("b.idl", "const long B = 1;"),
    ];
    let all: usize = files.iter().map(|(_, text)| text.len()).sum();
    for (total_bytes, expected) in [
        (all, None),
        (all - 1, Some("b.idl")),
        (files[0].1.len(), Some("a.idl")),
        (files[0].1.len() - 1, Some("main.idl")),
    ] {
        let options = Options {
            limits: Limits {
                total_bytes,
                ..Limits::default()
            },
            ..Options::default()
        };
        let compilation = run(&files, &["main.idl"], &options);
        let messages: Vec<_> = compilation
            .diagnostics
            .iter()
            .map(|it| &it.message)
            .collect();
        let expected = expected.map(|file| {
            format!("cannot read `{file}`: all files have more than {total_bytes} bytes")
        });
        assert_eq!(messages, Vec::from_iter(&expected));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn files_without_end_and_directories_are_refused() {
    let error = |files: &[&Path]| {
        let compilation = compile(files, &Options::default());
        let [diagnostic] = compilation.diagnostics.as_slice() else {
            panic!("{}", compilation.render(false))
        };
        (diagnostic.code, diagnostic.message.clone())
    };
    let limit = Limits::default().file_bytes;
    let endless = format!("cannot read `/dev/zero`: it has more than {limit} bytes, the limit");
    let case = Path::new("tests/data/limits/include_endless.idl");
    for file in [Path::new("/dev/zero"), case] {
        assert_eq!(
            error(&[file]),
            (DiagnosticCode::LimitExceeded, endless.clone())
        );
    }
    let directory = "cannot read `tests/data`: it is a directory".to_owned();
    assert_eq!(
        error(&[Path::new("tests/data")]),
        (DiagnosticCode::File, directory)
    );
}

#[test]
fn an_included_directory_is_said_to_be_one() {
    let mut files = HashMap::from([(PathBuf::from("main.idl"), b"#include <data>".to_vec())]);
    struct WithDirectory<'a>(&'a mut HashMap<PathBuf, Vec<u8>>);
    impl FileLoader for WithDirectory<'_> {
        fn load(&mut self, path: &Path, bytes_max: usize) -> io::Result<Vec<u8>> {
            match path.starts_with("tests") {
                true => taut_idl::FileSystem.load(path, bytes_max),
                false => self.0.load(path, bytes_max),
            }
        }
    }
    let options = Options {
        include_paths: vec!["tests".into(), "more".into()],
        ..Options::default()
    };
    let compilation = compile_with(&["main.idl"], &options, &mut WithDirectory(&mut files));
    assert_eq!(codes(&compilation), [DiagnosticCode::File]);
    let rendered = compilation.render(false);
    assert!(
        rendered.contains("`tests/data` is a directory"),
        "{rendered}"
    );
    // A file of that name in a later directory is found.
    files.insert("more/data".into(), Vec::new());
    let compilation = compile_with(&["main.idl"], &options, &mut WithDirectory(&mut files));
    assert!(compilation.diagnostics.is_empty());
}
