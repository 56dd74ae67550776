//! This machine, as others see it: the address under which they may reach it, and its
//! name.

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

/// The name that this machine, or container, has given itself; empty if it is not
/// UTF-8.
pub fn name() -> String {
    let system = rustix::system::uname();
    system.nodename().to_str().unwrap_or_default().to_owned()
}

/// Whether an address is one of this machine's.
pub fn is_own(address: IpAddr) -> bool {
    !address.is_unspecified() && UdpSocket::bind((address, 0)).is_ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::net::Ipv4Addr;

    #[test]
    fn the_primary_address_can_be_published() {
        assert!(!super::primary_address().is_unspecified());
    }

    #[test]
    fn the_machine_knows_its_name_and_its_addresses() {
        let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
        assert_eq!(super::name(), name.trim_end());
        assert!(super::is_own(super::primary_address()));
        assert!(super::is_own(Ipv4Addr::LOCALHOST.into()));
        // Reserved for documentation (RFC 5737), and nobody's.
        assert!(!super::is_own(Ipv4Addr::new(192, 0, 2, 8).into()));
        assert!(!super::is_own(Ipv4Addr::UNSPECIFIED.into()));
    }
}
