//! Many connections on few threads: what they cost is counted.

use std::process::Command;

/// The numbers that stand before a word.
fn numbers_before(word: &str, text: &str) -> Vec<u64> {
    let words: Vec<&str> = text.split([' ', '\n']).collect();
    let pairs = words.windows(2).filter(|pair| pair[1].starts_with(word));
    pairs.filter_map(|pair| pair[0].parse().ok()).collect()
}

#[test]
fn connections_that_lie_idle_cost_less_than_4_kib_each_and_no_threads() {
    let output = Command::new(env!("CARGO_BIN_EXE_taut-bench"))
        .args(["idle", "--connections=500"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let octets = numbers_before("octets", &text);
    let threads = numbers_before("threads", &text);
    assert_eq!((octets.len(), threads.len()), (2, 3));
    assert!(octets.iter().all(|octets| *octets < 4096), "{octets:?}");
    // The threads that are there first may still grow by one while the machine
    // is busy, but not with the connections.
    assert!(
        threads.iter().max() < threads.iter().map(|n| n + 10).min().as_ref(),
        "{threads:?}"
    );
}

#[test]
fn each_number_of_connections_is_measured() {
    let output = Command::new(env!("CARGO_BIN_EXE_taut-bench"))
        .args(["connections", "--rounds=2", "--calls=20"])
        .args(["--counts=1,30", "--systems=raw,taut"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let table = String::from_utf8(output.stdout).unwrap();
    for count in ["1 connections", "30 connections"] {
        assert!(table.contains(count), "{table}");
    }
    assert_eq!(table.matches("  taut  ").count(), 2, "{table}");
}
