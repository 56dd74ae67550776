//! Priorities on the wire: golden octets in both byte orders, and what is malformed.

use taut_cdr::ByteOrder;
use taut_giop::Limits;
use taut_giop::component::{TaggedComponent, tag};
use taut_giop::message::{priority_context, read_priority_context, read_priority_range_context};
use taut_giop::real_time::{InternetAddress, LaneEndpoint, priority_range_context};

/// The octets in this machine's byte order.
fn native<'o>(big: &'o [u8], little: &'o [u8]) -> &'o [u8] {
    match ByteOrder::NATIVE {
        ByteOrder::Big => big,
        ByteOrder::Little => little,
    }
}

#[test]
fn the_context_of_a_priority_has_the_octets_of_the_standard() {
    for (priority, big, little) in [
        (0, [0, 0, 0, 0], [1, 0, 0, 0]),
        (0x0102, [0, 0, 1, 2], [1, 0, 2, 1]),
        (i16::MAX, [0, 0, 0x7f, 0xff], [1, 0, 0xff, 0x7f]),
    ] {
        assert_eq!(priority_context(ByteOrder::Big, priority), big);
        assert_eq!(priority_context(ByteOrder::Little, priority), little);
        assert_eq!(read_priority_context(&big), Ok(priority));
        assert_eq!(read_priority_context(&little), Ok(priority));
    }
    // Octets behind it do not matter.
    assert_eq!(read_priority_context(&[0, 0, 0, 7, 8, 9]), Ok(7));
    for malformed in [&[][..], &[0], &[0, 0], &[0, 0, 1]] {
        assert!(read_priority_context(malformed).is_err(), "{malformed:?}");
    }
}

#[test]
fn the_context_of_a_band_has_the_octets_of_the_standard() {
    let big = [0, 0, 0, 10, 0x7f, 0xfe];
    let little = [1, 0, 10, 0, 0xfe, 0x7f];
    assert_eq!(priority_range_context(10, 0x7ffe), native(&big, &little));
    for octets in [big, little] {
        let read = read_priority_range_context(&octets);
        assert_eq!(read, Ok((10, 0x7ffe)));
        for end in 0..octets.len() {
            assert!(read_priority_range_context(&octets[..end]).is_err());
        }
    }
}

/// Two endpoints of IIOP, as TAO writes them.
const BIG: &[u8] =
    b"\0\0\0\0\0\0\0\x02\0\0\0\x0a127.0.0.1\0\x1f\x90\0\x03\0\0\0\0\0\x02h\0\xff\xff\x7f\xff";
const LITTLE: &[u8] =
    b"\x01\0\0\0\x02\0\0\0\x0a\0\0\x00127.0.0.1\0\x90\x1f\x03\0\0\0\x02\0\0\0h\0\xff\xff\xff\x7f";

fn component(data: &[u8]) -> TaggedComponent {
    TaggedComponent {
        tag: tag::TAO_ENDPOINTS,
        data: data.to_vec(),
    }
}

#[test]
fn the_endpoints_of_lanes_have_the_octets_of_tao() {
    let endpoint = |host: &str, port, priority| LaneEndpoint {
        address: InternetAddress {
            host: host.to_owned(),
            port,
        },
        priority,
    };
    let endpoints = [
        endpoint("127.0.0.1", 8_080, 3),
        endpoint("h", 65_535, i16::MAX),
    ];
    let written = LaneEndpoint::to_component(&endpoints).unwrap();
    assert_eq!(written, component(native(BIG, LITTLE)));
    for octets in [BIG, LITTLE] {
        let read = |octets: &[u8]| {
            LaneEndpoint::<InternetAddress>::read_all(&component(octets), &Limits::DEFAULT)
        };
        assert_eq!(read(octets).unwrap(), endpoints);
        for end in 0..octets.len() {
            assert!(read(&octets[..end]).is_err(), "{end}");
        }
    }
}

#[test]
fn the_endpoints_of_unix_domain_sockets_have_a_path() {
    let endpoints = [("/run/a", 0), ("", 7)].map(|(path, priority)| LaneEndpoint {
        address: path.to_owned(),
        priority,
    });
    let big = b"\0\0\0\0\0\0\0\x02\0\0\0\x07/run/a\0\0\0\0\0\0\0\0\0\x01\0\0\0\x07";
    let read = LaneEndpoint::<String>::read_all(&component(big), &Limits::DEFAULT);
    assert_eq!(read.unwrap(), endpoints);
    let written = LaneEndpoint::to_component(&endpoints).unwrap();
    let read = LaneEndpoint::<String>::read_all(&written, &Limits::DEFAULT);
    assert_eq!(read.unwrap(), endpoints);
}

#[test]
fn more_endpoints_than_components_may_be_are_refused() {
    let limits = Limits {
        max_components: 1,
        ..Limits::DEFAULT
    };
    let read = |limits| LaneEndpoint::<InternetAddress>::read_all(&component(BIG), limits);
    assert!(read(&limits).is_err());
    assert_eq!(read(&Limits::DEFAULT).unwrap().len(), 2);
    let other = TaggedComponent::from_orb_type(1);
    assert!(LaneEndpoint::<InternetAddress>::read_all(&other, &limits).is_err());
}
