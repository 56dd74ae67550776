//! Addresses of the Internet protocol as people write them.
//!
//! The texts are those of the standard library, whose code for them takes 3,000 octets more of
//! a program (the minimal client and server of docs/footprint.md).

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// The address: `192.0.2.1`, `2001:db8::1`.
pub(crate) fn of_ip(address: IpAddr) -> String {
    let mut text = String::new();
    push_ip(&mut text, address);
    text
}

/// The address and port: `192.0.2.1:2809`, `[2001:db8::1]:2809`, `[fe80::1%2]:2809`.
pub(crate) fn of_socket(address: SocketAddr) -> String {
    let mut text = String::new();
    match address {
        SocketAddr::V4(address) => push_ip(&mut text, (*address.ip()).into()),
        SocketAddr::V6(address) => {
            text.push('[');
            push_ip(&mut text, (*address.ip()).into());
            if address.scope_id() != 0 {
                text.push('%');
                push_number(&mut text, address.scope_id(), 10);
            }
            text.push(']');
        }
    }
    text.push(':');
    push_number(&mut text, address.port().into(), 10);
    text
}

fn push_ip(text: &mut String, address: IpAddr) {
    match address {
        IpAddr::V4(address) => push_octets(text, address.octets()),
        IpAddr::V6(address) => push_v6(text, address),
    }
}

fn push_octets(text: &mut String, octets: [u8; 4]) {
    for (index, octet) in octets.into_iter().enumerate() {
        if index > 0 {
            text.push('.');
        }
        push_number(text, octet.into(), 10);
    }
}

/// Appends an address of version 6, in which `::` stands for the longest run of zeroes of at
/// least two groups, the first of several (RFC 5952).
fn push_v6(text: &mut String, address: Ipv6Addr) {
    if let Some(mapped) = address.to_ipv4_mapped() {
        text.push_str("::ffff:");
        return push_octets(text, mapped.octets());
    }
    let groups = address.segments();
    let zeroes = longest_zeroes(&groups);
    let mut index = 0;
    while index < groups.len() {
        if zeroes.1 > 1 && index == zeroes.0 {
            text.push_str("::");
            index += zeroes.1;
            continue;
        }
        if index > 0 && !text.ends_with(':') {
            text.push(':');
        }
        push_number(text, groups[index].into(), 16);
        index += 1;
    }
}

/// Where the longest run of zeroes begins, and its length.
fn longest_zeroes(groups: &[u16; 8]) -> (usize, usize) {
    let mut longest = (0, 0);
    let mut length = 0;
    for (index, group) in groups.iter().enumerate() {
        length = if *group == 0 { length + 1 } else { 0 };
        if length > longest.1 {
            longest = (index + 1 - length, length);
        }
    }
    longest
}

/// Appends a number to a base of at most 16.
fn push_number(text: &mut String, number: u32, base: u32) {
    let mut power = 1;
    while number / power >= base {
        power *= base;
    }
    while power > 0 {
        let digit = char::from_digit(number / power % base, base);
        // A remainder is a digit.
        text.push(digit.unwrap_or('0'));
        power /= base;
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddrV6;

    use super::*;

    #[test]
    fn texts_are_those_of_the_standard_library() {
        for text in [
            "0.0.0.0",
            "192.0.2.10",
            "255.255.255.255",
            "::",
            "::1",
            "1::",
            "fe80::1:0:0:1",
            "2001:db8::1",
            "2001:db8:0:1:1:1:1:1",
            "2001:0:0:1::1",
            "1:2:3:4:5:6:7:8",
            "0:2:3:4:5:6:7:8",
            "1:2:3:4:5:6:0:0",
            "::ffff:192.0.2.1",
            "::1.2.3.4",
            "64:ff9b::a0b0:c0d",
        ] {
            let address: IpAddr = text.parse().unwrap();
            assert_eq!(of_ip(address), address.to_string());
            for port in [0, 9, 2809, u16::MAX] {
                let socket = SocketAddr::new(address, port);
                assert_eq!(of_socket(socket), socket.to_string());
            }
        }
        for scope in [0, 2, u32::MAX] {
            let socket = SocketAddrV6::new("fe80::1".parse().unwrap(), 7, 0, scope);
            assert_eq!(of_socket(socket.into()), socket.to_string());
        }
    }

    #[test]
    fn runs_of_zeroes_anywhere_are_those_of_the_standard_library() {
        for pattern in 0..=u8::MAX {
            let group = |index: u16| u16::from(pattern >> index & 1) * (0x10 + index);
            let groups: Vec<_> = (0..8).map(group).collect();
            let groups: [u16; 8] = groups.try_into().unwrap();
            let address = IpAddr::from(Ipv6Addr::from(groups));
            assert_eq!(of_ip(address), address.to_string());
        }
    }
}
