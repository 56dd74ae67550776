//! A copy of the tree in memory, which follows etcd.

use std::sync::Weak;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, RwLock};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tonic::codegen::tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use tonic::{Code, Status};

use super::super::encoding::decoded;
use super::super::memory::Names;
use super::super::{StoreError, Transaction, View};
use super::Shared;
use super::client::{RANGE, unary, watch};
use super::layout::{Layout, Place, range_end};
use super::messages::{
    Event, KeyValue, RangeRequest, RangeResponse, WatchCreateRequest, WatchProgressRequest,
    WatchRequest, WatchResponse, watch_request,
};

/// The keys of a page, while the copy is loaded.
const PAGE: i64 = 1000;
/// The kind of an event of a key that was deleted.
const DELETE: i32 = 1;
/// The times that a member is asked whether it is there before it is given up.
const SILENCE: u32 = 4;
/// The pause before the next member is asked.
const PAUSE: Duration = Duration::from_millis(100);

/// The copy.
#[derive(Debug)]
pub(super) struct Copy {
    names: RwLock<Names>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// The revision of which the copy is; 0 before it has been loaded.
    revision: i64,
    /// The last time that etcd said that there is nothing else.
    heard: Instant,
}

impl Copy {
    pub(super) fn new() -> Self {
        let state = State {
            revision: 0,
            heard: Instant::now(),
        };
        Self {
            names: RwLock::default(),
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    /// Shows the copy, unless etcd has not been heard of for `max_age`.
    ///
    /// # Errors
    ///
    /// When it has not, and those of `query`.
    pub(super) fn read(
        &self,
        max_age: Duration,
        query: &mut dyn FnMut(&dyn View) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let age = self.state.lock().heard.elapsed();
        if !max_age.is_zero() && age > max_age {
            return Err(StoreError::unreachable(format!(
                "no member of etcd has answered for {} s, longer than the copy of the names may \
                 be old (--etcd-max-age)",
                age.as_secs()
            )));
        }
        query(&*self.names.read())
    }

    /// Waits until the copy has this revision, and says whether it has.
    pub(super) fn wait(&self, revision: i64, deadline: Instant) -> bool {
        let mut state = self.state.lock();
        while state.revision < revision {
            if self.changed.wait_until(&mut state, deadline).timed_out() {
                return state.revision >= revision;
            }
        }
        true
    }

    fn heard(&self, revision: Option<i64>) {
        let mut state = self.state.lock();
        state.heard = Instant::now();
        if let Some(revision) = revision {
            state.revision = revision;
        }
        drop(state);
        self.changed.notify_all();
    }

    fn revision(&self) -> i64 {
        self.state.lock().revision
    }

    /// Loads all that there is.
    async fn load(&self, channel: &Channel, layout: &Layout) -> Result<(), Status> {
        let mut names = Names::default();
        let mut revision = 0;
        for prefix in [layout.contexts(), layout.bindings()] {
            let mut start = prefix.clone();
            loop {
                let request = RangeRequest {
                    key: start,
                    range_end: range_end(&prefix),
                    limit: PAGE,
                    revision,
                    ..RangeRequest::default()
                };
                let page: RangeResponse = unary(channel.clone(), RANGE, request).await?;
                if revision == 0 {
                    revision = page.header.unwrap_or_default().revision;
                }
                for found in &page.kvs {
                    put(&mut names, layout, found);
                }
                let Some(last) = page.kvs.last().filter(|_| page.more) else {
                    break;
                };
                start = [&last.key[..], &[0]].concat();
            }
        }
        *self.names.write() = names;
        self.heard(Some(revision));
        Ok(())
    }

    /// Takes over what a member tells. `Ok` when it is to be loaded anew.
    async fn follow(
        &self,
        channel: &Channel,
        layout: &Layout,
        prefix: Vec<u8>,
        pause: Duration,
    ) -> Result<(), Status> {
        let (send, requests) = mpsc::channel(2);
        let create = watch_request::Request::Create(WatchCreateRequest {
            range_end: range_end(&prefix),
            key: prefix,
            start_revision: self.revision() + 1,
        });
        let request = |request| WatchRequest {
            request: Some(request),
        };
        let ended = || Status::unavailable("the watch has ended");
        send.send(request(create)).await.map_err(|_| ended())?;
        let mut answers = watch(channel.clone(), ReceiverStream::new(requests)).await?;
        let mut silence = 0;
        loop {
            match timeout(pause, answers.message()).await {
                Ok(answer) => {
                    let answer = answer?.ok_or_else(ended)?;
                    silence = 0;
                    if answer.canceled {
                        return match answer.compact_revision {
                            0 => Err(Status::unavailable(answer.cancel_reason)),
                            _ => Ok(()),
                        };
                    }
                    self.take_over(layout, &answer);
                }
                Err(_) if silence < SILENCE => {
                    silence += 1;
                    let progress = watch_request::Request::Progress(WatchProgressRequest {});
                    // A request that waits behind another one is as good.
                    let _ = send.try_send(request(progress));
                }
                Err(_) => return Err(Status::deadline_exceeded("the watch is silent")),
            }
        }
    }

    fn take_over(&self, layout: &Layout, answer: &WatchResponse) {
        let mut revision = None;
        let mut names = self.names.write();
        for Event { kind, kv } in &answer.events {
            let Some(found) = kv else { continue };
            revision = Some(found.mod_revision);
            if *kind == DELETE {
                remove(&mut names, layout, &found.key);
            } else {
                put(&mut names, layout, found);
            }
        }
        drop(names);
        self.heard(revision);
    }
}

fn put(names: &mut Names, layout: &Layout, found: &KeyValue) {
    match layout.place(&found.key) {
        Some(Place::Context(context)) => names.add_context(context),
        Some(Place::Binding(context, key)) => {
            let bound = decoded(&found.value);
            let done = bound.and_then(|bound| names.bind(context, &key, &bound, None));
            if let Err(error) = done {
                tracing::error!(target: "taut::naming", %error, "a binding in etcd is not shown");
            }
        }
        None => {}
    }
}

fn remove(names: &mut Names, layout: &Layout, key: &[u8]) {
    // Nothing fails in memory.
    let _ = match layout.place(key) {
        Some(Place::Context(context)) => names.remove_context(context),
        Some(Place::Binding(context, key)) => names.unbind(context, &key),
        None => Ok(()),
    };
}

/// Keeps the copy of a store up to date until the store ends.
pub(super) async fn keep(store: Weak<Shared>) {
    loop {
        let Some(shared) = store.upgrade() else {
            return;
        };
        let Some(copy) = shared.copy.clone() else {
            return;
        };
        let (index, channel) = shared.client.member();
        let layout = shared.layout.clone();
        let settings = shared.client.settings();
        let (prefix, time) = (
            settings.prefix.clone().into_bytes(),
            settings.member_timeout,
        );
        // While it waits for etcd, the store may end.
        drop(shared);
        let outcome = async {
            if copy.revision() == 0 {
                copy.load(&channel, &layout).await?;
            }
            copy.follow(&channel, &layout, prefix, time / SILENCE).await
        };
        let outcome = outcome.await;
        let Some(shared) = store.upgrade() else {
            return;
        };
        match outcome {
            // It is loaded anew; until then it grows older.
            Ok(()) => copy.state.lock().revision = 0,
            Err(status) if status.code() == Code::OutOfRange => copy.state.lock().revision = 0,
            Err(status) => shared.client.avoid(index, &status),
        }
        drop(shared);
        sleep(PAUSE).await;
    }
}
