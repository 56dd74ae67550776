//! Where etcd is, and how long it may take.

use std::fmt;
use std::time::Duration;

use super::super::StoreError;

/// The scheme of a URL that names members of etcd.
const SCHEME: &str = "etcd://";
/// The port at which etcd serves clients.
const DEFAULT_PORT: u16 = 2379;
const DEFAULT_PREFIX: &str = "/taut/naming/";

/// What reads of names show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reads {
    /// Each change that had been answered before the read began, by whichever replica. A read asks
    /// a majority of the members of etcd.
    #[default]
    Linearizable,
    /// A copy in the memory of the replica, which follows etcd. It has all changes that this
    /// replica has answered, and those of others a moment later.
    Watched,
}

/// Where etcd is, and the limits and time-outs of a store in it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EtcdSettings {
    /// The members of etcd, as `host:port`.
    pub members: Vec<String>,
    /// The beginning of all keys of the store. Replicas with the same one serve the same tree.
    pub prefix: String,
    /// What reads show.
    pub reads: Reads,
    /// The time after which a read or a change is given up, with TRANSIENT or PERSIST_STORE.
    pub timeout: Duration,
    /// The time that one member has for one request before the next member is asked.
    pub member_timeout: Duration,
    /// The time after which etcd forgets a replica that has died.
    pub replica_lease: Duration,
    /// The age at which a watched copy that etcd has not confirmed is shown no more; zero for never.
    pub max_age: Duration,
    /// The operations that etcd takes in a transaction: its option `--max-txn-ops`.
    pub max_txn_ops: usize,
}

impl EtcdSettings {
    /// The settings for the members of etcd in a URL, `etcd://host:port,host:port/prefix`. Ports
    /// and prefix may be missing.
    ///
    /// # Errors
    ///
    /// When the text is no such URL.
    pub fn parse(url: &str) -> Result<Self, StoreError> {
        let wrong = |reason: &str| {
            StoreError::new(format!(
                "{}: {reason}; write etcd://host:port,host:port/prefix",
                url.escape_default()
            ))
        };
        let rest = url
            .strip_prefix(SCHEME)
            .ok_or_else(|| wrong("this is no URL of etcd"))?;
        let (members, prefix) = match rest.split_once('/') {
            Some((members, prefix)) => (members, format!("/{}/", prefix.trim_end_matches('/'))),
            None => (rest, DEFAULT_PREFIX.to_owned()),
        };
        let prefix = match prefix.as_str() {
            "//" => DEFAULT_PREFIX.to_owned(),
            _ => prefix,
        };
        let members: Option<Vec<_>> = members.split(',').map(member).collect();
        Ok(Self {
            members: members.ok_or_else(|| wrong("a member is no host, or its port no port"))?,
            prefix,
            reads: Reads::default(),
            timeout: Duration::from_secs(10),
            member_timeout: Duration::from_secs(2),
            replica_lease: Duration::from_secs(10),
            max_age: Duration::from_secs(60),
            max_txn_ops: 128,
        })
    }

    /// Whether a text is meant to be a URL of etcd.
    pub fn is_url(text: &str) -> bool {
        text.starts_with(SCHEME)
    }
}

/// A member with its port.
fn member(text: &str) -> Option<String> {
    let is_bare = text.ends_with(']') || !text.contains(':');
    let member = match is_bare {
        true => format!("{text}:{DEFAULT_PORT}"),
        false => text.to_owned(),
    };
    let (host, port) = member.rsplit_once(':')?;
    let is_plain = |octet: u8| octet.is_ascii_alphanumeric() || b".-_[]:".contains(&octet);
    let is_bracketed = host.starts_with('[') && host.ends_with(']');
    let is_host = !host.is_empty()
        && host.bytes().all(is_plain)
        && (is_bracketed || !host.contains([':', '[', ']']));
    let is_port = port.parse::<u16>().is_ok_and(|port| port != 0);
    (is_host && is_port).then_some(member)
}

/// The members, for messages.
impl fmt::Display for EtcdSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "etcd at {}", self.members.join(", "))
    }
}
