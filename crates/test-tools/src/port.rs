//! Ports for servers that are told where to listen.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{fs, io, process};

/// Below this one live the services that a machine may run.
const LOWEST: u32 = 10_000;

/// Where Linux says from which ports it gives one to who names none.
const EPHEMERAL: &str = "/proc/sys/net/ipv4/ip_local_port_range";

/// A TCP port of the loopback at which nobody listens, and which is free again after who
/// listens there has ended.
///
/// So it is none of those that the system gives away, where it has others: between two
/// lives of a server any connection of another test might come to have its port.
///
/// # Errors
///
/// An error of the operating system if it has no port left.
pub fn free_port() -> io::Result<u16> {
    // No port twice in a process, and rarely the same ones in two.
    static GIVEN: AtomicU32 = AtomicU32::new(0);
    let kept = LOWEST..first_ephemeral();
    for _ in kept.clone() {
        let start = process::id().wrapping_mul(61);
        let offset = start.wrapping_add(GIVEN.fetch_add(1, Ordering::Relaxed)) % kept.len() as u32;
        if let Ok(port) = listen_once(LOWEST + offset) {
            return Ok(port);
        }
    }
    listen_once(0)
}

/// The first port that the system may give away; the lowest of all where it does not say.
fn first_ephemeral() -> u32 {
    let said = fs::read_to_string(EPHEMERAL).unwrap_or_default();
    let first = said.split_whitespace().next();
    first.and_then(|it| it.parse().ok()).unwrap_or(LOWEST)
}

fn listen_once(port: u32) -> io::Result<u16> {
    let port = u16::try_from(port).map_err(io::Error::other)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    Ok(listener.local_addr()?.port())
}
