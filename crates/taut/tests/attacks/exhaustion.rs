//! Lack of file descriptors and of threads. Such limits are those
//! of a process, so each test runs its other half in a process of its own.

use std::env;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write, stdin};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;

use crate::arena::turn;
use crate::common::process::threads_named;
use crate::common::raw::PATIENCE;
use crate::common::{Echo, EchoRef, Misbehaviour, Server, client, eventually, orb_and_client};

/// Tells a test that it is the other half, and what it is to do.
const TASK: &str = "TAUT_EXHAUSTION_TASK";

/// This test in another process, which ends when its input does.
struct OtherHalf {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl OtherHalf {
    /// Runs the test of this name again, behind what a shell is told first.
    fn start(test: &str, limits: &str, task: &str) -> Self {
        let mut process = Command::new("sh")
            .args(["-c", &format!("{limits} && exec \"$0\" \"$@\"")])
            .arg(env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture", "--test-threads=1"])
            .env(TASK, task)
            // Large, so that few exhaust what a process may have of memory.
            .env("RUST_MIN_STACK", (32 << 20).to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().unwrap());
        Self {
            process,
            input,
            output,
        }
    }

    /// The next thing that it says.
    fn hear(&mut self) -> String {
        for line in self.output.by_ref().lines() {
            if let Some((_, said)) = line.unwrap().split_once(SAID) {
                return said.to_owned();
            }
        }
        panic!("the other half has ended");
    }

    fn end(mut self) {
        drop(self.input.take());
        assert!(self.process.wait().unwrap().success());
    }
}

impl Drop for OtherHalf {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Stands before what the other half says, for its test harness speaks too.
const SAID: &str = "taut: ";

fn say(what: &str) {
    println!("\n{SAID}{what}");
}

/// The task of the other half; none in the first.
fn task() -> Option<String> {
    env::var(TASK).ok()
}

fn wait_for_end_of_input() {
    let mut rest = Vec::new();
    let _ = stdin().read_to_end(&mut rest);
}

/// Takes file descriptors until there are none left.
fn take_descriptors() -> Vec<File> {
    let files = (0..).map_while(|_| File::open("/dev/null").ok());
    files.collect()
}

/// Fails when something is not done in a time that is enough for anything.
fn in_time<T: Send + 'static>(what: &str, action: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, is_done) = channel();
    thread::spawn(move || done.send(action()));
    let done = is_done.recv_timeout(PATIENCE);
    done.unwrap_or_else(|_| panic!("{what} takes for ever"))
}

/// A server in a process of 64 descriptors, with or without a limit of connections that
/// fits.
fn serve_with_few_descriptors(task: &str) {
    let has_limit = task == "limit";
    let server = Server::with(|settings| {
        assert!((8..64).contains(&settings.server.max_connections));
        assert!((8..64).contains(&settings.client.max_connections));
        if !has_limit {
            settings.server.max_connections = 10_000;
        }
    });
    say(&server.port().to_string());
    say(&server.ior());
    wait_for_end_of_input();
}

/// Found with 100 clients: a new one was neither served nor refused.
#[test]
fn idle_clients_do_not_keep_others_out_where_descriptors_are_few() {
    if let Some(task) = task() {
        return serve_with_few_descriptors(&task);
    }
    let _turn = turn();
    let test = "exhaustion::idle_clients_do_not_keep_others_out_where_descriptors_are_few";
    for task in ["limit", "none"] {
        let mut server = OtherHalf::start(test, "ulimit -n 64", task);
        let port = server.hear().parse::<u16>().unwrap();
        let ior = server.hear();
        let idle: Vec<_> = (0..100)
            .map(|_| TcpStream::connect(("127.0.0.1", port)).unwrap())
            .collect();
        for _ in 0..3 {
            let ior = ior.clone();
            in_time("a call", move || client(&ior).ping()).unwrap();
        }
        drop(idle);
        server.end();
    }
}

#[test]
fn a_client_is_refused_at_once_where_no_descriptor_is_left() {
    if let Some(task) = task() {
        return serve_with_few_descriptors(&task);
    }
    let _turn = turn();
    let test = "exhaustion::a_client_is_refused_at_once_where_no_descriptor_is_left";
    for task in ["limit", "none"] {
        let mut server = OtherHalf::start(test, "ulimit -n 64", task);
        let port = server.hear().parse::<u16>().unwrap();
        // The beginning of a message: these are not idle.
        let connect = || {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
            let _ = stream.write_all(b"GIOP");
            // A client that is served hears nothing.
            stream.set_nonblocking(true).unwrap();
            stream
        };
        let mut busy = Vec::new();
        let is_refused = |stream: &mut TcpStream| match stream.read(&mut [0; 12]) {
            Ok(_) => true,
            Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
        };
        // One by one, so that each has begun its message before the next comes.
        eventually("a refusal", || {
            busy.push(connect());
            busy.iter_mut().any(is_refused)
        });
        assert!(busy.len() > 8, "{}", busy.len());
        drop(busy);
        server.end();
    }
}

/// Calls servers while no file descriptor is left.
fn call_without_descriptors(iors: &str) {
    let (one, other) = iors.split_once(' ').unwrap();
    let (orb, one) = orb_and_client(one, |_| ());
    let other: EchoRef = orb.string_to_object(other).unwrap().unchecked_narrow();
    let files = take_descriptors();
    let refused = one.ping().unwrap_err();
    let text = refused.to_string();
    assert!(
        text.starts_with("NO_RESOURCES: ") && text.contains("ulimit -n"),
        "{text}"
    );
    drop(files);
    one.ping().unwrap();
    let files = take_descriptors();
    // The connection to the first gives way.
    other.ping().unwrap();
    one.ping().unwrap();
    drop(files);
    say("done");
}

#[test]
fn a_call_without_a_descriptor_is_told_so_unless_a_connection_gives_way() {
    if let Some(task) = task() {
        return call_without_descriptors(&task);
    }
    let _turn = turn();
    let test = "exhaustion::a_call_without_a_descriptor_is_told_so_unless_a_connection_gives_way";
    let servers = [Server::start(), Server::start()];
    let iors = servers.each_ref().map(Server::ior).join(" ");
    let mut caller = OtherHalf::start(test, "ulimit -n 64", &iors);
    in_time("a call", move || {
        assert_eq!(caller.hear(), "done");
        caller.end();
    });
}

/// Starts threads until there can be no more.
fn take_threads() {
    let wait = || loop {
        thread::park();
    };
    while thread::Builder::new().spawn(wait).is_ok() {}
}

/// A server in a process that can have no further thread.
fn serve_without_threads(task: &str) {
    let server = Server::with(|_| ());
    let busy = server.client();
    thread::spawn(move || busy.misbehave(Misbehaviour::Blocks));
    server.entered.recv_timeout(PATIENCE).unwrap();
    if task == "reactor" {
        // It stands by for the client that is kept waiting.
        eventually("a reactor", || threads_named("taut reactor") > 0);
    }
    take_threads();
    say(&server.ior());
    wait_for_end_of_input();
    server.release.send(()).unwrap();
    std::process::exit(0);
}

#[test]
fn a_connection_for_which_no_thread_can_be_started_shares_those_of_the_reactor() {
    if let Some(task) = task() {
        return serve_without_threads(&task);
    }
    let _turn = turn();
    let test = "exhaustion::\
                a_connection_for_which_no_thread_can_be_started_shares_those_of_the_reactor";
    let mut server = OtherHalf::start(test, "ulimit -v 4000000", "reactor");
    let ior = server.hear();
    in_time("a call", move || client(&ior).ping()).unwrap();
    server.end();
}

#[test]
fn a_connection_for_which_no_thread_can_be_started_is_refused_at_once() {
    if let Some(task) = task() {
        return serve_without_threads(&task);
    }
    let _turn = turn();
    let test = "exhaustion::a_connection_for_which_no_thread_can_be_started_is_refused_at_once";
    // Without a reactor, because nothing waits behind the client that is served.
    let mut server = OtherHalf::start(test, "ulimit -v 4000000", "none");
    let ior = server.hear();
    let refused = in_time("a call", move || client(&ior).ping());
    let _ = refused.unwrap_err();
    server.end();
}
