use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::*;

/// Reads a value into settings, or says what to write.
fn apply(
    argument: &SettingArgument,
    settings: &mut Settings,
    text: &str,
) -> Result<(), &'static str> {
    (argument.treat)(settings, &Settings::default(), Some(text)).map(drop)
}

/// Settings with one argument applied.
fn with(name: &str, value: &str) -> Result<Settings, &'static str> {
    let mut settings = Settings::default();
    let argument = &ARGUMENTS[find(name).unwrap()];
    apply(argument, &mut settings, value)?;
    Ok(settings)
}

/// Of each kind of value one that is not the default.
const VALUES: [&str; 25] = [
    "7",
    "7s",
    "shared",
    "MUXED",
    "both",
    "server",
    "yes",
    "1",
    "1.1",
    "big",
    "little",
    "UTF-8",
    "linear",
    "off",
    "h:1",
    "as-published",
    "spin",
    "refuse",
    "192.0.2.7",
    "round-robin",
    "refuse-lowest",
    "direct",
    "error",
    "predictable",
    "dscp=46",
];

#[test]
fn each_argument_sets_something_and_refuses_nonsense() {
    for argument in ARGUMENTS {
        let changes = VALUES.iter().any(|value| {
            let mut settings = Settings::default();
            apply(argument, &mut settings, value).is_ok()
                && (argument.treat)(&mut settings, &Settings::default(), None) == Ok(false)
        });
        assert!(changes, "{:?}", argument.names);
        // A name may be anything, but must be something.
        let nonsense = match argument.setting {
            "server.id" => "",
            _ => "nonsense",
        };
        let refusal = apply(argument, &mut Settings::default(), nonsense);
        assert!(refusal.unwrap_err().starts_with("write "));
    }
}

#[test]
fn no_name_is_used_twice() {
    let mut names: Vec<_> = names().collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

/// The text of `docs/limits.md`; none in a package of the crate alone, which comes without
/// the pages.
fn documentation() -> Option<String> {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let page = || fs::read_to_string(pages.join("limits.md")).unwrap();
    pages.is_dir().then(page)
}

#[test]
fn each_is_documented() {
    let Some(documentation) = documentation() else {
        return;
    };
    for name in names() {
        let is_there = ['`', ' ']
            .iter()
            .any(|end| documentation.contains(&format!("`{name}{end}")));
        assert!(is_there, "{name}");
    }
}

/// The parts of the settings that consist of settings.
const GROUPS: [&str; 9] = [
    "client",
    "server",
    "wire",
    "limits",
    "real_time",
    "framing",
    "lists",
    "type_codes",
    "memory",
];

/// Each setting by its path, and its value as text.
fn all_of(settings: &Settings) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let (mut groups, mut setting) = (Vec::new(), String::new());
    for line in format!("{settings:#?}").lines() {
        let depth = (line.len() - line.trim_start().len()) / 4;
        let (name, value) = line.trim().split_once(": ").unwrap_or_default();
        if depth <= groups.len() {
            // The end of a group, or of all.
            groups.truncate(depth.saturating_sub(1));
            setting.clear();
        }
        if depth == groups.len() + 1 && GROUPS.contains(&name) {
            groups.push(name.to_owned());
            continue;
        }
        if depth == groups.len() + 1 && !name.is_empty() {
            setting = [&groups[..], &[name.to_owned()]].concat().join(".");
        }
        if !setting.is_empty() {
            let text: &mut String = all.entry(setting.clone()).or_default();
            text.push_str(if name.is_empty() { line } else { value });
        }
    }
    // It is no setting, but what the ORB keeps with them.
    all.remove("threads");
    all
}

#[test]
fn every_setting_has_an_argument() {
    let default = all_of(&Settings::default());
    for (setting, value) in &default {
        if setting == "client.resolver" {
            // It is code.
            continue;
        }
        let is_set = ARGUMENTS.iter().any(|argument| {
            VALUES.iter().any(|text| {
                let mut settings = Settings::default();
                let applied = apply(argument, &mut settings, text);
                applied.is_ok() && all_of(&settings)[setting] != *value
            })
        });
        assert!(is_set, "{setting}");
    }
    // The first and the last of a group, and the last of all.
    for setting in [
        "limits.lists.max_service_contexts",
        "limits.type_codes.indirections",
        "server.drain_timeout",
    ] {
        assert!(default.contains_key(setting), "{default:#?}");
    }
}

/// The row of each setting names files that mention it.
#[test]
fn every_setting_has_a_row_with_its_tests() {
    let Some(documentation) = documentation() else {
        return;
    };
    let mut faults = Vec::new();
    let all: Vec<_> = all_of(&Settings::default()).into_keys().collect();
    let is_of = |field| move |setting: &&String| setting.rsplit('.').next() == Some(field);
    for setting in &all {
        let cell = format!("`{setting}`");
        let row = documentation.lines().find(|line| {
            let first = line
                .strip_prefix("| ")
                .and_then(|line| line.split(" |").next());
            first.is_some_and(|names| names.split(", ").any(|name| name == cell))
        });
        let tests = row.map(|row| row.trim_end_matches(" |").rsplit("| ").next().unwrap());
        let mut files = tests.unwrap_or("").split('`').skip(1).step_by(2);
        let field = match setting.rsplit_once('.').unwrap() {
            (_, field) if field.len() > 10 && all.iter().filter(is_of(field)).count() == 1 => field,
            // With its group, for other settings or plain words are like it.
            (group, _) => &setting[group.rfind('.').map_or(0, |dot| dot + 1)..],
        };
        if !files.any(|file| mentions(file, field)) {
            faults.push((setting.clone(), tests));
        }
    }
    assert!(faults.is_empty(), "docs/limits.md: {faults:#?}");
}

/// Whether a file or folder of tests, here or in `interop`, or a whole other crate,
/// tells of a setting.
fn mentions(file: &str, field: &str) -> bool {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = here.parent().unwrap();
    let (path, word) = match file.split_once(['-', '/']) {
        Some(("taut", _)) => (crates.join(file), ""),
        Some(("interop", _)) => (crates.parent().unwrap().join(file), field),
        _ => {
            let in_it = here.join("tests/it").join(file);
            match in_it.exists() {
                true => (in_it, field),
                false => (here.join("tests").join(file), field),
            }
        }
    };
    path.exists() && text_of(&path).contains(word)
}

/// A file's text, or that of all files of a folder.
fn text_of(path: &Path) -> String {
    match std::fs::read_dir(path) {
        Ok(folder) => folder.map(|file| text_of(&file.unwrap().path())).collect(),
        Err(_) => std::fs::read_to_string(path).unwrap(),
    }
}

#[test]
fn times_have_units() {
    for (text, ms) in [
        ("500ms", 500),
        ("10s", 10_000),
        ("5min", 300_000),
        ("0s", 0),
    ] {
        assert_eq!(time(text), Ok(Duration::from_millis(ms)));
    }
    assert_eq!(time("50us"), Ok(Duration::from_micros(50)));
    for text in ["", "5", "s", "5 s", "-5s", "5h", "99999999999999999999s"] {
        assert!(time(text).is_err(), "{text}");
    }
    assert_eq!(time_or_none("none"), Ok(None));
}

#[test]
fn addresses_have_ports() {
    let settings = with("-ORBPersistentAddresses", "a:1,[::1]:2").unwrap();
    let addresses = [Address::new("a", 1), Address::new("::1", 2)];
    assert_eq!(settings.server.persistent_addresses, addresses);
    for text in ["", "a", "a:0", "a:1,", "a:1;b:2"] {
        assert!(with("-ORBPersistentAddresses", text).is_err(), "{text}");
    }
}

#[test]
fn the_names_of_other_orbs_mean_what_they_mean_there() {
    let settings = with("-ORBclientCallTimeOutPeriod", "1500").unwrap();
    assert_eq!(
        settings.client.call_timeout,
        Some(Duration::from_millis(1_500))
    );
    let settings = with("-ORBclientCallTimeOutPeriod", "0").unwrap();
    assert_eq!(settings.client.call_timeout, None);
    let settings = with("-ORBgiopMaxMsgSize", "2097152").unwrap();
    assert_eq!(settings.limits.framing.max_message_size, 2_097_152);
    assert_eq!(settings.limits.framing.max_reassembled_size, 2_097_152);
    let settings = with("-ORBTransportMuxStrategy", "muxed").unwrap();
    assert_eq!(
        settings.client.connection_sharing,
        ConnectionSharing::Shared
    );
    let settings = with("-ORBmaxGIOPConnectionPerServer", "5").unwrap();
    assert_eq!(settings.client.max_connections_per_endpoint, 5);
    let settings = with("-ORBnativeCharCodeSet", "UTF-8").unwrap();
    assert_eq!(settings.wire.native_char_code_set, CharCodeSet::Utf8);
    let settings = with("-ORBmaxGIOPVersion", "1.1").unwrap();
    assert_eq!(settings.wire.giop_version, Version::V1_1);
}

#[test]
fn code_sets_are_a_list_that_may_be_empty() {
    let both = [CharCodeSet::Utf8, CharCodeSet::Iso8859_1];
    assert_eq!(code_sets("UTF-8,ISO-8859-1"), Ok(both.to_vec()));
    assert_eq!(code_sets(""), Ok(Vec::new()));
    assert!(code_sets("UTF-8,Morse").is_err());
    let shift_jis = with("-ORBCharCodeSets", "Shift_JIS");
    assert_eq!(shift_jis.is_ok(), cfg!(feature = "code-sets"));
}
