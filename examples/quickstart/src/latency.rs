//! The latency of a call, beside the same exchange of octets over a bare socket.

use std::error::Error;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use taut_sys::cpu;

use crate::weather::{Service, ServiceRef};

/// A request and a reply without arguments take as many octets in GIOP 1.2.
const REQUEST: usize = 84;
const REPLY: usize = 24;

/// Calls in a round, and rounds; the two systems take turns.
const CALLS: usize = 4_000;
const ROUNDS: usize = 9;

/// Keeps client and server on one CPU, where a round trip is pure work and the
/// figures repeat. On two, waking the other process costs several times as
/// much, and it is all that one measures.
pub(crate) fn pin_to_the_last_cpu() {
    if let Ok(cpus) = cpu::allowed()
        && let Some(&last) = cpus.last()
    {
        // Where this is not allowed the figures are noisier.
        let _ = cpu::pin(last);
    }
}

/// Answers exchanges at the address that is returned.
pub(crate) fn serve_raw() -> io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::spawn(move || -> io::Result<()> {
        loop {
            let (mut stream, _) = listener.accept()?;
            stream.set_nodelay(true)?;
            let mut request = [0; REQUEST];
            while stream.read_exact(&mut request).is_ok() {
                stream.write_all(&[0; REPLY])?;
            }
        }
    });
    Ok(address)
}

/// Measures both and prints a table.
pub(crate) fn compare(service: &ServiceRef, raw: &str) -> Result<(), Box<dyn Error>> {
    let mut stream = TcpStream::connect(raw)?;
    stream.set_nodelay(true)?;
    let mut exchange = || -> Result<(), Box<dyn Error>> {
        stream.write_all(&[0; REQUEST])?;
        Ok(stream.read_exact(&mut [0; REPLY])?)
    };
    let mut call = || -> Result<(), Box<dyn Error>> { Ok(service.ping()?) };
    // The first round warms up.
    round(&mut exchange)?;
    round(&mut call)?;
    let (mut sockets, mut taut) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        sockets.push(round(&mut exchange)?);
        taut.push(round(&mut call)?);
    }
    let mut ratios: Vec<f64> = taut
        .iter()
        .zip(&sockets)
        .map(|(taut, socket)| taut.median.as_secs_f64() / socket.median.as_secs_f64())
        .collect();
    ratios.sort_by(f64::total_cmp);

    println!("A two-way call without arguments, client and server on one CPU");
    println!("({ROUNDS} rounds of {CALLS} calls each, taking turns; median over rounds):\n");
    println!("                 median      99 %   ÷ raw TCP");
    print_row("raw TCP socket", &mut sockets, 1.0);
    print_row("Taut", &mut taut, ratios[ROUNDS / 2]);
    Ok(())
}

/// One round's times.
struct Round {
    median: Duration,
    p99: Duration,
}

fn round(
    exchange: &mut dyn FnMut() -> Result<(), Box<dyn Error>>,
) -> Result<Round, Box<dyn Error>> {
    let mut times = Vec::with_capacity(CALLS);
    for _ in 0..CALLS {
        let start = Instant::now();
        exchange()?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    Ok(Round {
        median: times[CALLS / 2],
        p99: times[CALLS * 99 / 100],
    })
}

fn print_row(name: &str, rounds: &mut [Round], ratio: f64) {
    let mut median_of = |figure: fn(&Round) -> Duration| {
        rounds.sort_by_key(figure);
        figure(&rounds[ROUNDS / 2]).as_secs_f64() * 1e6
    };
    let (median, p99) = (
        median_of(|round| round.median),
        median_of(|round| round.p99),
    );
    println!("  {name:<14} {median:>6.1} µs {p99:>6.1} µs   {ratio:>6.2}");
}
