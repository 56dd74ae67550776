//! Addresses, in text and in profiles.

use std::time::Duration;

use taut_cdr::{ByteOrder, Decoder, Encoder};
use taut_transport::{Address, ConnectOptions, ListenOptions};

use crate::Subject;

/// Checks that an address is the same after it was written into a profile or a text, and
/// read again, that an endpoint is, and that a peer has a name.
pub fn addresses_are_written_as_they_are_read(subject: &Subject) {
    let protocol = &subject.protocol;
    let place = protocol.parse_endpoint(&subject.place()).unwrap();
    assert_eq!(protocol.parse_endpoint(&place).as_ref(), Ok(&place));
    let acceptor = protocol.listen(&place, &ListenOptions::default()).unwrap();
    let (client, server) = subject.pair_at(&*acceptor);
    assert!(!client.peer().is_empty() && !server.peer().is_empty());
    let mut addresses = acceptor.published(&[]);
    addresses.push(acceptor.address().clone());
    for address in addresses {
        assert_eq!(address.scheme(), protocol.scheme());
        assert_eq!(
            protocol.parse_address(&address.place()).as_ref(),
            Ok(&address)
        );
        assert_eq!(
            Address::parse(&address.to_string(), 0).as_ref(),
            Ok(&address)
        );
        for order in [ByteOrder::Big, ByteOrder::Little] {
            let mut out = Encoder::new(order);
            protocol.write_address(&address, &mut out).unwrap();
            let mut input = Decoder::new(out.as_bytes(), order);
            assert_eq!(protocol.read_address(&mut input).as_ref(), Ok(&address));
            assert_eq!(input.position(), out.len(), "it is read to its end");
            for cut in 0..out.len() {
                let mut input = Decoder::new(&out.as_bytes()[..cut], order);
                let read = protocol.read_address(&mut input);
                assert_ne!(read.as_ref(), Ok(&address), "of {cut} octets");
            }
        }
    }
    let foreign = Address::other("no-protocol-has-this-scheme", "x");
    let mut out = Encoder::new(ByteOrder::Big);
    assert!(protocol.write_address(&foreign, &mut out).is_err());
}

/// Checks that connecting fails where nobody listens any more, and says where.
pub fn nobody_listens(subject: &Subject) {
    let acceptor = subject.listen();
    let address = acceptor.address().clone();
    acceptor.close().unwrap();
    drop(acceptor);
    let options = ConnectOptions::within(Duration::from_secs(5));
    let error = subject.protocol.connect(&address, &options).unwrap_err();
    assert!(!error.attempts.is_empty());
    assert!(error.to_string().contains(&address.to_string()), "{error}");
    assert!(!subject.protocol.is_here(&address));
}
