//! Connections on which requests go both ways (CORBA 3.3 part 2, 9.8).

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use taut_giop::bidirectional::{self, ListenPoint};
use taut_giop::{CompletionStatus, SystemException};
use taut_sys::host;

use super::peer::Peer;
use super::registry::Registry;
use crate::connection::{Origin, SharedConnection};
use crate::core::OrbCore;
use crate::settings::Settings;
use crate::transport::{Address, ConnectOptions, Source};

/// Uses the client's connection for calls to the end points that it names, as
/// far as they may be its own.
///
/// # Errors
///
/// MARSHAL when the end points cannot be read, or are too many.
#[cold]
pub(super) fn accept(peer: &Peer, core: &OrbCore, data: &[u8]) -> Result<(), SystemException> {
    let settings = &core.settings;
    let points = bidirectional::from_context_data(data, settings.server.max_listen_points)
        .map_err(|error| SystemException::from_cdr(&error, CompletionStatus::No))?;
    let client = match peer.source() {
        Some(Source::Machine(address)) => address,
        // A client that has connected through the file system is on this machine.
        Some(Source::User(_)) => Ipv4Addr::LOCALHOST.into(),
        _ => return Ok(()),
    };
    for point in points {
        let ListenPoint { host, port } = &point;
        if !is_admitted(peer, client, &point, settings) {
            continue;
        }
        tracing::debug!(
            peer = peer.name(),
            host,
            port,
            "calls back over the connection"
        );
        let connection = peer.open_client_role(Origin::There, &[], settings);
        let address = Address::new(point.host, point.port);
        core.connections.offer(address, connection, settings);
    }
    Ok(())
}

/// Whether calls to an end point may go over the client's connection. That is
/// found out once for each, and for so many of them at the most.
fn is_admitted(peer: &Peer, client: IpAddr, point: &ListenPoint, settings: &Settings) -> bool {
    let ListenPoint { host, port } = point;
    let mut named = peer.listen_points();
    if let Some((_, is_admitted)) = named.iter().find(|(known, _)| known == point) {
        return *is_admitted;
    }
    if named.len() >= settings.server.max_listen_points {
        tracing::warn!(
            peer = peer.name(),
            host,
            port,
            "refused: more than server.max_listen_points on one connection"
        );
        return false;
    }
    let is_admitted = may_be_of(client, host, *port, &settings.client.connect_options(None));
    if !is_admitted {
        tracing::warn!(
            peer = peer.name(),
            host,
            port,
            "refused: an end point for calls back that is not the client's own"
        );
    }
    named.push((point.clone(), is_admitted));
    is_admitted
}

/// Whether a host is the machine from which a client has connected, as far as the name
/// service tells in the time for it. Nobody may draw to himself calls that are meant for
/// others.
fn may_be_of(client: IpAddr, host: &str, port: u16, options: &ConnectOptions) -> bool {
    let client = client.to_canonical();
    let is_here = host::is_own(client);
    let fits = |address: IpAddr| {
        let address = address.to_canonical();
        // A client on this machine may be known by any address of it.
        address == client || (is_here && host::is_own(address))
    };
    let addresses = options.resolve(host, port).unwrap_or_default();
    addresses.iter().any(|address| fits(address.ip()))
}

/// Encodes the end points that tell a server where our own objects are. End points have a
/// host and a port; an address of another kind is connected to when it is called.
pub(super) fn listen_points(published: &[Address]) -> Vec<u8> {
    let points: Vec<_> = published
        .iter()
        .filter_map(|address| match address {
            Address::Tcp { host, port } => Some(ListenPoint {
                host: host.clone(),
                port: *port,
            }),
            _ => None,
        })
        .collect();
    if points.is_empty() {
        return Vec::new();
    }
    bidirectional::to_context_data(&points).unwrap_or_else(|error| {
        tracing::error!(%error, "the published addresses cannot be told to servers");
        Vec::new()
    })
}

/// Lets requests come in on a connection that this ORB has opened, and gives it
/// its place among the server's.
///
/// # Errors
///
/// When there are as many connections as there may be.
pub(super) fn enter(
    peer: &Arc<Peer>,
    core: &OrbCore,
    registry: &Registry,
    published: &[Address],
) -> io::Result<(u64, Arc<SharedConnection>)> {
    let settings = &core.settings;
    let connection = peer.open_client_role(Origin::Here, &listen_points(published), settings);
    let connection = Arc::clone(connection);
    let id = registry.enter(peer, settings).map_err(|refusal| {
        let (setting, limit) = refusal.setting(settings);
        io::Error::other(format!("{setting}, which is {limit}, is exceeded"))
    })?;
    Ok((id, connection))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(client: &str, host: &str) -> bool {
        may_be_of(
            client.parse().unwrap(),
            host,
            2809,
            &Settings::default().client.connect_options(None),
        )
    }

    #[test]
    fn an_end_point_is_the_clients_own_or_it_is_none() {
        assert!(fits("192.0.2.7", "192.0.2.7"));
        assert!(fits("::ffff:192.0.2.7", "192.0.2.7"));
        assert!(fits("2001:db8::7", "2001:db8:0::7"));
        assert!(!fits("192.0.2.7", "192.0.2.8"));
        assert!(!fits("192.0.2.7", "127.0.0.1"));
        assert!(!fits("192.0.2.7", "0.0.0.0"));
        assert!(!fits("127.0.0.1", "0.0.0.0"));
        assert!(!fits("127.0.0.1", "192.0.2.8"));
        assert!(fits("127.0.0.1", "localhost"));
        assert!(fits("127.0.0.1", "127.0.0.2"));
        assert!(!fits("192.0.2.7", "no such host"));
    }
}
