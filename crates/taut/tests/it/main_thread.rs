//! POAs with MAIN_THREAD_MODEL: the thread that runs the ORB carries their requests
//! out.
//!
//! The stubs and skeletons are those of the code generator's test data.

#[allow(
    missing_docs,
    dead_code,
    reason = "it stands in no file of its own that would say so, and each test uses a part"
)]
mod generated {
    include!("../../../taut-build/tests/data/demo.rs");
}

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use generated::demo::{Shape, ShapeRef, ShapeSkeleton};
use taut::{
    CallContext, CollocationStrategy, CompletionStatus, Cookie, Current, ObjectId, Orb,
    PeerNetwork, Poa, Policy, Reference, RequestContext, RequestProcessingPolicy, Servant,
    ServantLocator, ServantManager, ServantManagerError, ServantRetentionPolicy, SystemException,
    SystemExceptionKind, ThreadPolicy,
};

/// A servant that does what it was made with.
struct Teller<F>(F);

impl<F: Fn() -> taut::Result<String> + Send + Sync> Shape for Teller<F> {
    fn name(&self) -> taut::Result<String> {
        (self.0)()
    }
}

fn teller(
    tell: impl Fn() -> taut::Result<String> + Send + Sync + 'static,
) -> ShapeSkeleton<Teller<impl Fn() -> taut::Result<String> + Send + Sync + 'static>> {
    ShapeSkeleton::new(Teller(tell))
}

/// An ORB that serves by its main thread.
fn server() -> (Orb, Poa) {
    server_with(CollocationStrategy::ThroughPoa)
}

fn server_with(collocation: CollocationStrategy) -> (Orb, Poa) {
    let orb = Orb::builder().listen("127.0.0.1:0").unwrap();
    let orb = orb.settings(|settings| settings.client.collocation = collocation);
    let orb = orb.build().unwrap();
    let poa = main_thread_poa(&orb, "main thread", &[]);
    (orb, poa)
}

fn main_thread_poa(orb: &Orb, name: &str, further: &[Policy]) -> Poa {
    let root = orb.root_poa().unwrap();
    root.manager().activate().unwrap();
    let policies = [&[ThreadPolicy::MainThread.into()], further].concat();
    root.create_poa(name, Some(root.manager()), &policies)
        .unwrap()
}

/// The same object for a client with an ORB of its own.
fn elsewhere(reference: &ShapeRef) -> ShapeRef {
    let client = Orb::builder()
        .settings(|settings| settings.client.collocation = CollocationStrategy::Off)
        .build()
        .unwrap();
    let object = client.string_to_object(&reference.as_object().to_string());
    object.unwrap().unchecked_narrow()
}

/// Calls an object in a thread of its own.
fn call(reference: &ShapeRef) -> JoinHandle<taut::Result<String>> {
    let reference = elsewhere(reference);
    thread::spawn(move || reference.name())
}

fn await_work(orb: &Orb) {
    while !orb.work_pending().unwrap() {
        thread::sleep(Duration::from_millis(1));
    }
}

/// Carries out one request as soon as there is one.
fn do_work(orb: &Orb) {
    await_work(orb);
    orb.perform_work().unwrap();
}

fn this_thread() -> String {
    format!("{:?}", thread::current().id())
}

fn omg(kind: SystemExceptionKind, minor: u32) -> SystemException {
    SystemException::omg(kind, minor, CompletionStatus::No)
}

/// The thread that has read the request passes them on, and writes the reply.
#[test]
fn service_contexts_go_to_the_main_thread_and_come_back() {
    const ASKED: u32 = 0x4d59_0001;
    let (orb, poa) = server();
    let servant = teller(|| {
        let asked = RequestContext::service_context(ASKED)?;
        assert!(RequestContext::peer()?.unwrap().starts_with("127.0.0.1:"));
        let source = RequestContext::source()?.unwrap();
        assert!("127.0.0.1".parse::<PeerNetwork>().unwrap().contains(source));
        if let Some(asked) = &asked {
            RequestContext::add_to_reply(ASKED, [&asked[..], b"!"].concat())?;
        }
        Ok(format!("{} {asked:?}", this_thread()))
    });
    let reference = elsewhere(&poa.activate(servant).unwrap());
    for asked in [Some(b"asked"), None] {
        let reference = reference.clone();
        let call = thread::spawn(move || {
            let context = CallContext::new();
            let context = match asked {
                Some(asked) => context.with_service_context(ASKED, asked),
                None => context,
            };
            let name = context.within(|| reference.name())?;
            Ok::<_, SystemException>((name, context.reply_service_context(ASKED)))
        });
        // The context of the main thread's own calls is none of the servant's.
        let own = CallContext::new().with_service_context(ASKED, b"own");
        own.within(|| do_work(&orb));
        let asked = asked.map(|asked| asked.to_vec());
        let (name, answer) = call.join().unwrap().unwrap();
        assert_eq!(name, format!("{} {asked:?}", this_thread()));
        assert_eq!(answer, asked.map(|asked| [&asked[..], b"!"].concat()));
        assert!(own.reply_service_contexts().is_empty());
    }
    orb.shutdown(true).unwrap();
}

#[test]
fn requests_are_carried_out_by_the_thread_that_runs_the_orb_one_at_a_time() {
    let (orb, poa) = server();
    let other = main_thread_poa(&orb, "other", &[]);
    let running = Arc::new(AtomicUsize::new(0));
    let references: Vec<ShapeRef> = [&poa, &other]
        .map(|poa| {
            let (running, name) = (Arc::clone(&running), poa.name().to_owned());
            let servant = teller(move || {
                assert_eq!(running.fetch_add(1, Ordering::SeqCst), 0);
                assert_eq!(Current::poa()?.name(), name);
                thread::sleep(Duration::from_micros(100));
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(this_thread())
            });
            poa.activate(servant).unwrap()
        })
        .into();
    let main = thread::spawn({
        let orb = orb.clone();
        move || {
            orb.run();
            this_thread()
        }
    });
    let clients: Vec<_> = (0..8)
        .map(|index| {
            let reference = elsewhere(&references[index % 2]);
            thread::spawn(move || -> Vec<String> {
                (0..50).map(|_| reference.name().unwrap()).collect()
            })
        })
        .collect();
    let threads = clients
        .into_iter()
        .flat_map(|client| client.join().unwrap());
    let mut threads: Vec<String> = threads.collect();
    assert_eq!(threads.len(), 400);
    threads.dedup();
    orb.shutdown(true).unwrap();
    assert_eq!(threads, [main.join().unwrap()]);
}

#[test]
fn a_program_may_do_the_work_in_a_loop_of_its_own() {
    let (orb, poa) = server();
    let reference = poa.activate(teller(|| Ok(this_thread()))).unwrap();
    assert!(!orb.work_pending().unwrap());
    orb.perform_work().unwrap();
    let calls = [call(&reference), call(&reference)];
    do_work(&orb);
    do_work(&orb);
    for call in calls {
        assert_eq!(call.join().unwrap().unwrap(), this_thread());
    }
    assert!(!orb.work_pending().unwrap());
    orb.shutdown(true).unwrap();
    let refusal = omg(SystemExceptionKind::BadInvOrder, 4);
    assert_eq!(orb.work_pending(), Err(refusal.clone()));
    assert_eq!(orb.perform_work(), Err(refusal));
}

#[test]
fn requests_for_whom_nobody_runs_the_orb_are_refused_at_its_shutdown() {
    let (orb, poa) = server();
    let reference = poa.activate(teller(|| Ok(this_thread()))).unwrap();
    let call = call(&reference);
    await_work(&orb);
    orb.shutdown(true).unwrap();
    let refusal = omg(SystemExceptionKind::Transient, 4);
    assert_eq!(call.join().unwrap(), Err(refusal));
    // Nothing is left to do.
    orb.run();
}

#[test]
fn a_panic_is_the_callers_and_the_main_thread_goes_on() {
    let (orb, poa) = server();
    let panics = poa.activate(teller(|| panic!("asked for"))).unwrap();
    let reference = poa.activate(teller(|| Ok(this_thread()))).unwrap();
    let call_that_panics = call(&panics);
    do_work(&orb);
    let error = call_that_panics.join().unwrap().unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::Unknown);
    assert!(Current::poa().is_err(), "no request is left behind");
    let call = call(&reference);
    do_work(&orb);
    assert_eq!(call.join().unwrap().unwrap(), this_thread());
    // The thread is in no servant any more, so it may wait.
    orb.shutdown(true).unwrap();
}

#[test]
fn a_servant_in_the_main_thread_calls_objects_of_its_process_without_waiting_for_itself() {
    let (orb, poa) = server();
    let last = poa.activate(teller(|| Ok(this_thread()))).unwrap();
    let other = main_thread_poa(&orb, "other", &[]);
    let middle = other.activate(teller(move || last.name())).unwrap();
    let first = poa.activate(teller(move || middle.name())).unwrap();
    let call = call(&first);
    do_work(&orb);
    assert_eq!(call.join().unwrap().unwrap(), this_thread());
    orb.shutdown(true).unwrap();
}

#[test]
fn another_thread_of_the_process_waits_for_the_main_thread_too() {
    for strategy in [
        CollocationStrategy::ThroughPoa,
        CollocationStrategy::Direct,
        CollocationStrategy::Off,
    ] {
        let (orb, poa) = server_with(strategy);
        let reference = poa.activate(teller(|| Ok(this_thread()))).unwrap();
        let calls = thread::spawn(move || [(); 3].map(|()| reference.name()));
        (0..3).for_each(|_| do_work(&orb));
        let calls = calls.join().unwrap();
        assert_eq!(calls, [(); 3].map(|()| Ok(this_thread())), "{strategy:?}");
        orb.shutdown(true).unwrap();
    }
}

/// A reference that keeps its servant once called the servant in any thread, when it
/// had been called in the main thread first.
#[test]
fn a_reference_does_not_keep_a_servant_of_the_main_thread() {
    let (orb, poa) = server_with(CollocationStrategy::Direct);
    let reference = poa.activate(teller(|| Ok(this_thread()))).unwrap();
    let its_reference = reference.clone();
    let asks = teller(move || {
        its_reference.name()?;
        its_reference.name()
    });
    let asks = call(&poa.activate(asks).unwrap());
    do_work(&orb);
    assert_eq!(asks.join().unwrap().unwrap(), this_thread());
    let call = thread::spawn(move || reference.name());
    do_work(&orb);
    assert_eq!(call.join().unwrap().unwrap(), this_thread());
    orb.shutdown(true).unwrap();
}

#[test]
fn a_servant_may_let_others_in_while_it_waits() {
    let (orb, poa) = server();
    let told = Arc::new(Mutex::new(String::new()));
    let (its_orb, its_told) = (orb.clone(), Arc::clone(&told));
    let waits = teller(move || {
        do_work(&its_orb);
        assert_eq!(Current::poa()?.name(), "main thread");
        Ok(its_told.lock().unwrap().clone())
    });
    let waits = poa.activate(waits).unwrap();
    let tells = teller(move || {
        *told.lock().unwrap() = "told".to_owned();
        Ok(String::new())
    });
    let tells = poa.activate(tells).unwrap();
    let waiting = call(&waits);
    await_work(&orb);
    let telling = call(&tells);
    do_work(&orb);
    assert_eq!(waiting.join().unwrap().unwrap(), "told");
    telling.join().unwrap().unwrap();
    orb.shutdown(true).unwrap();
}

#[test]
fn a_servant_cannot_wait_for_the_end_of_what_waits_for_it() {
    let (orb, poa) = server();
    let its_orb = orb.clone();
    let reference = poa.activate(teller(move || {
        its_orb.shutdown(true)?;
        Ok(String::new())
    }));
    let call = call(&reference.unwrap());
    do_work(&orb);
    let refusal = omg(SystemExceptionKind::BadInvOrder, 3);
    assert_eq!(call.join().unwrap(), Err(refusal));
    orb.shutdown(true).unwrap();
}

/// A request that waits for the main thread is not in the POA yet, so that the main thread
/// may wait for those that are.
#[test]
fn the_main_thread_may_hold_requests_while_others_wait_for_it() {
    let (orb, poa) = server();
    let reference = poa.activate(teller(|| Ok(this_thread()))).unwrap();
    let call = call(&reference);
    await_work(&orb);
    poa.manager().hold_requests(true).unwrap();
    orb.perform_work().unwrap();
    thread::sleep(Duration::from_millis(20));
    assert!(!orb.work_pending().unwrap());
    assert!(!call.is_finished());
    poa.manager().activate().unwrap();
    do_work(&orb);
    assert_eq!(call.join().unwrap().unwrap(), this_thread());
    orb.shutdown(true).unwrap();
}

#[test]
fn the_main_thread_may_destroy_a_poa_for_whose_requests_it_has_not_had_time() {
    let (orb, poa) = server();
    let reference = poa.activate(teller(|| Ok(this_thread()))).unwrap();
    let call = call(&reference);
    await_work(&orb);
    poa.destroy(true, true).unwrap();
    orb.perform_work().unwrap();
    let refusal = call.join().unwrap().unwrap_err();
    assert_eq!(refusal.kind, SystemExceptionKind::ObjectNotExist);
    orb.shutdown(true).unwrap();
}

/// Notes in which threads it is called.
struct Locator(Arc<Mutex<Vec<String>>>);

impl ServantLocator for Locator {
    fn preinvoke(
        &self,
        _: &ObjectId,
        _: &Poa,
        _: &str,
    ) -> Result<(Arc<dyn Servant>, Cookie), ServantManagerError> {
        self.0.lock().unwrap().push(this_thread());
        Ok((Arc::new(teller(|| Ok(this_thread()))), None))
    }

    fn postinvoke(&self, _: &ObjectId, _: &Poa, _: &str, _: Cookie, _: &Arc<dyn Servant>) {
        self.0.lock().unwrap().push(this_thread());
    }
}

#[test]
fn servant_managers_are_called_in_the_main_thread_too() {
    let (orb, _) = server();
    let poa = main_thread_poa(
        &orb,
        "located",
        &[
            ServantRetentionPolicy::NonRetain.into(),
            RequestProcessingPolicy::UseServantManager.into(),
        ],
    );
    let threads = Arc::default();
    poa.set_servant_manager(ServantManager::locator(Locator(Arc::clone(&threads))))
        .unwrap();
    let reference = poa.create_reference("IDL:demo/Shape:1.0").unwrap();
    let call = call(&reference.unchecked_narrow());
    do_work(&orb);
    assert_eq!(call.join().unwrap().unwrap(), this_thread());
    assert_eq!(*threads.lock().unwrap(), [this_thread(), this_thread()]);
    orb.shutdown(true).unwrap();
}
