//! The address under which others may reach this machine.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

/// The address of the interface that the default route uses, IPv4 first; the
/// loopback address on a machine without a route. Nothing is sent.
pub fn primary_address() -> IpAddr {
    // Connecting a datagram socket only looks up the route. The targets are
    // addresses reserved for documentation (RFC 5737, RFC 3849).
    let route = |local: IpAddr, target: IpAddr| {
        let socket = UdpSocket::bind((local, 0)).ok()?;
        socket.connect((target, 9)).ok()?;
        let address = socket.local_addr().ok()?.ip();
        (!address.is_unspecified() && !address.is_loopback()).then_some(address)
    };
    route(
        Ipv4Addr::UNSPECIFIED.into(),
        Ipv4Addr::new(192, 0, 2, 1).into(),
    )
    .or_else(|| {
        route(
            Ipv6Addr::UNSPECIFIED.into(),
            Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1).into(),
        )
    })
    .unwrap_or(Ipv4Addr::LOCALHOST.into())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_primary_address_can_be_published() {
        assert!(!super::primary_address().is_unspecified());
    }
}
