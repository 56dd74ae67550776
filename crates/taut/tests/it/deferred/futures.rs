//! Servants whose operations return futures, as generated code runs them.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::mpsc::channel;
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Waker};
use std::thread::{self, ThreadId};

use parking_lot::Mutex;
use taut::codegen::{self, answer_with_future};
use taut::{
    BoxFuture, Current, Orb, Reference as _, RequestContext, Servant, ServantIdentity,
    SystemException, minor,
};
use taut_cdr::Encode;

use super::PATIENCE;
use crate::common::mode::{Mode, for_each_mode};
use crate::common::{Echo, EchoRef, EndOfServer};

for_each_mode! {
    [tcp, unix, reactor, shared, spinning] {
        a_future_that_is_ready_at_once_is_answered_by_the_thread_that_read_the_request,
        a_future_goes_on_when_it_is_woken_with_its_request_around_it,
        a_future_that_panics_costs_its_caller_unknown,
        there_are_no_more_threads_for_futures_than_the_setting_says,
        an_executor_of_the_application_runs_all_of_a_future,
    }
}

type Text = Pin<Box<dyn Future<Output = taut::Result<String>> + Send>>;

/// A servant that answers every request with the future that its test makes.
#[derive(Clone)]
struct Promising(Arc<dyn Fn() -> Text + Send + Sync>);

impl Servant for Promising {
    fn interface(&self) -> &'static codegen::Interface {
        EchoRef::INTERFACE
    }

    fn identity(&self) -> ServantIdentity {
        ServantIdentity::of(&self.0)
    }

    fn dispatch(&self, request: &mut codegen::ServerRequest<'_>) -> taut::Result<()> {
        request.arguments(|input| input.read_string())?;
        answer_with_future(request, (self.0)(), |request, outcome| {
            let text = outcome?;
            request.reply(|out| text.encode(out))
        })
    }
}

impl codegen::Skeleton for Promising {
    type Reference = EchoRef;
}

fn serve(
    mode: Mode,
    builder: taut::OrbBuilder,
    promise: impl Fn() -> Text + Send + Sync + 'static,
) -> (Orb, EchoRef, EndOfServer) {
    let orb = builder.build().unwrap();
    let poa = orb.root_poa().unwrap();
    let echo = poa.activate(Promising(Arc::new(promise))).unwrap();
    poa.manager().activate().unwrap();
    let client = mode.client(&echo.as_object().to_string());
    let end = EndOfServer::of(&orb);
    (orb, client, end)
}

fn here() -> (ThreadId, String) {
    let thread = thread::current();
    (thread.id(), thread.name().unwrap_or_default().to_owned())
}

fn a_future_that_is_ready_at_once_is_answered_by_the_thread_that_read_the_request(mode: Mode) {
    let (_orb, client, _end) = serve(mode, mode.listening_builder(), || {
        let called = here();
        Box::pin(async move {
            assert_eq!(here(), called);
            Ok(called.1)
        })
    });
    for _ in 0..3 {
        let thread = client.echo("").unwrap();
        assert!(
            thread == "taut connection" || thread == "taut reactor",
            "{thread}"
        );
    }
}

/// A wait that a test ends.
#[derive(Clone, Default)]
struct Gate(Arc<Mutex<(bool, Option<Waker>)>>);

impl Gate {
    fn open(&self) {
        let mut state = self.0.lock();
        state.0 = true;
        if let Some(waker) = state.1.take() {
            waker.wake();
        }
    }

    fn is_waited_for(&self) -> bool {
        self.0.lock().1.is_some()
    }

    fn poll(&self, context: &Context<'_>) -> Poll<()> {
        let mut state = self.0.lock();
        if std::mem::take(&mut state.0) {
            return Poll::Ready(());
        }
        state.1 = Some(context.waker().clone());
        Poll::Pending
    }

    async fn opened(&self) {
        poll_fn(|context| self.poll(context)).await;
    }
}

const CONTEXT: u32 = 0x4d59_0002;

fn a_future_goes_on_when_it_is_woken_with_its_request_around_it(mode: Mode) {
    let gate = Gate::default();
    let inner = gate.clone();
    let (_orb, client, _end) = serve(mode, mode.listening_builder(), move || {
        let gate = inner.clone();
        Box::pin(async move {
            let before = Current::object_id()?;
            RequestContext::add_to_reply(CONTEXT, b"before")?;
            gate.opened().await;
            assert_eq!(Current::object_id()?, before);
            assert!(RequestContext::peer()?.is_some());
            assert!(RequestContext::source()?.is_some());
            let asked = RequestContext::service_context(CONTEXT)?.unwrap();
            RequestContext::add_to_reply(CONTEXT, asked)?;
            Ok(here().1)
        })
    });
    thread::scope(|scope| {
        let called = scope.spawn(|| {
            let context = taut::CallContext::new().with_service_context(CONTEXT, b"asked");
            let thread = context.within(|| client.echo("")).unwrap();
            let contexts = context.reply_service_contexts();
            let own = contexts.into_iter().filter(|context| context.id == CONTEXT);
            let data: Vec<_> = own.map(|context| context.data).collect();
            (thread, data)
        });
        crate::common::eventually("the future waits", || gate.is_waited_for());
        assert!(!called.is_finished());
        gate.open();
        let (thread, data) = called.join().unwrap();
        assert_eq!(thread, "taut future");
        assert_eq!(data, [b"before".to_vec(), b"asked".to_vec()]);
    });
}

fn a_future_that_panics_costs_its_caller_unknown(mode: Mode) {
    let gate = Gate::default();
    let inner = gate.clone();
    let waits = Arc::new(Mutex::new(false));
    let whether = Arc::clone(&waits);
    let (_orb, client, _end) = serve(mode, mode.listening_builder(), move || {
        let (gate, waits) = (inner.clone(), *whether.lock());
        Box::pin(async move {
            if waits {
                gate.opened().await;
            }
            panic!("the future was asked to panic")
        })
    });
    let minor_of = |error| match error {
        crate::common::EchoError::System(SystemException { minor, .. }) => minor,
        other => panic!("{other:?}"),
    };
    let error = client.echo("").unwrap_err();
    assert_eq!(minor_of(error), minor::SERVANT_PANICKED);
    *waits.lock() = true;
    for _ in 0..3 {
        thread::scope(|scope| {
            let called = scope.spawn(|| client.echo(""));
            crate::common::eventually("the future waits", || gate.is_waited_for());
            gate.open();
            let error = called.join().unwrap().unwrap_err();
            assert_eq!(minor_of(error), minor::SERVANT_PANICKED);
        });
    }
}

fn there_are_no_more_threads_for_futures_than_the_setting_says(mode: Mode) {
    let gates: [Gate; 4] = Default::default();
    let inner = gates.clone();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let builder = mode
        .listening_builder()
        .settings(|settings| settings.server.future_threads = 1);
    let (_orb, client, _end) = serve(mode, builder, move || {
        let gate = inner[next.fetch_add(1, std::sync::atomic::Ordering::SeqCst)].clone();
        Box::pin(async move {
            gate.opened().await;
            Ok(format!("{:?}", here()))
        })
    });
    thread::scope(|scope| {
        let calls = [(); 4].map(|()| scope.spawn(|| client.echo("").unwrap()));
        crate::common::eventually("the futures wait", || gates.iter().all(Gate::is_waited_for));
        gates.iter().for_each(Gate::open);
        let threads = calls.map(|call| call.join().unwrap());
        assert!(
            threads.iter().all(|thread| *thread == threads[0]),
            "{threads:?}"
        );
    });
}

fn an_executor_of_the_application_runs_all_of_a_future(mode: Mode) {
    let (futures, to_run) = channel::<BoxFuture>();
    let futures = Mutex::new(futures);
    let builder = mode.listening_builder();
    let builder = builder.executor(move |future: BoxFuture| {
        futures.lock().send(future).unwrap();
    });
    let (_orb, client, _end) = serve(mode, builder, || Box::pin(async { Ok(here().1) }));
    run_in_a_thread_of_this_name("application", to_run, || {
        assert_eq!(client.echo("").unwrap(), "application");
    });
    // It has ended, and drops what it is given.
    let error = client.echo("").unwrap_err();
    let crate::common::EchoError::System(error) = error else {
        panic!("{error:?}");
    };
    assert_eq!(error.kind, taut::SystemExceptionKind::Unknown);
}

/// Runs `run` while a thread of this name polls one future to its end.
fn run_in_a_thread_of_this_name(name: &str, to_run: mpsc::Receiver<BoxFuture>, run: impl FnOnce()) {
    let work = move || {
        let mut future = to_run.recv_timeout(PATIENCE).unwrap();
        let context = &mut Context::from_waker(Waker::noop());
        assert!(future.as_mut().poll(context).is_ready());
    };
    let thread = thread::Builder::new().name(name.to_owned());
    let thread = thread.spawn(work).unwrap();
    run();
    thread.join().unwrap();
}
