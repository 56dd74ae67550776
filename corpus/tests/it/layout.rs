//! The Rust of the corpus is laid out as rustfmt would have it, but for a list.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use taut_corpus::packages;

/// The files in whose Rust rustfmt would lay out something else, mostly where it
/// leaves paths of more than half a line whole that do not fit, or a column free, and
/// where a closure follows the long name of an operation.
const DIFFERENT: &[&str] = &[
    "idlj_ir.idl.rs",
    "idlj_orb.idl.rs",
    "omniorb-idl_COS_CosCollection.idl.rs",
    "omniorb-idl_COS_CosCompoundLifeCycle.idl.rs",
    "omniorb-idl_COS_CosConcurrencyControl.idl.rs",
    "omniorb-idl_COS_CosContainment.idl.rs",
    "omniorb-idl_COS_CosExternalization.idl.rs",
    "omniorb-idl_COS_CosExternalizationContainment.idl.rs",
    "omniorb-idl_COS_CosExternalizationReference.idl.rs",
    "omniorb-idl_COS_CosGraphs.idl.rs",
    "omniorb-idl_COS_CosLicensingManager.idl.rs",
    "omniorb-idl_COS_CosLifeCycleContainment.idl.rs",
    "omniorb-idl_COS_CosLifeCycleReference.idl.rs",
    "omniorb-idl_COS_CosNotifyChannelAdmin.idl.rs",
    "omniorb-idl_COS_CosNotifyFilter.idl.rs",
    "omniorb-idl_COS_CosPersistenceDDO.idl.rs",
    "omniorb-idl_COS_CosPersistenceDS_CLI.idl.rs",
    "omniorb-idl_COS_CosPropertyService.idl.rs",
    "omniorb-idl_COS_CosQuery.idl.rs",
    "omniorb-idl_COS_CosReference.idl.rs",
    "omniorb-idl_COS_CosRelationships.idl.rs",
    "omniorb-idl_COS_CosStream.idl.rs",
    "omniorb-idl_COS_CosTrading.idl.rs",
    "omniorb-idl_COS_CosTradingDynamic.idl.rs",
    "omniorb-idl_COS_CosTradingRepos.idl.rs",
    "omniorb-idl_COS_CosTransactions.idl.rs",
    "omniorb-idl_COS_CosTypedEventChannelAdmin.idl.rs",
    "omniorb-idl_COS_CosTypedNotifyChannelAdmin.idl.rs",
    "omniorb-idl_COS_CosTypedNotifyComm.idl.rs",
    "omniorb-idl_COS_LifeCycleService.idl.rs",
    "omniorb-idl_COS_NRService.idl.rs",
    "omniorb-idl_bootstrap.idl.rs",
    "omniorb-idl_ir.idl.rs",
    "omniorb-idl_orb.idl.rs",
    "tango_tango.idl.rs",
    "tcl-combat_account_account.idl.rs",
];

#[test]
fn rustfmt_has_nothing_to_change_but_in_what_is_listed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let Ok(files) = packages::files(&root.join(target).join("corpus")) else {
        return left_out("the corpus is not there, run `cargo xtask peers`");
    };
    if Command::new("rustfmt").arg("--version").output().is_err() {
        return left_out("there is no rustfmt, run `rustup component add rustfmt`");
    }
    let directory = tempfile::tempdir().unwrap();
    let mut written: BTreeMap<PathBuf, String> = BTreeMap::new();
    for file in &files {
        if let Some(rust) = taut_corpus::rust(file) {
            let name = file.id().replace(['/', ' '], "_") + ".rs";
            let path = directory.path().join(name);
            fs::write(&path, &rust).unwrap();
            written.insert(path, rust);
        }
    }
    assert!(written.len() > 80, "only {} files", written.len());
    // Its own comparison would need memory by the square of the lines.
    let output = Command::new("rustfmt")
        .args(["--edition", "2024"])
        .args(written.keys())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let is_different =
        |(path, rust): &(&PathBuf, &String)| fs::read_to_string(path).unwrap() != **rust;
    let names = written.iter().filter(is_different);
    let names = names.filter_map(|(path, _)| path.file_name());
    let different: Vec<_> = names.map(|name| name.to_string_lossy()).collect();
    assert_eq!(different, DIFFERENT, "{errors}");
}

fn left_out(why: &str) {
    let required = env::var_os("TAUT_REQUIRE_PEERS").is_some_and(|value| value == "1");
    assert!(!required, "{why}");
    // Not eprintln!, which the test runner hides when a test passes.
    let said = io::stderr().write_all(format!("LEFT OUT: {why}\n").as_bytes());
    assert!(said.is_ok());
}
