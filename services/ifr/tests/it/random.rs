//! Clients that do whatever comes to their mind.

use super::steps;

/// A random sequence that is the same each time (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

#[test]
fn whatever_clients_do_what_there_is_describes_itself() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for _ in 0..30 {
        let length = random.next() % 600;
        let octets: Vec<u8> = (0..length).map(|_| (random.next() >> 24) as u8).collect();
        steps::run(&octets);
    }
}

/// The inputs of the fuzz target.
#[test]
fn each_input_of_the_corpus_leaves_a_coherent_repository() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/interfaces");
    let mut inputs = 0;
    for entry in std::fs::read_dir(corpus).unwrap() {
        steps::run(&std::fs::read(entry.unwrap().path()).unwrap());
        inputs += 1;
    }
    assert!(inputs >= 10, "{inputs}");
}
