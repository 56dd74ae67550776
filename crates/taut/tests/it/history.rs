//! At most once, whatever becomes of the connections: calls go through a proxy
//! that cuts, stalls and resets connections at places that a seed decides, and
//! what each caller was told is compared with what was executed.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{Echo, EchoError, EchoRef, client_with, serve};
use parking_lot::Mutex;
use taut::{CompletionStatus, ConnectionSharing, Orb, Reference};

const CALL_TIMEOUT: Duration = Duration::from_millis(100);
/// No call may take longer; far beyond its time-out, for machines are slow.
const PATIENCE: Duration = Duration::from_secs(20);
const THREADS: u64 = 4;
const CALLS: u64 = 60;

/// How many seeds are tried; `TAUT_SEEDS` says another number.
const SEEDS: u64 = 2;

/// Numbers that look random and are the same for the same seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (self.0 >> 33) % sides
    }
}

/// The fate of one direction of a connection.
#[derive(Debug, Clone, Copy)]
enum Fate {
    /// Both directions end in order.
    Close,
    /// This direction ends, the other goes on.
    HalfClose,
    /// Nothing is forwarded any more.
    Stall,
    /// The octets that came last are not read, so that the end is a reset.
    Reset,
    /// It goes on for good.
    Live,
}

/// Forwards one direction, in pieces, until its fate comes.
fn forward(mut from: TcpStream, mut to: TcpStream, mut dice: Dice, ended: &AtomicBool) {
    let fate = match dice.roll(16) {
        0..5 => Fate::Close,
        5 | 6 => Fate::HalfClose,
        7 => Fate::Stall,
        8..13 => Fate::Reset,
        _ => Fate::Live,
    };
    let mut left = match fate {
        Fate::Live => u64::MAX,
        _ => dice.roll(10_000),
    };
    let mut buffer = [0; 512];
    while left > 0 {
        let most = (1 + dice.roll(buffer.len() as u64)).min(left);
        match from.read(&mut buffer[..most as usize]) {
            Ok(0) | Err(_) => break,
            Ok(count) => {
                if to.write_all(&buffer[..count]).is_err() {
                    break;
                }
                left -= count as u64;
            }
        }
    }
    match fate {
        Fate::Close | Fate::Live => {
            let _ = from.shutdown(Shutdown::Both);
            let _ = to.shutdown(Shutdown::Both);
        }
        Fate::HalfClose => drop(to.shutdown(Shutdown::Write)),
        Fate::Stall => {
            while !ended.load(Ordering::Acquire) {
                thread::sleep(Duration::from_millis(10));
            }
        }
        // Something has arrived and is not read when the socket closes.
        Fate::Reset => {
            let _ = from.peek(&mut buffer);
            let _ = to.shutdown(Shutdown::Both);
        }
    }
}

/// Where clients connect instead of the server.
fn start_proxy(server: u16, seed: u64, ended: &Arc<AtomicBool>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let ended = Arc::clone(ended);
    thread::spawn(move || {
        let mut dice = Dice(seed);
        for client in listener.incoming().map_while(Result::ok) {
            if ended.load(Ordering::Acquire) {
                return;
            }
            let Ok(server) = TcpStream::connect(("127.0.0.1", server)) else {
                return;
            };
            let pairs = [
                (client.try_clone().unwrap(), server.try_clone().unwrap()),
                (server, client),
            ];
            for (from, to) in pairs {
                let (dice, ended) = (Dice(dice.roll(u64::MAX)), Arc::clone(&ended));
                thread::spawn(move || forward(from, to, dice, &ended));
            }
        }
    });
    port
}

/// A servant that counts how often it has been asked what.
#[derive(Default)]
struct Recorder(Mutex<HashMap<String, u32>>);

impl Echo for Recorder {
    fn echo(&self, text: &str) -> Result<String, EchoError> {
        *self.0.lock().entry(text.to_owned()).or_default() += 1;
        Ok(text.to_owned())
    }
}

/// The outcome that a caller was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Told {
    Result,
    No,
    Maybe,
    Yes,
}

fn call(echo: &EchoRef, text: &str) -> Told {
    let start = Instant::now();
    let told = match echo.echo(text) {
        Ok(result) => {
            assert_eq!(result, text);
            Told::Result
        }
        Err(EchoError::System(exception)) => match exception.completed {
            CompletionStatus::No => Told::No,
            CompletionStatus::Maybe => Told::Maybe,
            CompletionStatus::Yes => Told::Yes,
        },
        Err(EchoError::Refused(_)) => panic!("the servant refuses nothing"),
    };
    assert!(start.elapsed() < PATIENCE, "a call outlived its time-out");
    told
}

fn run(seed: u64, sharing: ConnectionSharing, connection_threads: usize) -> HashMap<Told, u32> {
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    let server = builder
        .settings(|settings| settings.server.connection_threads = connection_threads)
        .build()
        .unwrap();
    let recorder = Arc::new(Recorder::default());
    let echo = serve(&server, &recorder);

    // The reference leads through the proxy.
    let ended = Arc::new(AtomicBool::new(false));
    let proxy = start_proxy(
        server.published_addresses()[0].port().unwrap(),
        seed,
        &ended,
    );
    let mut ior = echo.as_object().ior().clone();
    let mut profile = taut_giop::ior::IiopProfile::parse(&ior.profiles[0].data).unwrap();
    profile.port = proxy;
    ior.profiles = vec![profile.to_profile().unwrap()];
    let echo = client_with(&ior.to_string(), |settings| {
        settings.client.call_timeout = Some(CALL_TIMEOUT);
        settings.client.connection_sharing = sharing;
    });

    let history = Mutex::new(Vec::new());
    let number = AtomicU64::new(0);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (echo, history, number) = (&echo, &history, &number);
            scope.spawn(move || {
                let mut dice = Dice(seed ^ thread);
                for _ in 0..CALLS {
                    let length = dice.roll(600) as usize;
                    let number = number.fetch_add(1, Ordering::Relaxed);
                    let text = format!("{number} {}", "x".repeat(length));
                    let told = call(echo, &text);
                    history.lock().push((text, told));
                }
            });
        }
    });
    ended.store(true, Ordering::Release);
    server.shutdown(true).unwrap();

    let executed = recorder.0.lock();
    let mut outcomes = HashMap::new();
    for (text, told) in history.into_inner() {
        let times = executed.get(&text).copied().unwrap_or(0);
        let is_right = match told {
            Told::Result | Told::Yes => times == 1,
            Told::No => times == 0,
            Told::Maybe => times <= 1,
        };
        assert!(
            is_right,
            "seed {seed}: told {told:?}, executed {times} times: {text}"
        );
        *outcomes.entry(told).or_default() += 1;
    }
    outcomes
}

#[test]
fn nobody_is_told_what_is_not_so_and_nothing_is_executed_twice() {
    let mut outcomes: HashMap<Told, u32> = HashMap::new();
    let seeds = std::env::var("TAUT_SEEDS").map_or(SEEDS, |seeds| seeds.parse().unwrap());
    for seed in 0..seeds {
        for sharing in [ConnectionSharing::Exclusive, ConnectionSharing::Shared] {
            for connection_threads in [64, 0] {
                for (told, count) in run(seed, sharing, connection_threads) {
                    *outcomes.entry(told).or_default() += count;
                }
            }
        }
    }
    println!("{outcomes:?}");
    // The proxy does what it is for.
    assert!(outcomes.contains_key(&Told::Result), "{outcomes:?}");
    assert!(outcomes.contains_key(&Told::Maybe), "{outcomes:?}");
}
