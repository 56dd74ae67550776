//! Counts the instructions of a function of the test that has this module: of its
//! optimized code, by valgrind. The test has another one, `work`, which is ignored and
//! does what is counted.

use std::path::{Path, PathBuf};
use std::process::Command;

use taut_cdr::ByteOrder;

/// Tells `work` in which byte order to do how much.
const WORK: &str = "TAUT_WORK";

const FOREIGN: ByteOrder = match ByteOrder::NATIVE {
    ByteOrder::Big => ByteOrder::Little,
    ByteOrder::Little => ByteOrder::Big,
};

/// What `work` is to do: in this byte order, so many times.
pub(crate) fn work() -> (ByteOrder, usize) {
    let work = std::env::var(WORK).unwrap();
    let (order, count) = work.split_once(' ').unwrap();
    let order = match order {
        "native" => ByteOrder::NATIVE,
        _ => FOREIGN,
    };
    (order, count.parse().unwrap())
}

/// The instructions of a function, named with its crate, for each time that `work` calls
/// for: the difference of so many and twice as many.
pub(crate) fn count(valgrind: &Path, function: &str, order: &str, times: usize) -> f64 {
    let [few, many] = [times, 2 * times].map(|count| {
        let output = Command::new(valgrind)
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(format!("--toggle-collect={function}"))
            .arg(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "work", "--test-threads=1"])
            .env(WORK, format!("{order} {count}"))
            .output()
            .unwrap();
        let report = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{report}");
        let collected = report
            .lines()
            .find_map(|line| line.split_once("Collected :"));
        collected.unwrap().1.trim().parse::<usize>().unwrap()
    });
    assert!(many > few, "nothing was counted");
    (many - few) as f64 / times as f64
}

/// Valgrind, where it is installed and the code is optimized.
pub(crate) fn valgrind() -> Option<PathBuf> {
    if cfg!(debug_assertions) {
        eprintln!("LEFT OUT: only optimized code is counted; run with `--release`");
        return None;
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .map(|directory| directory.join("valgrind"))
        .find(|file| file.is_file());
    if found.is_none() {
        let is_required = std::env::var_os("TAUT_REQUIRE_PEERS").is_some_and(|value| value == "1");
        assert!(!is_required, "valgrind is missing; run `cargo xtask peers`");
        eprintln!("LEFT OUT: valgrind is missing; run `cargo xtask peers`");
    }
    found
}
