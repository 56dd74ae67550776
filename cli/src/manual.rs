//! `taut man`: the manual's pages.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory, ValueHint};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::arguments::Cli;
use crate::failure::Failure;

/// The section of the manual that commands are in.
const SECTION: &str = "1";

/// The lines that define an apostrophe, which a page needs once. Each part that is rendered
/// begins with them.
const APOSTROPHE: &str = ".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n";

/// Write the manual: a page for taut and one for each of its commands
///
/// The pages are files such as taut.1 and taut-idl-check.1 in a directory, which is created if it
/// is not there. Files of these names are replaced; nothing is written to standard output.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
#[command(after_help = "\
The command man finds pages in the directory man1 of each directory that manpath prints.

Examples:
  taut man ~/.local/share/man/man1
  man taut-idl-check")]
pub(crate) struct Arguments {
    /// The directory
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    directory: PathBuf,
}

/// Runs the command.
///
/// # Errors
///
/// When the directory cannot be created, or a page cannot be written.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let directory = &arguments.directory;
    fs::create_dir_all(directory).map_err(|error| cannot_write(directory, &error))?;
    for (name, text) in pages()? {
        let path = directory.join(name);
        fs::write(&path, text).map_err(|error| cannot_write(&path, &error))?;
    }
    Ok(())
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::Message(format!("{} cannot be written: {error}", path.display()))
}

/// The pages: of each the file's name and the text.
fn pages() -> io::Result<Vec<(String, Vec<u8>)>> {
    // `taut help` would get a page, and each of the commands that it helps with.
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    add_pages(&command, None, &mut pages)?;
    Ok(pages)
}

/// Adds the page of a command and those of the commands below it.
fn add_pages(
    command: &Command,
    parent: Option<&str>,
    pages: &mut Vec<(String, Vec<u8>)>,
) -> io::Result<()> {
    let name = page_name(command);
    pages.push((format!("{name}.{SECTION}"), page(command, parent)?));
    for below in command
        .get_subcommands()
        .filter(|below| !below.is_hide_set())
    {
        add_pages(below, Some(name), pages)?;
    }
    Ok(())
}

/// The name of a command's page, such as `taut-idl-check`.
fn page_name(command: &Command) -> &str {
    command.get_display_name().unwrap_or(command.get_name())
}

/// The text of a command's page. Its parent is the command above it.
fn page(command: &Command, parent: Option<&str>) -> io::Result<Vec<u8>> {
    let with_headings = command
        .clone()
        .subcommand_help_heading("COMMANDS")
        .mut_args(|argument| match argument.is_positional() {
            true => argument.help_heading("Arguments"),
            false => argument,
        });
    let man = Man::new(with_headings);
    let mut page = Vec::new();
    title(command).to_writer(&mut page)?;
    man.render_name_section(&mut page)?;
    synopsis(command).to_writer(&mut page)?;
    description(command).to_writer(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    man.render_options_section(&mut page)?;
    if let Some(text) = command.get_after_help() {
        sections(&text.to_string()).to_writer(&mut page)?;
    }
    if let Some(parent) = parent {
        see_also(parent).to_writer(&mut page)?;
    }
    let page = String::from_utf8_lossy(&page);
    let text = page.replace(APOSTROPHE, "");
    Ok(format!("{APOSTROPHE}{}", in_ascii(&text)).into_bytes())
}

/// The line that names a page, its section, and the release. It has a blank for the date: an
/// empty argument would be lost.
fn title(command: &Command) -> Roff {
    let release = concat!("taut ", env!("CARGO_PKG_VERSION"));
    let mut roff = Roff::new();
    roff.control("TH", [page_name(command), SECTION, " ", release, "Taut"]);
    roff
}

/// The section with the usage that the command's help shows.
fn synopsis(command: &Command) -> Roff {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage);
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]);
    match usage.strip_prefix(name) {
        Some(rest) => roff.text([bold(name), roman(rest)]),
        None => roff.text([roman(usage)]),
    };
    roff
}

/// The text of a page with characters beyond ASCII by their number, for troff reads octets as
/// ISO 8859-1.
fn in_ascii(text: &str) -> String {
    let mut ascii = String::with_capacity(text.len());
    for character in text.chars() {
        match character.is_ascii() {
            true => ascii.push(character),
            false => ascii.push_str(&format!("\\[u{:04X}]", u32::from(character))),
        }
    }
    ascii
}

/// The section that says what a command does: all paragraphs of its help but the first, which
/// the section NAME has.
fn description(command: &Command) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["DESCRIPTION"]);
    let text = command.get_long_about().or(command.get_about());
    let text = text.map(ToString::to_string).unwrap_or_default();
    let rest = text
        .split_once("\n\n")
        .map_or(text.as_str(), |(_, rest)| rest);
    paragraphs(&mut roff, rest);
    roff
}

/// The sections for the text at the end of a command's help. Its paragraphs are divided by
/// empty lines; what begins with `Exit status:` or `Examples:` is a section of that name.
fn sections(text: &str) -> Roff {
    let (mut notes, mut others) = (Roff::new(), Roff::new());
    for paragraph in text.split("\n\n") {
        if let Some(status) = paragraph.strip_prefix("Exit status: ") {
            others.control("SH", ["EXIT STATUS"]);
            paragraphs(&mut others, status);
        } else if let Some(examples) = paragraph.strip_prefix("Examples:\n") {
            others.control("SH", ["EXAMPLES"]);
            paragraphs(&mut others, examples);
        } else {
            match notes == Roff::new() {
                true => notes.control("SH", ["NOTES"]),
                false => notes.control("PP", []),
            };
            paragraphs(&mut notes, paragraph);
        }
    }
    notes.extend([others]);
    notes
}

/// Adds paragraphs that are divided by empty lines. Indented lines stay lines.
fn paragraphs(roff: &mut Roff, text: &str) {
    let mut is_verbatim = false;
    for line in text.lines() {
        let code = line.strip_prefix("  ");
        if code.is_some() != is_verbatim {
            is_verbatim = code.is_some();
            if is_verbatim {
                roff.control("PP", []);
            }
            roff.control(if is_verbatim { "EX" } else { "EE" }, []);
        }
        match code.unwrap_or(line) {
            "" => roff.control("PP", []),
            line => roff.text([roman(line)]),
        };
    }
    if is_verbatim {
        roff.control("EE", []);
    }
}

/// The section that leads to the page of the command above.
fn see_also(parent: &str) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["SEE ALSO"]);
    roff.text([bold(parent), roman(format!("({SECTION})"))]);
    roff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_help_becomes_sections() {
        let text = "Lines stay:\n  a -b\nand end.\n\nExit status: 0.\n\nMore.\n\nExamples:\n  .x";
        let expected = ".SH NOTES\nLines stay:\n.PP\n.EX\na \\-b\n.EE\nand end.\n\
            .PP\nMore.\n.SH \"EXIT STATUS\"\n0.\n.SH EXAMPLES\n.PP\n.EX\n\\&.x\n.EE\n";
        assert_eq!(sections(text).to_roff(), expected);
    }

    #[test]
    fn each_command_is_described_in_more_than_a_line() {
        fn check(command: &Command) {
            let about = command.get_about().map(ToString::to_string);
            let long = command.get_long_about().map(ToString::to_string);
            let name = page_name(command);
            let (about, long) = (about.unwrap_or_default(), long.unwrap_or_default());
            let (first, rest) = long.split_once("\n\n").unwrap_or_default();
            assert_eq!(first, about, "{name}");
            assert!(rest.ends_with('.'), "{name}: {rest:?}");
            for argument in command.get_arguments().filter(|it| !it.is_hide_set()) {
                let id = argument.get_id();
                assert!(argument.get_help().is_some(), "{name}: {id}");
            }
            command.get_subcommands().for_each(check);
        }
        let mut command = Cli::command().disable_help_subcommand(true);
        command.build();
        check(&command);
    }
}
