//! Service contexts that interceptors add and read: between Taut's, omniORB's own and JacORB's
//! portable ones.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use taut::interceptors::{
    ClientRequestInfo, ClientRequestInterceptor, Interruption, ServerRequestInfo,
    ServerRequestInterceptor,
};
use taut::{Orb, Reference as _, ServiceContext};
use taut_interop::{Process, peers};

taut::include_idl!("ping");

use bench::{Pinger, PingerRef, PingerSkeleton};

const TIME_OUT: Duration = Duration::from_secs(60);

/// The ids of the context that a client's interceptor sends, and of the one that a server's
/// answers with.
const ASKED: u32 = 0x4d59_0001;
const ANSWERED: u32 = 0x4d59_0002;
const ANSWER: &str = "answer to question";

/// Sends a context with each request, and notes that of each reply.
#[derive(Default)]
struct Asks(Arc<Mutex<Vec<Option<String>>>>);

impl ClientRequestInterceptor for Asks {
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let context = ServiceContext {
            id: ASKED,
            data: b"question".to_vec(),
        };
        Ok(info.add_request_service_context(context, false)?)
    }

    fn receive_reply(&self, info: &mut ClientRequestInfo<'_>) -> taut::Result<()> {
        let answer = info.get_reply_service_context(ANSWERED)?;
        let answer = answer.map(|context| String::from_utf8(context.data).unwrap());
        self.0.lock().push(answer);
        Ok(())
    }
}

/// Answers the context of each request with one of the reply.
struct Answers;

impl ServerRequestInterceptor for Answers {
    fn receive_request(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), Interruption> {
        if let Some(asked) = info.get_request_service_context(ASKED) {
            let context = ServiceContext {
                id: ANSWERED,
                data: [b"answer to ", &asked.data[..]].concat(),
            };
            info.add_reply_service_context(context, false)?;
        }
        Ok(())
    }
}

#[derive(Default)]
struct Pings(AtomicUsize);

impl Pinger for Pings {
    fn ping(&self) -> taut::Result<()> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

/// Calls a server of another ORB, three times: the first tells the code sets as well.
fn calls(reference: &str, answer: Option<&str>) {
    let asks = Asks::default();
    let answers = Arc::clone(&asks.0);
    let orb = Orb::builder().client_interceptor(asks).build().unwrap();
    let object = orb.string_to_object(reference).unwrap();
    let pinger: PingerRef = object.unchecked_narrow();
    for _ in 0..3 {
        pinger.ping().unwrap();
    }
    let expected = vec![answer.map(str::to_owned); 3];
    assert_eq!(*answers.lock(), expected);
    orb.shutdown(true).unwrap();
}

/// Serves a client of another ORB, which prints the answer.
fn serves(command: &mut Command, options: &[&str]) {
    let orb = Orb::builder()
        .listen("127.0.0.1:0")
        .unwrap()
        .server_interceptor(Answers)
        .build()
        .unwrap();
    let poa = orb.root_poa().unwrap();
    poa.manager().activate().unwrap();
    let pings = Arc::<Pings>::default();
    let pinger = poa
        .activate(PingerSkeleton::from_arc(Arc::clone(&pings)))
        .unwrap();
    command.arg(pinger.as_object().to_string()).args(options);
    let (lines, status) = Process::start(command).unwrap().finish(TIME_OUT).unwrap();
    assert!(status.success());
    assert_eq!(lines, [ANSWER]);
    assert_eq!(pings.0.load(Ordering::SeqCst), 1);
    orb.shutdown(true).unwrap();
}

const VERSIONS: [&str; 3] = ["1.0", "1.1", "1.2"];

#[test]
fn the_interceptors_of_taut_and_of_an_omniorb_server_understand_each_other() {
    let Some(program) = peers::omniorb("interceptor_server") else {
        return;
    };
    for version in VERSIONS {
        let mut command = Command::new(&program);
        command.args(["-ORBmaxGIOPVersion", version]);
        let mut server = Process::start(&mut command).unwrap();
        // Replies of GIOP 1.1 have none there, to clients of omniORB neither.
        let answer = (version != "1.1").then_some(ANSWER);
        calls(&server.read_line(TIME_OUT).unwrap(), answer);
        server.close_input();
        assert!(server.wait(TIME_OUT).unwrap().success(), "GIOP {version}");
    }
}

#[test]
fn the_interceptors_of_an_omniorb_client_and_of_taut_understand_each_other() {
    let Some(program) = peers::omniorb("interceptor_client") else {
        return;
    };
    for version in VERSIONS {
        let arguments = ["-ORBmaxGIOPVersion", version];
        serves(&mut Command::new(&program), &arguments);
    }
}

#[test]
fn the_interceptors_of_taut_and_of_a_jacorb_server_understand_each_other() {
    let Some(mut command) = peers::jacorb("InterceptorServer") else {
        return;
    };
    let mut server = Process::start(&mut command).unwrap();
    calls(&server.read_line(TIME_OUT).unwrap(), Some(ANSWER));
    server.close_input();
    assert!(server.wait(TIME_OUT).unwrap().success());
}

#[test]
fn the_interceptors_of_a_jacorb_client_and_of_taut_understand_each_other() {
    let Some(mut command) = peers::jacorb("InterceptorClient") else {
        return;
    };
    serves(&mut command, &[]);
}
