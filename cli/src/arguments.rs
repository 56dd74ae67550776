//! The command line.

use std::ffi::OsString;

use clap::{ArgAction, Parser, Subcommand, ValueEnum};
use tracing::Level;

use crate::{
    call, completions, giop, idl, ifr, ior, manual, mock, name, ping, record, replay, schedule,
};

/// Look into CORBA systems: references, traffic, IDL, schedules, objects, naming services
///
/// Explains object references and captured GIOP traffic, checks IDL and generates Rust from it,
/// analyzes schedules, calls objects, lists and changes naming services. It works with any ORB.
#[derive(Debug, Parser)]
#[command(name = "taut", version, arg_required_else_help = true)]
#[command(after_help = "\
Exit status: 0 on success, 1 when something failed, 2 when the command line is wrong.

Arguments that begin with -ORB configure the ORB, such as -ORBInitRef NameService=URL. More of
them are taken from the environment variable TAUT_ORB_ARGUMENTS.

Examples:
  taut ior @/var/run/bank.ior
  taut giop --idl bank.idl traffic.pcapng
  taut idl check -I idl bank.idl
  taut schedule report avionics.toml
  taut call --idl bank.idl @/var/run/bank.ior deposit amount=100
  taut name list --ns corbaloc::example.com/NameService")]
pub(crate) struct Cli {
    /// When to use colours
    #[arg(long, value_name = "WHEN", global = true, value_enum, default_value_t = Color::Auto)]
    pub(crate) color: Color,
    /// Log to standard error what the ORB does, such as the addresses that it tries; -vv logs
    /// more. The environment variable RUST_LOG selects events more finely
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Ior(ior::Arguments),
    Giop(giop::Arguments),
    Idl(idl::Arguments),
    Ifr(ifr::Arguments),
    Schedule(schedule::Arguments),
    Call(call::Arguments),
    Describe(call::describe::Arguments),
    Shell(call::shell::Arguments),
    Ping(ping::Arguments),
    Mock(mock::Arguments),
    Record(record::Arguments),
    Replay(replay::Arguments),
    Name(name::Arguments),
    Completions(completions::Arguments),
    Man(manual::Arguments),
}

impl Command {
    /// The events that are shown beside those that `--verbose` and `RUST_LOG` choose.
    pub(crate) fn events(&self) -> &'static [(&'static str, Level)] {
        match self {
            Self::Name(arguments) => arguments.events(),
            _ => &[],
        }
    }
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// When a terminal shows them
    Auto,
    /// Also in files and pipes
    Always,
    /// Not at all
    Never,
}

impl Color {
    /// Sets the choice for everything that is written from now on.
    pub(crate) fn apply(self) {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

/// Takes the ORB's arguments, each `-ORB…` and its value, from the others.
/// Behind `--` nothing is the ORB's.
pub(crate) fn divide(arguments: impl Iterator<Item = OsString>) -> (Vec<String>, Vec<OsString>) {
    let mut for_orb = Vec::new();
    let mut others = Vec::new();
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--") => {
                others.push(argument);
                others.extend(arguments);
                break;
            }
            Some(text) if text.starts_with("-ORB") => {
                for_orb.push(text.to_owned());
                let value = arguments.next();
                for_orb.extend(value.map(|value| value.to_string_lossy().into_owned()));
            }
            _ => others.push(argument),
        }
    }
    (for_orb, others)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    /// The commands without `--json`: what they write is no data, or already JSON.
    const WITHOUT_JSON: [&str; 8] = [
        // Code, pages and scripts, in their own languages.
        "taut completions",
        "taut man",
        "taut schedule feedback",
        // Lines of JSON.
        "taut record",
        // A service, which writes its URL.
        "taut ifr serve",
        // Below them are others.
        "taut idl",
        "taut ifr",
        "taut schedule",
    ];

    /// Adds the names of a command and of all below it that have no `--json`.
    fn add_without_json(command: &clap::Command, name: &str, names: &mut Vec<String>) {
        let mut arguments = command.get_arguments();
        if !arguments.any(|argument| argument.get_long() == Some("json")) {
            names.push(name.to_owned());
        }
        for below in command.get_subcommands() {
            add_without_json(below, &format!("{name} {}", below.get_name()), names);
        }
    }

    #[test]
    fn each_command_that_writes_data_writes_json() {
        use clap::CommandFactory;
        let mut found = Vec::new();
        // Options that hold for all commands below one are then theirs.
        let mut all = Cli::command().disable_help_subcommand(true);
        all.build();
        for command in all.get_subcommands() {
            add_without_json(command, &format!("taut {}", command.get_name()), &mut found);
        }
        let mut expected = WITHOUT_JSON.map(str::to_owned);
        expected.sort();
        found.sort();
        assert_eq!(found, expected);
    }

    /// The text of the help of each command, with its name.
    fn add_help(command: &clap::Command, name: &str, helps: &mut Vec<(String, String)>) {
        let help = command.get_after_help().map(ToString::to_string);
        helps.push((name.to_owned(), help.unwrap_or_default()));
        for below in command.get_subcommands() {
            add_help(below, &format!("{name} {}", below.get_name()), helps);
        }
    }

    #[test]
    fn the_examples_of_each_help_are_sound_command_lines() {
        use clap::CommandFactory;
        let mut helps = Vec::new();
        add_help(&Cli::command(), "taut", &mut helps);
        let mut count = 0;
        for (name, help) in helps {
            // Some have theirs below, and `taut name` those of its commands.
            let is_elsewhere = name.starts_with("taut name ");
            let has_below = WITHOUT_JSON[5..].contains(&name.as_str()) || is_elsewhere;
            let Some((_, examples)) = help.split_once("Examples:\n") else {
                assert!(has_below, "{name} has no examples");
                continue;
            };
            let joined = examples.replace("\\\n", " ");
            let lines = joined
                .lines()
                .filter_map(|line| line.trim().strip_prefix("taut "));
            for line in lines {
                let line = line.split(['|', '<', '>', '(']).next().unwrap_or(line);
                let words = words_of(line);
                let words = ["taut".to_owned()].into_iter().chain(words);
                let (_, arguments) = divide(words.map(OsString::from));
                let parsed = Cli::try_parse_from(arguments);
                assert!(parsed.is_ok(), "{name}: {line}: {}", parsed.unwrap_err());
                count += 1;
            }
        }
        assert!(count > 40, "{count}");
    }

    /// The words of a line as a shell divides it.
    fn words_of(line: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut quote = None;
        for character in line.chars() {
            let last = words.len() - 1;
            match (character, quote) {
                ('\'' | '"', None) => quote = Some(character),
                (' ', None) => words.push(String::new()),
                (_, Some(open)) if open == character => quote = None,
                _ => words[last].push(character),
            }
        }
        words.retain(|word| !word.is_empty());
        words
    }

    #[test]
    fn the_arguments_of_the_orb_are_taken_out() {
        let line = "taut name -ORBInitRef A=b list -- -ORBInitRef x";
        let (for_orb, others) = divide(line.split(' ').map(OsString::from));
        assert_eq!(for_orb, ["-ORBInitRef", "A=b"]);
        assert_eq!(others, ["taut", "name", "list", "--", "-ORBInitRef", "x"]);
    }
}
