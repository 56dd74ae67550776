//! The store in etcd: its URL, members that are not there, and what it finds in etcd.

use std::process::Command;
use std::time::Duration;

use taut_naming::NameComponent;
use taut_naming::store::etcd::EtcdSettings;
use taut_naming::store::{
    Bound, Change, ContextId, Done, EtcdStore, Key, Refusal, Store, StoreLimits,
};
use test_tools::EtcdCluster;

const TIME_OUT: Duration = Duration::from_secs(60);

#[test]
fn a_url_names_members_and_a_prefix() {
    let parsed = |url: &str| EtcdSettings::parse(url).unwrap();
    let settings = parsed("etcd://10.0.0.1,etcd.example.com:23790,[::1],[::1]:1/some/where/");
    let members = [
        "10.0.0.1:2379",
        "etcd.example.com:23790",
        "[::1]:2379",
        "[::1]:1",
    ];
    assert_eq!(settings.members, members);
    assert_eq!(settings.prefix, "/some/where/");
    for url in ["etcd://host", "etcd://host/"] {
        assert_eq!(parsed(url).prefix, "/taut/naming/", "{url}");
    }
    for url in [
        "http://host",
        "etcd://",
        "etcd://host,",
        "etcd://host:port",
        "etcd://host:0",
        "etcd://host:70000",
        "etcd://::1",
        "etcd://user@host",
        "etcd://ho st",
    ] {
        let error = EtcdSettings::parse(url).unwrap_err().to_string();
        assert!(error.contains("write etcd://host:port"), "{url}: {error}");
    }
}

fn bind(store: &EtcdStore, id: &str) -> Result<Done, Refusal> {
    let component = NameComponent {
        id: id.to_owned(),
        kind: String::new(),
    };
    let change = Change::Bind {
        start: ContextId::ROOT,
        path: vec![Key::new(&component)],
        bound: Bound::Object(b"1".to_vec()),
        replaces: false,
        lease: None,
    };
    store.change(change, StoreLimits::NONE).unwrap()
}

#[test]
fn an_etcd_that_is_not_there_is_named() {
    let port = test_tools::free_port().unwrap();
    let mut settings = EtcdSettings::parse(&format!("etcd://127.0.0.1:{port}")).unwrap();
    settings.timeout = Duration::from_millis(300);
    let error = EtcdStore::open(settings).unwrap_err();
    assert!(error.is_unreachable(), "{error}");
    assert!(!error.may_be_done(), "{error}");
    let expected = format!("etcd at 127.0.0.1:{port}: no member has answered in 300ms");
    assert!(error.to_string().starts_with(&expected), "{error}");
}

#[test]
fn a_member_that_is_not_there_is_passed_over() {
    let directory = tempfile::tempdir().unwrap();
    let Some(cluster) = EtcdCluster::start(directory.path(), 1).unwrap() else {
        return;
    };
    let absent = test_tools::free_port().unwrap();
    let url = format!("etcd://127.0.0.1:{absent},{}", cluster.addresses());
    let mut settings = EtcdSettings::parse(&url).unwrap();
    settings.timeout = TIME_OUT;
    let store = EtcdStore::open(settings).unwrap();
    assert_eq!(bind(&store, "a"), Ok(Done::Plain));
}

#[test]
fn stores_with_one_prefix_have_one_tree_and_others_another() {
    let directory = tempfile::tempdir().unwrap();
    let Some(cluster) = EtcdCluster::start(directory.path(), 1).unwrap() else {
        return;
    };
    let open = |prefix: &str| {
        let url = format!("etcd://{}/{prefix}", cluster.addresses());
        let mut settings = EtcdSettings::parse(&url).unwrap();
        settings.timeout = TIME_OUT;
        EtcdStore::open(settings)
    };
    let (one, same, other) = (open("a").unwrap(), open("a").unwrap(), open("b").unwrap());
    assert_eq!(one.tree(), same.tree());
    assert_ne!(one.tree(), other.tree());
    assert_eq!(bind(&one, "x"), Ok(Done::Plain));
    assert_eq!(bind(&same, "x"), Err(Refusal::AlreadyBound));
    assert_eq!(bind(&other, "x"), Ok(Done::Plain));

    // What another format may have is left alone.
    let Some(etcdctl) = test_tools::tool("etcdctl") else {
        return;
    };
    let mut command = Command::new(etcdctl);
    command.env("ETCDCTL_API", "3");
    command.args(["--endpoints", &cluster.addresses(), "put", "/c/format", "2"]);
    assert!(command.output().unwrap().status.success());
    let error = open("c").unwrap_err().to_string();
    assert!(error.contains("the format of /c/ is 2"), "{error}");
    assert!(error.contains("reads format 1"), "{error}");
}

#[test]
fn a_change_that_is_too_long_for_etcd_is_refused_with_a_remedy() {
    let directory = tempfile::tempdir().unwrap();
    let Some(cluster) = EtcdCluster::start(directory.path(), 1).unwrap() else {
        return;
    };
    let settings = EtcdSettings::parse(&format!("etcd://{}", cluster.addresses()));
    let mut settings = settings.unwrap();
    settings.timeout = TIME_OUT;
    let store = EtcdStore::open(settings).unwrap();
    let change = Change::Bind {
        start: ContextId::ROOT,
        path: vec![Key::new(&NameComponent::default())],
        bound: Bound::Object(vec![0; 2 << 20]),
        replaces: false,
        lease: None,
    };
    let error = store.change(change, StoreLimits::NONE).unwrap_err();
    assert!(!error.is_unreachable(), "{error}");
    assert!(error.to_string().contains("--max-request-bytes"), "{error}");
    assert_eq!(bind(&store, ""), Ok(Done::Plain));
}
