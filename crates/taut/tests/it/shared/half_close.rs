//! A server that ends its own sending and goes on to read.

use std::io::Read;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use super::MODE;
use crate::common::{Echo, EchoRef};
use taut::Orb;

const THREADS: usize = 8;
const CALLS: usize = 300;

/// Reads what comes on a connection whose sending has ended, for a while.
fn read_on(mut stream: TcpStream) -> Vec<u8> {
    let mut all = vec![0; 1_000];
    let first = stream.read(&mut all).unwrap_or(0);
    all.truncate(first);
    let _ = stream.shutdown(Shutdown::Write);
    stream
        .set_read_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    let _ = stream.read_to_end(&mut all);
    all
}

/// One thread reads the end of the stream and asks whether what it has sent arrived;
/// another sends meanwhile, and its request does arrive.
#[test]
fn a_request_sent_while_another_thread_finds_the_end_is_not_sent_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let orb = Orb::builder()
        .settings(|settings| MODE.adjust(settings))
        .build()
        .unwrap();
    let url = format!("corbaloc:iiop:1.2@127.0.0.1:{port}/key");
    let echo: EchoRef = orb.string_to_object(&url).unwrap().unchecked_narrow();

    let (number, ended) = (AtomicU32::new(0), AtomicU32::new(0));
    let received = thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..CALLS {
                    let number = number.fetch_add(1, Ordering::Relaxed);
                    assert!(echo.echo(&format!("<{number:08}>")).is_err());
                }
                if ended.fetch_add(1, Ordering::SeqCst) + 1 == THREADS as u32 {
                    drop(TcpStream::connect(("127.0.0.1", port)));
                }
            });
        }
        let mut readers = Vec::new();
        for stream in listener.incoming() {
            if ended.load(Ordering::SeqCst) == THREADS as u32 {
                break;
            }
            readers.push(scope.spawn(|| read_on(stream.unwrap())));
        }
        let received = readers.into_iter().map(|reader| reader.join().unwrap());
        received.collect::<Vec<_>>().concat()
    });

    let mut arrived: Vec<&[u8]> = received
        .windows(10)
        .filter(|octets| octets.starts_with(b"<") && octets.ends_with(b">"))
        .collect();
    arrived.sort_unstable();
    let twice: Vec<_> = arrived
        .chunk_by(|one, other| one == other)
        .filter(|same| same.len() > 1)
        .map(|same| String::from_utf8_lossy(same[0]).into_owned())
        .collect();
    assert!(arrived.len() > CALLS, "{} requests arrived", arrived.len());
    assert!(
        twice.is_empty(),
        "sent again though they arrived: {twice:?}"
    );
}
