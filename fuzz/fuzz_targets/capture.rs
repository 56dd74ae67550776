//! Captures, hex dumps and messages of any kind are explained to their end.
//!
//! Memory that is kept stays in proportion: the events of a capture together are no more
//! than a multiple of it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use taut_traffic::{Event, Limits, Options, Traffic};

fuzz_target!(|data: &[u8]| {
    // Small, so that inputs of a fuzzer's size reach them.
    let limits = Limits {
        max_connections: 3,
        max_message_size: 512,
        max_out_of_order: 128,
        max_packets_out_of_order: 4,
        max_kept: 1_024,
        max_partial_messages: 2,
        max_outstanding: 4,
        max_values: 16,
        ..Limits::DEFAULT
    };
    let options = Options {
        limits,
        ..Options::default()
    };
    let Ok(mut traffic) = Traffic::open(data, options) else {
        return;
    };
    let mut messages = 0;
    while let Ok(Some(event)) = traffic.next_event() {
        if let Event::Message(message) = event {
            messages += 1;
            assert_eq!(message.number, messages);
            for mark in &message.marks {
                assert!(!mark.to_string().is_empty());
            }
        }
    }
    // A message takes twelve octets, whole or not.
    assert!(
        messages as usize * 12 <= data.len().max(12) * 2,
        "{messages}"
    );
});
