//! `taut completions` and `taut man`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use test_tools::tool;

use crate::command::support::{run, taut};

/// All commands, as they are written behind `taut`.
const COMMANDS: [&str; 36] = [
    "ior",
    "giop",
    "idl",
    "idl check",
    "idl gen",
    "idl dump",
    "idl fmt",
    "name",
    "name list",
    "name resolve",
    "name bind",
    "name unbind",
    "name tree",
    "name check",
    "name watch",
    "name copy",
    "name export",
    "name import",
    "name serve",
    "ifr",
    "ifr serve",
    "schedule",
    "schedule check",
    "schedule report",
    "schedule simulate",
    "schedule serve",
    "schedule feedback",
    "call",
    "describe",
    "ping",
    "shell",
    "mock",
    "record",
    "replay",
    "completions",
    "man",
];

/// The script for a shell.
fn script(shell: &str) -> String {
    let outcome = run(&["completions", shell]);
    assert_eq!((outcome.errors.as_str(), outcome.status), ("", Some(0)));
    outcome.output
}

#[test]
fn bash_completes_commands_options_and_values() {
    let Some(bash) = tool("bash") else { return };
    // Completes the last of its arguments, as bash does when the tabulator is pressed.
    let complete = "source /dev/stdin; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); \
        _taut taut \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"; \
        echo \"${COMPREPLY[*]}\"";
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("script");
    fs::write(&file, script("bash")).unwrap();
    let candidates = |line: &str| {
        let mut bash = Command::new(&bash);
        bash.args(["--norc", "-c", complete, "bash"])
            .args(line.split(' '));
        bash.stdin(fs::File::open(&file).unwrap());
        let output = bash.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{line}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(candidates("taut idl ch"), "check");
    assert_eq!(
        candidates("taut name list --che"),
        "--check --check-timeout"
    );
    assert_eq!(candidates("taut --color al"), "always");
    assert_eq!(candidates("taut idl check --allow anon"), "anonymous-type");
    assert_eq!(candidates("taut giop --allow pad"), "padding");
    let strategies = "perfect_hash binary_search dynamic_hash linear";
    assert_eq!(candidates("taut idl gen --dispatch "), strategies);
    assert_eq!(candidates("taut idl gen --marshaling in"), "interpretive");
    assert_eq!(candidates("taut completions z"), "zsh");
    assert_eq!(candidates("taut ior no-such-command"), "");
}

#[test]
fn each_script_has_all_commands_and_is_for_its_shell() {
    for (shell, registration) in [
        ("bash", "complete -F _taut"),
        ("zsh", "#compdef taut\n"),
        ("fish", "complete -c taut"),
    ] {
        let script = script(shell);
        assert!(script.contains(registration), "{shell}");
        for command in COMMANDS {
            let name = command.rsplit(' ').next().unwrap();
            assert!(script.contains(name), "{shell}: {name}");
        }
        assert!(script.contains("check-timeout"), "{shell}");
    }
}

#[test]
fn an_unknown_shell_is_refused() {
    let outcome = run(&["completions", "csh"]);
    assert_eq!((outcome.output.as_str(), outcome.status), ("", Some(2)));
    assert!(
        outcome.errors.contains("bash, zsh, fish"),
        "{}",
        outcome.errors
    );
}

/// The sections of a page: of each the heading, and the lines until the next.
fn sections(page: &str) -> Vec<(&str, &str)> {
    let parts = page.split("\n.SH ").skip(1);
    parts.map(|part| part.split_once('\n').unwrap()).collect()
}

/// Writes the manual and returns the names of its files.
fn write_manual(directory: &Path) -> BTreeSet<String> {
    let outcome = run(&["man", directory.to_str().unwrap()]);
    assert_eq!((outcome.output.as_str(), outcome.errors.as_str()), ("", ""));
    assert_eq!(outcome.status, Some(0));
    let files = fs::read_dir(directory).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string());
    names.map(Result::unwrap).collect()
}

#[test]
fn each_command_has_a_page_with_a_description() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path().join("share/man/man1");
    let names = write_manual(&directory);
    let page_name = |command: &str| format!("taut-{}.1", command.replace(' ', "-"));
    let mut expected: BTreeSet<_> = COMMANDS.into_iter().map(page_name).collect();
    expected.insert("taut.1".to_owned());
    assert_eq!(names, expected);

    for name in &names {
        let page = fs::read_to_string(directory.join(name)).unwrap();
        assert!(page.is_ascii(), "{name}");
        assert_eq!(page.matches(".ds Aq").count(), 2, "{name}");
        let sections = sections(&page);
        let headings: Vec<_> = sections.iter().map(|(heading, _)| *heading).collect();
        assert_eq!(headings[..3], ["NAME", "SYNOPSIS", "DESCRIPTION"], "{name}");
        assert!(headings.contains(&"OPTIONS"), "{name}");
        let is_below = headings.contains(&"\"SEE ALSO\"");
        assert_eq!(is_below, name != "taut.1", "{name}");
        let title = name.trim_end_matches(".1").replace('-', "\\-");
        let (_, about) = sections[0];
        assert!(
            about.starts_with(&format!("{title} \\- ")),
            "{name}: {about}"
        );
        let (_, usage) = sections[1];
        assert!(usage.starts_with("\\fBtaut"), "{name}: {usage}");
        let (_, description) = sections[2];
        assert!(
            description.trim_end().ends_with('.'),
            "{name}: {description}"
        );
    }
}

#[test]
fn pages_are_sound_troff() {
    let Some(groff) = tool("groff") else { return };
    let directory = tempfile::tempdir().unwrap();
    for name in write_manual(directory.path()) {
        let mut groff = Command::new(&groff);
        groff
            .args(["-man", "-ww", "-Tutf8"])
            .arg(directory.path().join(&name));
        let output = groff.output().unwrap();
        let warnings = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            (warnings.as_ref(), output.status.code()),
            ("", Some(0)),
            "{name}"
        );
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            text.contains(concat!("taut ", env!("CARGO_PKG_VERSION"))),
            "{name}"
        );
    }
}

#[test]
fn a_manual_that_cannot_be_written_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    let outcome = run(&["man", file.to_str().unwrap()]);
    assert_eq!(outcome.status, Some(1));
    let expected = format!("error: {} cannot be written: ", file.display());
    assert!(outcome.errors.starts_with(&expected), "{}", outcome.errors);

    let taken = directory.path().join("taut.1");
    fs::create_dir(&taken).unwrap();
    let outcome = taut().arg("man").arg(directory.path()).output().unwrap();
    assert_eq!(outcome.status.code(), Some(1));
    let errors = String::from_utf8(outcome.stderr).unwrap();
    assert!(errors.contains("taut.1 cannot be written: "), "{errors}");
}
