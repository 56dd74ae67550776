//! The short form of `taut-bench soak`; the long one is run by hand.

use std::process::Command;

#[test]
fn nothing_is_left_behind_by_calls_and_connections() {
    let output = Command::new(env!("CARGO_BIN_EXE_taut-bench"))
        .args(["soak", "--calls=10000", "--connects=1000"])
        .args(["--warm-up=300", "--tolerance=10"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}\n{text}");
    let after = text
        .lines()
        .filter(|line| line.contains("after the warm-up"));
    assert_eq!(after.count(), 4, "{text}");
}
