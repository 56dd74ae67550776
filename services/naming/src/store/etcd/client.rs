//! Calls to the members of etcd: one after the other until one answers.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use prost::Message;
use tokio::runtime::{Builder, Runtime};
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::codegen::tokio_stream;
use tonic::metadata::MetadataValue;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status, Streaming};
use tonic_prost::ProstCodec;

use super::super::StoreError;
use super::messages::{WatchRequest, WatchResponse};
use super::settings::EtcdSettings;

/// The methods of etcd's interface.
pub(super) const RANGE: &str = "/etcdserverpb.KV/Range";
pub(super) const TXN: &str = "/etcdserverpb.KV/Txn";
pub(super) const LEASE_GRANT: &str = "/etcdserverpb.Lease/LeaseGrant";
pub(super) const LEASE_REVOKE: &str = "/etcdserverpb.Lease/LeaseRevoke";
const LEASE_KEEP_ALIVE: &str = "/etcdserverpb.Lease/LeaseKeepAlive";
const WATCH: &str = "/etcdserverpb.Watch/Watch";

/// The pause after all members have been asked in vain.
const PAUSE: Duration = Duration::from_millis(50);
/// The time after which a silent connection is probed. etcd closes those that are probed more often
/// than every 5 s (its option `--grpc-keepalive-min-time`).
const PROBE: Duration = Duration::from_secs(10);
/// The octets of one answer: more than a page of a copy has.
const ANSWER_OCTETS: usize = 256 << 20;

/// How a request failed.
#[derive(Debug, Clone)]
pub(super) enum Fault {
    /// No member has answered in time. The request may have been carried out.
    Unanswered(String),
    /// The revision that is read is not at hand any more, or not yet.
    Revision,
    /// etcd refuses, and has done nothing.
    Refused(Code, String),
}

/// The members, and the threads that speak to them.
pub(super) struct Client {
    settings: EtcdSettings,
    channels: Vec<Channel>,
    /// The member that is asked first.
    current: AtomicUsize,
    /// None only while the client is being dropped.
    runtime: Option<Runtime>,
}

impl Client {
    /// Prepares to call; the members need not be there.
    ///
    /// # Errors
    ///
    /// When no thread can be started, or a member is no host and port.
    pub(super) fn new(settings: EtcdSettings) -> Result<Self, StoreError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("taut-naming-etcd")
            .enable_all()
            .build()
            .map_err(|error| StoreError::new(format!("no thread for etcd: {error}")))?;
        let guard = runtime.enter();
        let mut channels = Vec::with_capacity(settings.members.len());
        for member in &settings.members {
            let endpoint = Endpoint::from_shared(format!("http://{member}"))
                .map_err(|error| StoreError::new(format!("the member {member}: {error}")))?;
            let endpoint = endpoint
                .connect_timeout(settings.member_timeout)
                .http2_keep_alive_interval(PROBE)
                .keep_alive_timeout(settings.member_timeout)
                .tcp_nodelay(true);
            channels.push(endpoint.connect_lazy());
        }
        drop(guard);
        if channels.is_empty() {
            return Err(StoreError::new("no member of etcd is named"));
        }
        Ok(Self {
            settings,
            channels,
            current: AtomicUsize::new(0),
            runtime: Some(runtime),
        })
    }

    pub(super) fn settings(&self) -> &EtcdSettings {
        &self.settings
    }

    /// The instant at which what begins now is given up.
    pub(super) fn deadline(&self) -> Instant {
        Instant::now() + self.settings.timeout
    }

    /// Carries out a request at some member, again at another one if need be: it has to be one
    /// that may be carried out twice.
    ///
    /// # Errors
    ///
    /// When no member answers in time, or etcd refuses.
    pub(super) fn call<Q, A>(
        &self,
        method: &'static str,
        request: &Q,
        deadline: Instant,
    ) -> Result<A, Fault>
    where
        Q: Message + Clone + Send + Sync + 'static,
        A: Message + Default + Send + Sync + 'static,
    {
        self.until(deadline, || {
            self.attempt(deadline, |channel| unary(channel, method, request.clone()))
        })
    }

    /// Carries out a request at one member, once.
    ///
    /// # Errors
    ///
    /// When it does not answer in time, or etcd refuses.
    pub(super) fn call_once<Q, A>(
        &self,
        method: &'static str,
        request: Q,
        deadline: Instant,
    ) -> Result<A, Fault>
    where
        Q: Message + Send + Sync + 'static,
        A: Message + Default + Send + Sync + 'static,
    {
        self.attempt(deadline, |channel| unary(channel, method, request))
    }

    /// Begins the time of a lease anew, and returns its seconds: 0 for one that there is not.
    ///
    /// # Errors
    ///
    /// When no member answers in time, or etcd refuses.
    pub(super) fn keep_alive(&self, id: i64, deadline: Instant) -> Result<i64, Fault> {
        use super::messages::{LeaseKeepAliveRequest, LeaseKeepAliveResponse};
        self.until(deadline, || {
            self.attempt(deadline, |channel| async move {
                let requests = tokio_stream::iter([LeaseKeepAliveRequest { id }]);
                let mut answers: Streaming<LeaseKeepAliveResponse> =
                    streaming(channel, LEASE_KEEP_ALIVE, requests).await?;
                let answer = answers.message().await?;
                let answer = answer.ok_or_else(|| Status::unavailable("the stream has ended"))?;
                Ok(answer.seconds)
            })
        })
    }

    fn until<A>(
        &self,
        deadline: Instant,
        mut attempt: impl FnMut() -> Result<A, Fault>,
    ) -> Result<A, Fault> {
        let mut failed = 0;
        loop {
            match attempt() {
                Err(Fault::Unanswered(_)) if Instant::now() < deadline => {
                    failed += 1;
                    if failed % self.channels.len() == 0 {
                        std::thread::sleep(PAUSE);
                    }
                }
                result => return result,
            }
        }
    }

    /// Speaks with the current member; after a failure another one is the current one.
    fn attempt<A, F>(&self, deadline: Instant, speak: impl FnOnce(Channel) -> F) -> Result<A, Fault>
    where
        A: Send + 'static,
        F: Future<Output = Result<A, Status>> + Send + 'static,
    {
        let (index, channel) = self.member();
        let left = deadline.saturating_duration_since(Instant::now());
        let time = left.min(self.settings.member_timeout);
        let (send, receive) = mpsc::sync_channel(1);
        let answer = speak(channel);
        let late = Status::deadline_exceeded("no answer in time");
        let Some(runtime) = &self.runtime else {
            return Err(Fault::Unanswered("the store ends".to_owned()));
        };
        runtime.spawn(async move {
            let outcome = tokio::time::timeout(time, answer).await;
            let _ = send.send(outcome.unwrap_or(Err(late)));
        });
        let outcome = match receive.recv_timeout(time + self.settings.member_timeout) {
            Ok(outcome) => outcome,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                Err(Status::deadline_exceeded("no answer in time"))
            }
        };
        outcome.map_err(|status| {
            let fault = fault(&status);
            if matches!(fault, Fault::Unanswered(_)) {
                self.avoid(index, &status);
            }
            fault
        })
    }

    /// The current member and its number.
    pub(super) fn member(&self) -> (usize, Channel) {
        let index = self.current.load(Ordering::Relaxed) % self.channels.len();
        // There is one at least, see `new`.
        (index, self.channels[index].clone())
    }

    /// Makes the member behind this one the current one, unless that has been done already.
    pub(super) fn avoid(&self, index: usize, status: &Status) {
        let next = (index + 1) % self.channels.len();
        let order = Ordering::Relaxed;
        let moved = self.current.compare_exchange(index, next, order, order);
        if moved.is_ok() {
            let member = self.settings.members.get(index);
            tracing::warn!(
                target: "taut::naming", member, error = status.message(),
                "a member of etcd does not answer; the next one is asked"
            );
        }
    }

    /// Runs a task in the background until it ends or the client does.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        if let Some(runtime) = &self.runtime {
            runtime.spawn(task);
        }
    }

    /// A fault in words, as the store's.
    pub(super) fn failed(&self, fault: &Fault) -> StoreError {
        let etcd = &self.settings;
        match fault {
            Fault::Unanswered(reason) => StoreError::unreachable(format!(
                "{etcd}: no member has answered in {:?}: {reason}",
                etcd.timeout
            )),
            Fault::Revision => StoreError::unreachable(format!(
                "{etcd}: the state that was read has been compacted meanwhile, again and again"
            )),
            Fault::Refused(Code::ResourceExhausted, reason) if !reason.contains("larger") => {
                StoreError::new(format!(
                    "{etcd}: {reason}; compact and defragment it, or raise its \
                     --quota-backend-bytes"
                ))
            }
            Fault::Refused(Code::ResourceExhausted | Code::InvalidArgument, reason) => {
                StoreError::new(format!(
                    "{etcd}: {reason}; shorten the name or the reference, or raise etcd's \
                     --max-txn-ops or --max-request-bytes"
                ))
            }
            Fault::Refused(Code::Unauthenticated | Code::PermissionDenied, reason) => {
                StoreError::new(format!(
                    "{etcd}: {reason}; the store has no user of etcd: let everybody who reaches \
                     it read and write"
                ))
            }
            Fault::Refused(_, reason) => StoreError::new(format!("{etcd}: {reason}")),
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn ready(channel: Channel) -> Result<Grpc<Channel>, Status> {
    let mut grpc = Grpc::new(channel).max_decoding_message_size(ANSWER_OCTETS);
    let ready = grpc.ready().await;
    ready.map_err(|error| Status::unavailable(format!("no connection: {error}")))?;
    Ok(grpc)
}

pub(super) async fn unary<Q, A>(
    channel: Channel,
    method: &'static str,
    request: Q,
) -> Result<A, Status>
where
    Q: Message + Send + Sync + 'static,
    A: Message + Default + Send + Sync + 'static,
{
    let mut grpc = ready(channel).await?;
    let path = PathAndQuery::from_static(method);
    let codec = ProstCodec::<Q, A>::default();
    let answer = grpc.unary(Request::new(request), path, codec).await?;
    Ok(answer.into_inner())
}

async fn streaming<Q, A>(
    channel: Channel,
    method: &'static str,
    requests: impl tokio_stream::Stream<Item = Q> + Send + 'static,
) -> Result<Streaming<A>, Status>
where
    Q: Message + Send + Sync + 'static,
    A: Message + Default + Send + Sync + 'static,
{
    let mut grpc = ready(channel).await?;
    let path = PathAndQuery::from_static(method);
    let codec = ProstCodec::<Q, A>::default();
    let mut request = Request::new(requests);
    // Else a member that is cut off from the majority goes on to tell what it knows.
    let has_leader = MetadataValue::from_static("true");
    request.metadata_mut().insert("hasleader", has_leader);
    let answer = grpc.streaming(request, path, codec).await?;
    Ok(answer.into_inner())
}

/// Begins to watch.
///
/// # Errors
///
/// When the member does not answer.
pub(super) async fn watch(
    channel: Channel,
    requests: impl tokio_stream::Stream<Item = WatchRequest> + Send + 'static,
) -> Result<Streaming<WatchResponse>, Status> {
    streaming(channel, WATCH, requests).await
}

/// The meaning of a status for the one who asks.
pub(super) fn fault(status: &Status) -> Fault {
    let reason = status.message().to_owned();
    match status.code() {
        Code::OutOfRange => Fault::Revision,
        // etcd has one code for a queue that is long for a moment and for a disk that is full.
        Code::ResourceExhausted if reason.contains("too many requests") => {
            Fault::Unanswered(reason)
        }
        code @ (Code::InvalidArgument
        | Code::NotFound
        | Code::AlreadyExists
        | Code::PermissionDenied
        | Code::Unauthenticated
        | Code::ResourceExhausted
        | Code::FailedPrecondition
        | Code::Unimplemented) => Fault::Refused(code, reason),
        _ => Fault::Unanswered(reason),
    }
}
