//! Definitions that survive the process.

use taut::Reference;
use taut_ifr::service::{RepositorySettings, RepositoryStore};
use taut_ifr::{
    Contained, Container, DefinitionKind, InterfaceDef, InterfaceDefRef, IrObject, Repository,
};

use super::fixture::Fixture;

#[test]
fn definitions_and_references_go_on_with_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("interfaces");
    let open = || {
        Fixture::new(
            RepositoryStore::open(&path).unwrap(),
            RepositorySettings::default(),
        )
    };
    let describe = |fixture: &Fixture| {
        let all = fixture
            .repository
            .contents(DefinitionKind::DkAll, true)
            .unwrap();
        let module = all[0].as_ref().unwrap();
        let module: taut_ifr::ModuleDefRef = module.as_object().narrow().unwrap();
        let described = module
            .describe_contents(DefinitionKind::DkAll, true, -1)
            .unwrap();
        described
            .into_iter()
            .map(|one| (one.kind, one.value))
            .collect::<Vec<_>>()
    };
    let (before, key_before) = {
        let fixture = open();
        fixture.load(include_str!("bank.idl"));
        let savings: InterfaceDefRef = fixture.find("IDL:example.org/Bank/Savings:1.0");
        savings.destroy().unwrap();
        let hidden: InterfaceDefRef = fixture.find("IDL:example.org/Bank/Hidden:1.0");
        hidden.set_version("7").unwrap();
        let account: InterfaceDefRef = fixture.find("IDL:example.org/Bank/Account:1.0");
        (describe(&fixture), object_key(&account))
    };
    assert_eq!(before.len(), 24);
    let fixture = open();
    assert_eq!(describe(&fixture), before);
    assert!(
        fixture
            .repository
            .lookup_id("IDL:example.org/Bank/Savings:1.0")
            .unwrap()
            .is_none()
    );
    let hidden: InterfaceDefRef = fixture.find("IDL:example.org/Bank/Hidden:1.0");
    assert_eq!(hidden.version().unwrap(), "7");
    // The reference of the earlier life has another address; the object is the same.
    let account: InterfaceDefRef = fixture.find("IDL:example.org/Bank/Account:1.0");
    assert_eq!(object_key(&account), key_before);
    // New definitions get keys that none had.
    let made = fixture
        .repository
        .create_module("IDL:New:1.0", "New", "1.0")
        .unwrap()
        .unwrap();
    assert!(!made.as_object().is_equivalent(account.as_object()));
    assert_eq!(account.describe_interface().unwrap().operations.len(), 3);
}

/// The object key in a reference.
fn object_key(reference: &impl Reference) -> Vec<u8> {
    let ior = reference.as_object().ior();
    let profile = ior.iiop_profiles().next().unwrap().unwrap();
    profile.object_key.to_vec()
}

#[test]
fn a_file_in_which_definitions_are_missing_is_refused() {
    const TABLE: redb::TableDefinition<'_, u64, &[u8]> = redb::TableDefinition::new("definitions");
    let directory = tempfile::tempdir().unwrap();
    for (removed, reason) in [
        ("IDL:M:1.0", "in no container"),
        ("IDL:M/A:1.0", "refer to others"),
    ] {
        let path = directory.path().join(removed.replace([':', '/'], "-"));
        let store = RepositoryStore::open(&path).unwrap();
        let fixture = Fixture::new(store, RepositorySettings::default());
        fixture.load("module M { struct A { long a; }; typedef A B; };");
        drop(fixture);
        let database = redb::Database::create(&path).unwrap();
        let transaction = database.begin_write().unwrap();
        {
            let mut table = transaction.open_table(TABLE).unwrap();
            let id = removed.as_bytes();
            let begins =
                |octets: &[u8]| octets.windows(id.len()).position(|at| at == id) == Some(4);
            table.retain(|_, octets| !begins(octets)).unwrap();
        }
        transaction.commit().unwrap();
        drop(database);
        let store = RepositoryStore::open(&path).unwrap();
        let orb = taut::Orb::builder()
            .listen("127.0.0.1:0")
            .unwrap()
            .build()
            .unwrap();
        let settings = RepositorySettings::default();
        let error = taut_ifr::service::InterfaceRepository::start(&orb, store, settings);
        let error = error.unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
        orb.shutdown(true).unwrap();
    }
}

#[test]
fn a_file_that_is_none_is_refused_and_left_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("strange");
    std::fs::write(&path, "no database").unwrap();
    let error = RepositoryStore::open(&path).unwrap_err();
    assert!(
        error.to_string().contains("the file of definitions"),
        "{error}"
    );
    assert_eq!(std::fs::read(&path).unwrap(), b"no database");

    let path = directory.path().join("names");
    let database = redb::Database::create(&path).unwrap();
    let transaction = database.begin_write().unwrap();
    let table: redb::TableDefinition<'_, u64, u64> = redb::TableDefinition::new("other");
    transaction.open_table(table).unwrap();
    transaction.commit().unwrap();
    drop(database);
    let error = RepositoryStore::open(&path).unwrap_err();
    assert!(error.to_string().contains("another program"), "{error}");

    let path = directory.path().join("twice");
    let first = RepositoryStore::open(&path).unwrap();
    let error = RepositoryStore::open(&path).unwrap_err();
    assert!(
        error.to_string().contains("another process has it"),
        "{error}"
    );
    drop(first);
}
