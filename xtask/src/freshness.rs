//! Whether what is built is newer than what it is built of.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Whether a file exists and none of its inputs is newer, or missing.
pub(crate) fn is_fresh<'a>(output: &Path, inputs: impl IntoIterator<Item = &'a PathBuf>) -> bool {
    let Some(made) = modified(output) else {
        return false;
    };
    inputs
        .into_iter()
        .all(|input| modified(input).is_some_and(|changed| changed <= made))
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path)
        .and_then(|metadata| metadata.modified())
        .ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_file_is_fresh_unless_missing_or_older_than_an_input() {
        let directory = tempfile::tempdir().unwrap();
        let output = directory.path().join("output");
        let input = directory.path().join("input");
        fs::write(&input, "").unwrap();
        assert!(!is_fresh(&output, [&input]), "missing output");

        fs::write(&output, "").unwrap();
        let now = SystemTime::now();
        let set = |path: &Path, time| {
            let file = fs::File::options().write(true).open(path).unwrap();
            file.set_modified(time).unwrap();
        };
        set(&output, now);
        for (age_s, fresh) in [(2, true), (0, true)] {
            set(&input, now - Duration::from_secs(age_s));
            assert_eq!(is_fresh(&output, [&input]), fresh, "{age_s} s older");
        }
        set(&input, now + Duration::from_secs(2));
        assert!(!is_fresh(&output, [&input]), "newer input");

        fs::remove_file(&input).unwrap();
        assert!(!is_fresh(&output, [&input]), "missing input");
    }
}
