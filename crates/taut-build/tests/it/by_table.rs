//! Which operations of an interpretive run are marshaled by code after all.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::options::config;
use quote::ToTokens as _;
use taut_build::Marshaling;

/// Those of the test data, which ask for it by an annotation or an option; views, which are
/// read in place whichever way the rest is; and servants that answer later, which are marshaled
/// by code.
const BY_CODE: [&str; 25] = [
    "answering AsyncClerkSkeleton::dispatch_balance",
    "answering AsyncClerkSkeleton::dispatch_file",
    "answering AsyncClerkSkeleton::dispatch_log",
    "answering AsyncClerkSkeleton::dispatch_named",
    "answering AsyncClerkSkeleton::dispatch_set_balance",
    "answering AsyncClerkSkeleton::dispatch_shift",
    "answering AsyncClerkSkeleton::dispatch_turn",
    "answering AsyncDeskSkeleton::dispatch_ask",
    "answering AsyncDeskSkeleton::dispatch_tell",
    "interpretive DeskRef::also_quick",
    "interpretive DeskRef::place",
    "interpretive DeskRef::quick",
    "interpretive DeskSkeleton::dispatch_also_quick",
    "interpretive DeskSkeleton::dispatch_quick",
    "interpretive DrawerRef::also_quick",
    "interpretive DrawerRef::place",
    "interpretive DrawerRef::quick",
    "interpretive ShelfRef::place",
    "interpretive ShelfSkeleton::dispatch_place",
    "views SourceRef::all_view",
    "views SourceRef::fetch_view",
    "views SourceRef::oneway_view",
    "views SourceRef::read_view",
    "views SourceRef::table_view_",
    "views SourceRef::table_view_view",
];

/// The findings in generated code.
#[derive(Default)]
struct Found {
    /// The stubs and skeletons of operations that are marshaled by code.
    by_code: BTreeSet<String>,
    /// How many are marshaled by table.
    by_table: usize,
}

impl Found {
    fn compile(&mut self, idl: &Path) {
        let directory = tempfile::tempdir().unwrap();
        let config = config(idl).marshaling(Marshaling::Interpretive);
        let config = config.out_dir(directory.path()).output("output");
        config.compile(&[idl]).unwrap();
        let text = fs::read_to_string(directory.path().join("output.rs")).unwrap();
        let file = idl.file_stem().unwrap().to_str().unwrap();
        self.visit(file, &syn::parse_file(&text).unwrap().items);
    }

    fn visit(&mut self, file: &str, items: &[syn::Item]) {
        for item in items {
            match item {
                syn::Item::Mod(module) => {
                    let (_, items) = module.content.as_ref().unwrap();
                    self.visit(file, items);
                }
                syn::Item::Impl(of) => {
                    let ty = of.self_ty.to_token_stream().to_string();
                    let ty = ty.split(' ').next().unwrap();
                    for item in &of.items {
                        if let syn::ImplItem::Fn(function) = item {
                            self.judge(&format!("{file} {ty}"), function);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn judge(&mut self, place: &str, function: &syn::ImplItemFn) {
        let body = function.block.to_token_stream().to_string();
        let has = |calls: &[&str]| calls.iter().any(|call| body.contains(call));
        if has(&[". call (", ". send (", ". reply ("]) {
            let name = &function.sig.ident;
            self.by_code.insert(format!("{place}::{name}"));
        }
        if has(&["call", "call_raising", "send", "answer"]
            .map(|name| format!(":: {name} ("))
            .each_ref()
            .map(String::as_str))
        {
            self.by_table += 1;
        }
    }
}

#[test]
fn what_is_not_by_table_in_an_interpretive_run_is_known() {
    let mut files: Vec<PathBuf> = fs::read_dir("tests/data")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "idl"))
        .collect();
    files.sort();
    let mut found = Found::default();
    files.iter().for_each(|idl| found.compile(idl));
    let by_code: Vec<_> = found.by_code.iter().map(String::as_str).collect();
    assert_eq!(by_code, BY_CODE);
    assert!(found.by_table > 300, "only {}", found.by_table);
}

#[test]
fn an_operation_of_more_than_64_parameters_is_marshaled_by_code() {
    let parameters = |count: usize| {
        let parameters = (0..count).map(|index| format!("in long p{index}"));
        parameters.collect::<Vec<_>>().join(", ")
    };
    let directory = tempfile::tempdir().unwrap();
    let idl = directory.path().join("long.idl");
    let (most, more) = (parameters(64), parameters(65));
    let text = format!("interface Wide {{ void most ({most}); void more ({more}); }};");
    fs::write(&idl, text).unwrap();
    let mut found = Found::default();
    found.compile(&idl);
    let by_code: Vec<_> = found.by_code.iter().map(String::as_str).collect();
    assert_eq!(
        by_code,
        ["long WideRef::more", "long WideSkeleton::dispatch_more"]
    );
    assert_eq!(found.by_table, 2);
}
