//! The short form of `taut-bench soak`; the long one is run by hand.

use std::process::Command;

#[test]
fn nothing_is_left_behind_by_calls_and_connections() {
    let output = Command::new(env!("CARGO_BIN_EXE_taut-bench"))
        .args(["soak", "--calls=10000", "--connects=1000"])
        .args(["--warm-up=400", "--tolerance=5"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}\n{text}");
    // Both processes at eight steps of the warm-up, and at eight after it; both
    // ways of serving.
    let looks = text
        .lines()
        .filter(|line| line.contains("octets allocated, "));
    assert_eq!(looks.count(), 2 * (8 + 8) * 2, "{text}");
    assert_eq!(text.matches("nothing is left behind").count(), 2, "{text}");
}
