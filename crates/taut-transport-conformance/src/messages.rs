//! Many messages.

use std::thread;

use taut_transport::Stream;

use crate::Subject;
use crate::random::Random;
use crate::subject::receive_exactly;

/// How many messages there are.
const MESSAGES: usize = 100_000;

/// Checks 100,000 messages of random sizes from one side to the other, and an answer to
/// each hundredth.
pub fn messages_of_random_sizes(subject: &Subject) {
    let (client, server) = subject.pair();
    thread::scope(|scope| {
        scope.spawn(|| serve(&server));
        let mut random = Random::new(7);
        let mut batch = Vec::new();
        for number in 0..MESSAGES {
            let body = body_length(&mut random);
            batch.extend_from_slice(&u32::try_from(body).unwrap().to_be_bytes());
            batch.extend((0..body).map(|index| octet(number, index)));
            if number % 100 == 99 {
                client.send(&batch).unwrap();
                batch.clear();
                let answer = receive_exactly(&client, 8);
                assert_eq!(answer, number.to_be_bytes());
            }
        }
    });
}

/// Receives the messages, each with its length first.
fn serve(server: &Stream) {
    let mut random = Random::new(7);
    let mut buffer = Vec::new();
    let mut read = 0;
    for number in 0..MESSAGES {
        let expected = body_length(&mut random);
        let mut need = |count: usize| {
            while buffer.len() - read < count {
                if read > 1 << 16 {
                    buffer.drain(..read);
                    read = 0;
                }
                buffer.reserve(1 << 14);
                assert_ne!(server.receive(&mut buffer).unwrap(), 0, "the stream ended");
            }
            read += count;
            buffer[read - count..read].to_vec()
        };
        let length = need(4);
        assert_eq!(length, u32::try_from(expected).unwrap().to_be_bytes());
        let body = need(expected);
        let is_right = |(index, found): (usize, &u8)| *found == octet(number, index);
        assert!(body.iter().enumerate().all(is_right), "in message {number}");
        if number % 100 == 99 {
            server.send(&number.to_be_bytes()).unwrap();
        }
    }
}

/// Mostly small, as messages are; one in a thousand is large.
fn body_length(random: &mut Random) -> usize {
    match random.below(1000) {
        0 => random.below(70_000),
        _ => random.below(200),
    }
}

fn octet(message: usize, index: usize) -> u8 {
    (message.wrapping_mul(31) ^ index) as u8
}
