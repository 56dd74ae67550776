//! References that are kept in files: `file:///path`.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::UrlError;

/// The path in a `file:` URL; none of any other text. It is taken as it stands, without
/// escapes: `file:///run/bank.ior` is `/run/bank.ior`, and `file://bank.ior` is `bank.ior` in
/// the working directory, as TAO has it.
pub(super) fn path_in(text: &str) -> Option<&str> {
    let text = text.trim_ascii();
    let scheme = text.get(..5)?;
    if !scheme.eq_ignore_ascii_case("file:") {
        return None;
    }
    let rest = &text[5..];
    match rest.strip_prefix("//") {
        Some(path) => match path.strip_prefix("localhost/") {
            Some(_) => path.get("localhost".len()..),
            None => Some(path),
        },
        None => Some(rest),
    }
}

/// The text of the reference in a file, of at most `limit` octets.
///
/// # Errors
///
/// [`UrlError::File`] says why there is none.
pub(super) fn read(path: &str, limit: usize) -> Result<String, UrlError> {
    let failed = |problem: String| UrlError::File {
        path: path.to_owned(),
        problem,
    };
    if path.is_empty() {
        return Err(failed("the path is missing: write file:///path".to_owned()));
    }
    let text = read_at_most(Path::new(path), limit).map_err(|error| failed(in_words(&error)))?;
    match text.trim_ascii() {
        "" => Err(failed("it is empty".to_owned())),
        text if path_in(text).is_some() => {
            Err(failed("it names a file again, not a reference".to_owned()))
        }
        text => Ok(text.to_owned()),
    }
}

fn read_at_most(path: &Path, limit: usize) -> io::Result<String> {
    // A device or a pipe may never end, nor begin.
    let kind = std::fs::metadata(path)?.file_type();
    if kind.is_dir() {
        return Err(io::Error::other("it is a directory"));
    }
    if !kind.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut text = String::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX);
    let mut file = File::open(path)?.take(most.saturating_add(1));
    match file.read_to_string(&mut text) {
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Err(io::Error::other("it is not text, and holds no reference"))
        }
        Ok(octets) if octets > limit => Err(io::Error::other(format!(
            "it has more than {limit} octets (setting client.max_reference_file)"
        ))),
        outcome => outcome.map(|_| text),
    }
}

/// The error as the operating system says it, without its number.
fn in_words(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}

/// Whether a text that is no URL looks like the path of a file.
pub(super) fn is_path(text: &str) -> bool {
    let text = text.trim_ascii();
    let begins = ["/", "./", "../", "~/"];
    begins.iter().any(|begin| text.starts_with(begin)) || Path::new(text).is_file()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::Orb;

    const URL: &str = "corbaloc:iiop:1.2@h:1/key";

    /// A file of this test alone, which ends with it.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(content: &[u8]) -> Self {
            let unique = u64::from_ne_bytes(taut_sys::entropy::random().unwrap());
            let path = std::env::temp_dir().join(format!("taut-test-{unique:016x}"));
            std::fs::write(&path, content).unwrap();
            Self(path)
        }

        fn url(&self) -> String {
            format!("file://{}", self.0.display())
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    #[test]
    fn the_path_is_what_follows_the_scheme() {
        for (text, path) in [
            ("file:///run/bank.ior", Some("/run/bank.ior")),
            (" FILE:///run/bank.ior\n", Some("/run/bank.ior")),
            ("file://localhost/run/bank.ior", Some("/run/bank.ior")),
            ("file:/run/bank.ior", Some("/run/bank.ior")),
            ("file://bank.ior", Some("bank.ior")),
            ("file://a%20b", Some("a%20b")),
            ("file://", Some("")),
            ("files://x", None),
            ("IOR:00", None),
            ("é", None),
        ] {
            assert_eq!(path_in(text), path, "{text:?}");
        }
    }

    #[test]
    fn a_reference_is_read_from_a_file() {
        let orb = Orb::builder().build().unwrap();
        let expected = orb.string_to_object(URL).unwrap();
        for content in [
            URL.to_owned(),
            format!("\n {URL}\r\n"),
            expected.to_string(),
        ] {
            let file = Scratch::new(content.as_bytes());
            assert_eq!(orb.string_to_object(&file.url()).unwrap(), expected);
        }
    }

    #[test]
    fn a_file_without_a_reference_is_refused_with_its_path() {
        let limit = 64;
        let builder =
            Orb::builder().settings(|settings| settings.client.max_reference_file = limit);
        let orb = builder.build().unwrap();
        let failure = |url: &str| orb.string_to_object(url).unwrap_err().to_string();
        for (content, problem) in [
            (&b"  \n"[..], "it is empty"),
            (
                &[b'x'; 65],
                "it has more than 64 octets (setting client.max_reference_file)",
            ),
            (b"\xff\xfe", "it is not text, and holds no reference"),
            (b"file:///x", "it names a file again, not a reference"),
        ] {
            let file = Scratch::new(content);
            let path = file.0.display();
            assert_eq!(
                failure(&file.url()),
                format!("the file \"{path}\": {problem}")
            );
        }
        for (url, text) in [
            ("file:///", "the file \"/\": it is a directory"),
            (
                "file:///dev/zero",
                "the file \"/dev/zero\": it is not a regular file",
            ),
            (
                "file:///no/such/file",
                "the file \"/no/such/file\": No such file or directory",
            ),
            (
                "file://",
                "the file \"\": the path is missing: write file:///path",
            ),
            (
                "/run/bank.ior",
                "\"/run/bank.ior\" is a path, not a URL; write file:///run/bank.ior",
            ),
            (
                "./bank.ior",
                "\"./bank.ior\" is a path, not a URL; write file://./bank.ior",
            ),
        ] {
            assert_eq!(failure(url), text);
        }
    }

    #[test]
    fn the_file_of_an_initial_reference_is_read_at_the_start() {
        let with = |url: &str| Orb::builder().initial_reference("Bank", url).build();
        let file = Scratch::new(URL.as_bytes());
        let orb = with(&file.url()).unwrap();
        drop(file);
        let bank = orb.resolve_initial_references("Bank").unwrap();
        assert_eq!(bank, orb.string_to_object(URL).unwrap());
        for (url, text) in [
            (
                "file:///no/such/file",
                "the initial reference \"Bank\": the file \"/no/such/file\": No such file or \
                 directory",
            ),
            (
                "bar",
                "the initial reference \"Bank\": the text begins with none of \"IOR:\", \
                 \"corbaloc:\", \"corbaname:\" and \"file://\"",
            ),
        ] {
            assert_eq!(with(url).unwrap_err().to_string(), text);
        }
    }

    #[test]
    fn a_host_that_was_read_as_a_protocol_is_pointed_out() {
        let orb = Orb::builder().build().unwrap();
        for (url, hint) in [
            (
                "corbaname:localhost:2809#x",
                "\"localhost\" was read as a protocol, and this ORB speaks iiop and uiop only; if \
                 it is a host, write :localhost:2809",
            ),
            (
                "corbaloc:localhost:/x",
                "\"localhost\" was read as a protocol, and this ORB speaks iiop and uiop only; if \
                 it is a host, write :localhost",
            ),
            (
                "corbaloc:ssliop:host:9/x",
                "\"ssliop\" was read as a protocol, and this ORB speaks iiop and uiop only",
            ),
        ] {
            assert_eq!(orb.string_to_object(url).unwrap_err().to_string(), hint);
        }
    }
}
