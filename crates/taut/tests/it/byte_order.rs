//! Messages are in the byte order of the settings.

use std::io::Read;
use std::net::TcpListener;
use std::thread;

use taut::{ByteOrder, Orb};

#[test]
fn requests_are_sent_in_the_order_of_the_settings() {
    for (order, flag) in [(ByteOrder::Little, 1), (ByteOrder::Big, 0)] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let orb = Orb::builder()
            .settings(|settings| settings.wire.byte_order = order)
            .build()
            .unwrap();
        let object = orb
            .string_to_object(&format!("corbaloc::1.2@127.0.0.1:{port}/Key"))
            .unwrap();
        // The server closes the connection, and the call fails.
        let call = thread::spawn(move || object.non_existent());
        let (mut stream, _) = listener.accept().unwrap();
        let mut header = [0; 12];
        stream.read_exact(&mut header).unwrap();
        assert_eq!(header[6] & 1, flag, "{order:?}");
        let size = [header[8], header[9], header[10], header[11]];
        let size = match order {
            ByteOrder::Little => u32::from_le_bytes(size),
            ByteOrder::Big => u32::from_be_bytes(size),
        };
        assert!(size < 1000, "{size}");
        drop((stream, listener));
        assert!(call.join().unwrap().is_err());
    }
}
