//! Admission of clients and requests, and the budgets of servants.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use taut::quality::{
    Admission, AdmissionPolicy, ArrivedRequest, Client, ClientBudgets, ClientScope, EvenShares,
    Excess, FullQuality, Rates, ServiceQuality, UpcallBudget, Usage,
};
use taut::real_time::{NativePriority, Priority, RealTime};
use taut::{
    Current, Orb, Poa, PoaError, Reference, SystemException, SystemExceptionKind, ThreadPolicy,
    deadline, minor,
};

use super::refusal;
use crate::common::mode::{Mode, for_each_mode};
use crate::common::{Echo, EchoRef, EchoSkeleton, Misbehaviour, Server, eventually};

const LONG: Duration = Duration::from_secs(600);

/// A POA of this quality, with the server's servant.
fn granting(server: &Server, quality: ServiceQuality) -> (Poa, EchoRef) {
    let manager = Some(server.poa.manager());
    let poa = server.poa.create_poa("granting", manager, &[]).unwrap();
    poa.set_quality(quality).unwrap();
    let servant = EchoSkeleton(Arc::clone(&server.servant));
    let echo = poa.activate(servant).unwrap();
    (poa, echo)
}

/// Another client of the object.
fn client(echo: &EchoRef) -> EchoRef {
    Mode::tcp().client(&echo.as_object().to_string())
}

const NO_CLIENT: (SystemExceptionKind, u32) =
    (SystemExceptionKind::NoResources, minor::CLIENT_NOT_ADMITTED);
const NO_REQUEST: (SystemExceptionKind, u32) =
    (SystemExceptionKind::Transient, minor::REQUEST_NOT_ADMITTED);

for_each_mode! { [tcp, unix, reactor, shared] {
    a_few_clients_are_served_and_further_ones_refused_until_one_leaves,
} }

fn a_few_clients_are_served_and_further_ones_refused_until_one_leaves(mode: Mode) {
    let server = mode.server();
    let quality = ServiceQuality::new().admission(FullQuality::new(2));
    let (_, echo) = granting(&server, quality);
    let url = echo.as_object().to_string();
    let [(first_orb, first), (_, second), (_, third)] =
        [(); 3].map(|()| mode.orb_and_client(&url, |_| ()));
    for _ in 0..3 {
        first.ping().unwrap();
        second.ping().unwrap();
        assert_eq!(refusal(third.ping()), NO_CLIENT);
    }
    // Other POAs are open to all.
    server.client().ping().unwrap();
    first_orb.shutdown(true).unwrap();
    eventually("a place", || third.ping().is_ok());
    assert_eq!(refusal(client(&echo).ping()), NO_CLIENT);
    second.ping().unwrap();
}

#[test]
fn a_client_that_is_idle_gives_its_place_to_another_and_a_source_is_one_client() {
    let server = Server::start();
    let policy = FullQuality::new(1).idle_timeout(Duration::from_millis(50));
    let (_, echo) = granting(&server, ServiceQuality::new().admission(policy));
    let [first, second] = [client(&echo), client(&echo)];
    first.ping().unwrap();
    eventually("a place", || second.ping().is_ok());

    let server = Server::start();
    let policy = FullQuality::new(1).scope(ClientScope::Source);
    let (_, echo) = granting(&server, ServiceQuality::new().admission(policy));
    let clients = [(); 3].map(|()| client(&echo));
    for client in &clients {
        client.ping().unwrap();
    }
}

#[test]
fn as_many_requests_are_in_progress_as_the_policy_says() {
    let server = Server::start();
    let policy = FullQuality::new(9).max_requests_in_progress(1);
    let (_, echo) = granting(&server, ServiceQuality::new().admission(policy));
    let [blocked, other] = [client(&echo), client(&echo)];
    let call = std::thread::spawn(move || blocked.misbehave(Misbehaviour::Blocks));
    server.entered.recv_timeout(LONG).unwrap();
    assert_eq!(refusal(other.ping()), NO_REQUEST);
    server.release.send(()).unwrap();
    call.join().unwrap().unwrap();
    other.ping().unwrap();
    // A servant that fails or panics has ended, too.
    other.misbehave(Misbehaviour::Fails).unwrap_err();
    other.misbehave(Misbehaviour::Panics).unwrap_err();
    other.ping().unwrap();
}

/// A policy that does as the test says, and notes what it is told.
#[derive(Debug, Default)]
struct Notes {
    told: Mutex<Vec<String>>,
    next: Mutex<Vec<Admission>>,
    measures: AtomicBool,
}

#[derive(Debug)]
struct Noting(Arc<Notes>);

impl AdmissionPolicy for Noting {
    fn admit(&self, client: &Client, request: &ArrivedRequest) -> Admission {
        let origin = match client.connection() {
            0 => client.name().to_owned(),
            _ => "a client".to_owned(),
        };
        let waited = !request.waited.is_zero() && request.waited > Duration::from_millis(1);
        let text = format!("admit {origin} {} {waited}", request.octets);
        self.0.told.lock().push(text);
        self.0.next.lock().pop().unwrap_or(Admission::Admit)
    }

    fn ended(&self, _: &Client, usage: &Usage) {
        let text = format!(
            "ended {} {}",
            usage.reply_octets > 12,
            usage.cpu_time.is_some()
        );
        self.0.told.lock().push(text);
    }

    fn left(&self, _: &Client) {
        self.0.told.lock().push("left".to_owned());
    }

    fn measures_cpu_time(&self) -> bool {
        self.0.measures.load(Ordering::SeqCst)
    }
}

impl Notes {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.told.lock())
    }
}

#[test]
fn a_policy_of_the_application_is_told_of_clients_requests_and_what_they_cost() {
    let notes = Arc::new(Notes::default());
    let server = Server::start();
    let quality = ServiceQuality::new().admission(Noting(Arc::clone(&notes)));
    let (_, echo) = granting(&server, quality);
    let (orb, remote) = Mode::tcp().orb_and_client(&echo.as_object().to_string(), |_| ());
    remote.ping().unwrap();
    assert_eq!(notes.take(), ["admit a client 0 false", "ended true false"]);
    notes.measures.store(true, Ordering::SeqCst);
    remote.echo("four").unwrap();
    assert_eq!(notes.take(), ["admit a client 9 false", "ended true true"]);
    remote.note("").unwrap();
    eventually("a oneway", || notes.told.lock().len() == 2);
    assert_eq!(notes.take()[1], "ended false true");
    // It waits, and is asked again.
    *notes.next.lock() = vec![Admission::Admit, Admission::Wait(Duration::from_millis(5))];
    remote.ping().unwrap();
    let told = notes.take();
    assert_eq!(
        told[..2],
        ["admit a client 0 false", "admit a client 0 true"]
    );
    *notes.next.lock() = vec![Admission::RefuseClient];
    assert_eq!(refusal(remote.ping()), NO_CLIENT);
    *notes.next.lock() = vec![Admission::RefuseRequest];
    assert_eq!(refusal(remote.ping()), NO_REQUEST);
    notes.take();
    orb.shutdown(true).unwrap();
    eventually("the end", || notes.told.lock().contains(&"left".to_owned()));
}

/// A policy whose code panics.
#[derive(Debug)]
struct Faulty {
    where_: &'static str,
}

impl AdmissionPolicy for Faulty {
    fn admit(&self, _: &Client, _: &ArrivedRequest) -> Admission {
        assert_ne!(self.where_, "admit");
        Admission::Admit
    }

    fn ended(&self, _: &Client, _: &Usage) {
        assert_ne!(self.where_, "ended");
    }

    fn left(&self, _: &Client) {
        assert_ne!(self.where_, "left");
    }
}

#[test]
fn a_policy_that_panics_costs_its_request_and_nothing_else() {
    for where_ in ["admit", "ended", "left"] {
        let policy = || ServiceQuality::new().admission(Faulty { where_ });
        let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
        let whole = Server::start_with(builder.quality(policy()));
        let part = Server::start();
        let (_, echo) = granting(&part, policy());
        for url in [whole.ior(), echo.as_object().to_string()] {
            let (orb, client) = Mode::tcp().orb_and_client(&url, |_| ());
            for _ in 0..2 {
                match client.ping() {
                    Ok(()) => assert_ne!(where_, "admit"),
                    Err(error) => {
                        assert_eq!(error.kind, SystemExceptionKind::Unknown);
                        assert_eq!(where_, "admit");
                    }
                }
            }
            orb.shutdown(true).unwrap();
        }
        // The server goes on.
        part.client().ping().unwrap();
    }
}

#[test]
fn a_request_that_waits_for_its_admission_ends_with_its_deadline() {
    let notes = Arc::new(Notes::default());
    let server = Server::start();
    let told = [taut::policy::DeadlinePropagationPolicy(true).into()];
    let poa = server
        .poa
        .create_poa_telling("asking", Some(server.poa.manager()), &[], &told);
    let poa = poa.unwrap();
    poa.set_quality(ServiceQuality::new().admission(Noting(Arc::clone(&notes))))
        .unwrap();
    let echo = poa
        .activate(EchoSkeleton(Arc::clone(&server.servant)))
        .unwrap();
    let client = client(&echo);
    // The connection is there.
    assert_eq!(client.notes().unwrap(), 0);
    notes.next.lock().push(Admission::Wait(LONG));
    deadline::within(Duration::from_millis(500), || client.note("")).unwrap();
    // The connection goes on.
    assert_eq!(client.notes().unwrap(), 0);
}

#[test]
fn a_client_beyond_its_budget_is_refused_and_others_are_not() {
    let server = Server::start();
    // One request in an hour, or nearly so: none comes again during the test.
    let rates = Rates::new()
        .requests_per_second(1)
        .burst(Duration::from_secs(3));
    let policy = ClientBudgets::new(rates);
    let (_, echo) = granting(&server, ServiceQuality::new().admission(policy));
    for client in [client(&echo), client(&echo)] {
        let begun = Instant::now();
        let refused = (0..100).filter(|_| client.ping().is_err()).count();
        let came = begun.elapsed().as_secs() as usize + 1;
        assert!((100 - 3 - came..=97).contains(&refused), "{refused}");
    }
}

#[test]
fn octets_and_cpu_time_are_owed_once_they_have_been_used() {
    let large = "x".repeat(100_000);
    let rates = Rates::new().octets_per_second(1_000);
    let busy = Rates::new().cpu_time_per_second(Duration::from_micros(1));
    for (rates, is_octets) in [(rates, true), (busy, false)] {
        let server = Server::start();
        let policy = ClientBudgets::new(rates).scope(ClientScope::Source);
        let (_, echo) = granting(&server, ServiceQuality::new().admission(policy));
        let client = client(&echo);
        match is_octets {
            true => drop(client.echo(&large).unwrap()),
            false => client.ping().unwrap(),
        }
        assert_eq!(refusal(client.ping()), NO_REQUEST);
    }
}

#[test]
fn the_excess_waits_if_it_is_to_and_no_longer_than_it_may() {
    let server = Server::start();
    let rates = Rates::new().requests_per_second(200).burst(Duration::ZERO);
    let policy = ClientBudgets::new(rates).excess(Excess::Wait(LONG));
    let (_, echo) = granting(&server, ServiceQuality::new().admission(policy));
    let client = client(&echo);
    let begun = Instant::now();
    for _ in 0..21 {
        client.ping().unwrap();
    }
    // 20 requests behind the first come one in 5 ms, however fast the machine is.
    assert!(begun.elapsed() >= Duration::from_millis(99));

    let server = Server::start();
    let rates = Rates::new().requests_per_second(1).burst(Duration::ZERO);
    let policy = ClientBudgets::new(rates).excess(Excess::Wait(Duration::from_millis(1)));
    let (_, echo) = granting(&server, ServiceQuality::new().admission(policy));
    let client = self::client(&echo);
    let outcomes: Vec<_> = (0..10).map(|_| client.ping()).collect();
    assert!(outcomes.iter().any(Result::is_err));
    let first = outcomes.into_iter().find(Result::is_err).unwrap();
    assert_eq!(refusal(first), NO_REQUEST);
}

/// Decisions of a policy for clients without connections, counted.
fn admitted(policy: &impl AdmissionPolicy, client: &Client, count: u32) -> u32 {
    let request = ArrivedRequest::new(0, Duration::ZERO);
    let is_admitted = |_: &u32| policy.admit(client, &request) == Admission::Admit;
    (0..count).filter(is_admitted).count() as u32
}

#[test]
fn clients_share_evenly_and_may_use_what_others_leave() {
    let clients = ["a", "b", "c", "d"].map(|name| Client::new(name, None));
    let rates = Rates::new()
        .requests_per_second(400)
        .burst(Duration::from_secs(1));
    let policy = EvenShares::new(rates).presence(LONG);
    // One that is alone may have all.
    let begun = Instant::now();
    let alone = admitted(&policy, &clients[0], 2_000);
    let came = |begun: Instant| (begun.elapsed().as_secs_f64() * 400.0) as u32 + 4;
    assert!((400..=400 + came(begun)).contains(&alone), "{alone}");
    // Greedy ones, who ask in turn, have as much as each other.
    let begun = Instant::now();
    let mut counts = [0; 4];
    while begun.elapsed() < Duration::from_secs(1) {
        for (count, client) in counts.iter_mut().zip(&clients) {
            *count += admitted(&policy, client, 1);
        }
        std::thread::yield_now();
    }
    let all: u32 = counts.iter().sum();
    assert!(all <= came(begun) + 8, "{counts:?}");
    let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
    // A busy machine may keep the thread between two of them.
    assert!(least * 2 >= *most && *least > 0, "{counts:?}");
    // One that floods does not keep another from its part.
    let begun = Instant::now();
    let mut modest = 0;
    for _ in 0..20 {
        admitted(&policy, &clients[0], 50);
        std::thread::sleep(Duration::from_millis(12));
        modest += admitted(&policy, &clients[1], 1);
    }
    assert_eq!(modest, 20, "in {:?}", begun.elapsed());
    // Those that leave make room.
    for client in &clients[1..] {
        policy.left(client);
    }
    std::thread::sleep(Duration::from_millis(50));
    assert!(admitted(&policy, &clients[0], 100) >= 15);
}

#[test]
fn the_quality_of_an_orb_holds_for_all_of_its_poas() {
    let quality = ServiceQuality::new().admission(FullQuality::new(1));
    let builder = Orb::builder()
        .listen("127.0.0.1:0")
        .unwrap()
        .quality(quality);
    let server = Server::start_with(builder);
    let other = server
        .poa
        .create_poa("other", Some(server.poa.manager()), &[])
        .unwrap();
    let echo = other
        .activate(EchoSkeleton(Arc::clone(&server.servant)))
        .unwrap();
    let [first, second] = [client(&echo), server.client()];
    first.ping().unwrap();
    assert_eq!(refusal(second.ping()), NO_CLIENT);
    second.note("").unwrap();
    // It is read before this one.
    assert_eq!(refusal(second.ping()), NO_CLIENT);
    assert_eq!(server.servant.notes.load(Ordering::SeqCst), 0);
}

#[test]
fn a_quality_is_set_once_and_before_there_are_objects() {
    let server = Server::start();
    let too_late = |outcome: Result<(), PoaError>| match outcome {
        Err(PoaError::System(SystemException { kind, minor, .. })) => {
            assert_eq!(
                (kind, minor),
                (SystemExceptionKind::BadInvOrder, minor::QUALITY_TOO_LATE)
            );
        }
        other => panic!("{other:?}"),
    };
    too_late(server.poa.set_quality(ServiceQuality::new()));
    let poa = server.poa.create_poa("poa", None, &[]).unwrap();
    poa.set_quality(ServiceQuality::new()).unwrap();
    too_late(poa.set_quality(ServiceQuality::new()));
}

/// A servant that goes on until it is told that it is over its budget.
#[derive(Default)]
struct Diligent {
    was_over: AtomicU32,
    sleeps: bool,
}

impl Echo for Diligent {
    fn ping(&self) -> taut::Result<()> {
        Ok(())
    }

    /// The number of its requests that have no time left.
    fn notes(&self) -> taut::Result<u32> {
        Ok(u32::from(Current::is_over_budget()?))
    }

    fn misbehave(&self, _: Misbehaviour) -> taut::Result<()> {
        let begun = Instant::now();
        while !Current::is_over_budget()? {
            assert!(begun.elapsed() < LONG);
            match self.sleeps {
                true => std::thread::sleep(Duration::from_millis(1)),
                false => std::hint::spin_loop(),
            }
        }
        self.was_over.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

#[test]
fn a_servant_learns_that_it_is_over_its_budget() {
    let time = Duration::from_millis(20);
    let budgets = [
        (UpcallBudget::elapsed(time), true),
        (UpcallBudget::elapsed(time), false),
        (UpcallBudget::cpu_time(time), false),
    ];
    for (thread, (budget, sleeps)) in [ThreadPolicy::OrbControlled, ThreadPolicy::SingleThread]
        .into_iter()
        .flat_map(|thread| budgets.map(|budget| (thread, budget)))
    {
        let server = Server::start();
        let manager = Some(server.poa.manager());
        let poa = server
            .poa
            .create_poa("poa", manager, &[thread.into()])
            .unwrap();
        poa.set_quality(ServiceQuality::new().upcall_budget(budget))
            .unwrap();
        let servant = Arc::new(Diligent {
            sleeps,
            ..Diligent::default()
        });
        let echo = poa.activate(EchoSkeleton(Arc::clone(&servant))).unwrap();
        let client = client(&echo);
        client.ping().unwrap();
        client.misbehave(Misbehaviour::Blocks).unwrap();
        client.ping().unwrap();
        assert_eq!(servant.was_over.load(Ordering::SeqCst), 1);
    }
    for budget in [UpcallBudget::elapsed(LONG), UpcallBudget::cpu_time(LONG)] {
        let server = Server::start();
        let poa = server
            .poa
            .create_poa("poa", Some(server.poa.manager()), &[]);
        let poa = poa.unwrap();
        poa.set_quality(ServiceQuality::new().upcall_budget(budget))
            .unwrap();
        let servant = Arc::new(Diligent::default());
        let echo = poa.activate(EchoSkeleton(servant)).unwrap();
        assert_eq!(client(&echo).notes().unwrap(), 0);
    }
    assert_eq!(Current::is_over_budget(), Err(taut::NoContext));
}

#[test]
fn a_servant_that_does_not_ask_is_told_of_in_an_event() {
    crate::common::events::keep();
    let server = Server::start();
    let budget = UpcallBudget::elapsed(Duration::from_millis(10));
    let (_, echo) = granting(&server, ServiceQuality::new().upcall_budget(budget));
    let client = client(&echo);
    let call = std::thread::spawn(move || client.misbehave(Misbehaviour::Blocks));
    server.entered.recv_timeout(LONG).unwrap();
    // While it runs.
    eventually("the event", || {
        let told = crate::common::events::with("over the budget");
        told.iter()
            .any(|told| told.text.contains("of the POA granting"))
    });
    server.release.send(()).unwrap();
    call.join().unwrap().unwrap();
}

/// A servant that tells how its thread is scheduled before it is over its budget and then.
#[derive(Default)]
struct Scheduled(Mutex<Vec<taut_sys::priority::Scheduling>>);

impl Echo for Scheduled {
    fn ping(&self) -> taut::Result<()> {
        let now = || taut_sys::priority::get().unwrap();
        let before = now();
        let begun = Instant::now();
        while now() == before && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.0.lock().extend([before, now()]);
        Ok(())
    }
}

#[test]
fn the_priority_of_a_servant_over_its_budget_is_lowered_until_it_ends() {
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    let server = Server::start_with(builder.real_time(RealTime::new()));
    let real_time = server.orb.real_time().unwrap();
    if !real_time.applies_native_priorities() {
        return eprintln!("LEFT OUT: the system allows no native priorities");
    }
    let poa = server
        .poa
        .create_poa("poa", Some(server.poa.manager()), &[])
        .unwrap();
    let budget = UpcallBudget::elapsed(Duration::from_millis(10));
    poa.set_quality(ServiceQuality::new().upcall_budget(budget))
        .unwrap();
    let servant = Arc::new(Scheduled::default());
    let echo = poa.activate(EchoSkeleton(Arc::clone(&servant))).unwrap();
    let client = client(&echo);
    client.ping().unwrap();
    client.ping().unwrap();
    let seen = servant.0.lock().clone();
    let NativePriority(lowest) = real_time.to_native(Priority::MIN).unwrap();
    let lowered = taut_sys::priority::Scheduling::Fifo { priority: lowest };
    assert_eq!((seen[1], seen[3]), (lowered, lowered));
    // The thread has got back what it had.
    assert_eq!(seen[0], seen[2]);
    assert_ne!(seen[0], lowered);
}
