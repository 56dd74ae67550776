//! The changes of many threads in one transaction of etcd.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use tonic::Code;

use super::super::group_commit::Waiting;
use super::super::memory::random;
use super::super::{Answer, Change, ContextId, Key, StoreError, StoreLimits, apply};
use super::client::{Fault, LEASE_REVOKE, TXN};
use super::draft::{Draft, Remainder};
use super::messages::{LeaseRevokeRequest, LeaseRevokeResponse, TxnResponse};
use super::replicas::last_transaction;
use super::snapshot::Snapshot;
use super::{COPY_WAIT, Shared};

/// The answer to a change, or why there is none.
type Outcome = Result<Answer, StoreError>;

/// The octets of the changes of one transaction; etcd takes 1.5 MiB unless it is told otherwise.
const OCTETS: usize = 1 << 20;
/// The operations that a change may need besides one for each component of its name.
const OPERATIONS: usize = 4;
/// The times that a transaction is tried again at once when others were faster.
const AT_ONCE: u32 = 3;
/// The longest pause before it is tried again later.
const PAUSE_MICROSECONDS: u64 = 10_000;

/// A transaction that has been sent.
struct Sent {
    number: u64,
    answers: Vec<Answer>,
    remainder: Remainder,
}

/// What became of an attempt.
enum Attempt {
    Answered(Vec<Answer>),
    Again,
    /// The key of the replica is not there.
    Unregistered,
}

impl Shared {
    /// Carries out changes, and returns an outcome for each.
    pub(super) fn commit(&self, batch: &[Arc<Waiting>]) -> Vec<Outcome> {
        let most = self.client.settings().max_txn_ops;
        let mut outcomes = Vec::with_capacity(batch.len());
        let mut rest = batch;
        while !rest.is_empty() {
            let (mut operations, mut octets) = (1, 0);
            let fitting = rest.iter().take_while(|waiting| {
                let (more_operations, more_octets) = cost(&waiting.change);
                operations += more_operations;
                octets += more_octets;
                operations <= most && octets <= OCTETS
            });
            // One that is too long by itself is for etcd to refuse.
            let count = fitting.count().max(1);
            let (now, later) = rest.split_at(count.min(rest.len()));
            match self.carry_out(now) {
                Ok(answers) => outcomes.extend(answers.into_iter().map(Ok)),
                Err(error) => outcomes.extend(now.iter().map(|_| Err(error.clone()))),
            }
            rest = later;
        }
        outcomes
    }

    /// Carries out changes in one transaction, which is tried until it is known to be done.
    fn carry_out(&self, changes: &[Arc<Waiting>]) -> Result<Vec<Answer>, StoreError> {
        let deadline = self.client.deadline();
        let mut sent = Vec::new();
        let mut attempts = 0;
        let mut lease = self.lease.load(Ordering::Acquire);
        loop {
            let attempt = self.attempt(changes, lease, deadline, &mut sent);
            let error = match attempt {
                Ok(Attempt::Answered(answers)) => return Ok(answers),
                // Without the key nobody knows whether a transaction that was sent has been done.
                Ok(Attempt::Unregistered) if sent.is_empty() => {
                    if self.lease.load(Ordering::Acquire) == lease {
                        self.register(deadline)?;
                    }
                    lease = self.lease.load(Ordering::Acquire);
                    continue;
                }
                Ok(Attempt::Unregistered) => StoreError::unreachable(format!(
                    "{}: it has lost sight of this replica in the midst of a change",
                    self.client.settings()
                )),
                Ok(Attempt::Again) if Instant::now() < deadline => {
                    attempts += 1;
                    if attempts > AT_ONCE {
                        let pause = random() % PAUSE_MICROSECONDS;
                        thread::sleep(Duration::from_micros(pause));
                    }
                    continue;
                }
                Ok(Attempt::Again) => {
                    let etcd = self.client.settings();
                    StoreError::unreachable(format!(
                        "{etcd}: the change was not done in {:?}, since a member failed or others \
                         changed the same names",
                        etcd.timeout
                    ))
                }
                Err(error) => error,
            };
            return Err(match sent.is_empty() {
                true => error,
                false => error.after_commit(),
            });
        }
    }

    fn attempt(
        &self,
        changes: &[Arc<Waiting>],
        lease: i64,
        deadline: Instant,
        sent: &mut Vec<Sent>,
    ) -> Result<Attempt, StoreError> {
        let snapshot = Snapshot::new(&self.client, &self.layout, deadline);
        let own = self.layout.replica(lease);
        let first = changes.iter().filter_map(|waiting| first(&waiting.change));
        let first = first.map(|(context, key)| self.layout.binding(context, key));
        let mut keys: Vec<_> = std::iter::once(own.clone()).chain(first).collect();
        keys.sort_unstable();
        keys.dedup();
        snapshot.fetch(&keys)?;
        let marker = snapshot.get(&own)?;
        let last = marker.value.as_deref().and_then(last_transaction);
        let Some(last) = last else {
            return Ok(Attempt::Unregistered);
        };
        if let Some(index) = sent.iter().position(|one| one.number == last) {
            let done = sent.swap_remove(index);
            sent.clear();
            return Ok(self.done(done, marker.revision, deadline));
        }

        let mut draft = Draft::new(&snapshot, &self.counts, StoreLimits::NONE);
        let mut answers = Vec::with_capacity(changes.len());
        for waiting in changes {
            draft.limits = waiting.limits;
            match apply(&mut draft, &waiting.change, waiting.limits) {
                Ok(answer) => answers.push(answer),
                Err(_) if snapshot.is_stale() => return Ok(Attempt::Again),
                Err(error) => return Err(error),
            }
        }
        // One that has been sent may be done yet, unless the number of this one is there before.
        if draft.is_empty() && sent.is_empty() {
            return Ok(Attempt::Answered(answers));
        }
        let number = random();
        draft.put(own, self.marker(number), lease);
        let (request, remainder) = draft.finish();
        let attempt = Sent {
            number,
            answers,
            remainder,
        };
        let answer: Result<TxnResponse, _> = self.client.call_once(TXN, request, deadline);
        match answer {
            Ok(answer) if answer.succeeded => {
                sent.clear();
                let revision = answer.header.unwrap_or_default().revision;
                Ok(self.done(attempt, revision, deadline))
            }
            Ok(_) => Ok(Attempt::Again),
            // A lease has ended between the snapshot and the transaction.
            Err(Fault::Refused(Code::NotFound, _) | Fault::Revision) => Ok(Attempt::Again),
            Err(Fault::Unanswered(_)) => {
                sent.push(attempt);
                Ok(Attempt::Again)
            }
            Err(fault) => Err(self.client.failed(&fault)),
        }
    }

    /// Does what is left to do after a transaction.
    fn done(&self, done: Sent, mut revision: i64, deadline: Instant) -> Attempt {
        self.counts.grow(done.remainder.growth);
        for id in done.remainder.revoked {
            let revoke = LeaseRevokeRequest { id };
            let revoked: Result<LeaseRevokeResponse, _> =
                self.client.call(LEASE_REVOKE, &revoke, deadline);
            match revoked {
                Ok(answer) => revision = answer.header.unwrap_or_default().revision,
                Err(Fault::Refused(Code::NotFound, _)) => {}
                Err(fault) => tracing::warn!(
                    target: "taut::naming", ?fault, "the names of a lease end with its time only"
                ),
            }
        }
        if let Some(copy) = &self.copy
            && !copy.wait(revision, deadline.min(Instant::now() + COPY_WAIT))
        {
            tracing::warn!(
                target: "taut::naming", revision, "the copy of the names is behind etcd"
            );
        }
        Attempt::Answered(done.answers)
    }
}

/// The operations and the octets that a change may need.
fn cost(change: &Change) -> (usize, usize) {
    let length = |path: &[Key]| path.iter().map(|key| key.as_octets().len()).sum::<usize>();
    let (components, octets) = match change {
        Change::Bind { path, bound, .. } => {
            use super::super::Bound::{Context, Elsewhere, Object};
            let octets = match bound {
                Object(octets) | Elsewhere(octets) => octets.len(),
                Context(_) => 0,
            };
            (path.len(), length(path) + octets)
        }
        Change::Unbind { path, .. } | Change::BindNewContext { path, .. } => {
            (path.len(), length(path))
        }
        _ => (0, 0),
    };
    (components + OPERATIONS, octets)
}

/// The place at which the name of a change begins.
fn first(change: &Change) -> Option<(ContextId, &Key)> {
    match change {
        Change::Bind { start, path, .. }
        | Change::Unbind { start, path }
        | Change::BindNewContext { start, path } => Some((*start, path.first()?)),
        _ => None,
    }
}
