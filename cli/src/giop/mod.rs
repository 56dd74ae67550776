//! `taut giop`: what captured traffic says.

mod filter;
pub(crate) mod json;
mod summary;
pub(crate) mod text;

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use clap::ValueHint;
use taut_explain::Rule;
use taut_idl::Options as IdlOptions;
use taut_idl::bounded::open_file;
use taut_traffic::{Event, Interfaces, Limits, Message, Options, Traffic};

use crate::failure::Failure;
use crate::idl;
use crate::input;
use crate::listed::Listed;
use crate::output::visible;
use filter::Filter;
use summary::Summary;

/// Explain captured GIOP traffic, message by message
///
/// Shows each message of a capture with its header, service contexts and body, matches replies
/// with requests, and marks each place where a message breaks the standard. With --idl it shows
/// arguments, results and exceptions by their names and types.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Lines that begin with !! mark a place where a message breaks the standard: the octet, what is
wrong, the rule's name for --allow, the section. Lines that begin with -- say what the capture
lacks.

Exit status: 0 when nothing is marked, 1 when something is or the capture cannot be read.

Examples:
  taut giop traffic.pcapng
  tcpdump -i any -s 0 -w - tcp port 2809 | taut giop -
  taut giop --idl bank.idl -I idl --json traffic.pcap
  taut giop --summary traffic.pcap
  taut giop --connection 192.0.2.7:2809 --operation withdraw traffic.pcap
  taut giop 47494f5001000005…")]
pub(crate) struct Arguments {
    /// The file: a capture (pcap, pcapng), a hex dump or plain messages; - for standard input; or
    /// a message as hexadecimal digits
    #[arg(value_name = "CAPTURE")]
    capture: PathBuf,
    /// Explain arguments and results by this IDL file; repeatable
    #[arg(long, value_name = "FILE")]
    idl: Vec<PathBuf>,
    /// Look for included files in this directory; repeatable
    #[arg(short = 'I', value_name = "DIR", value_hint = ValueHint::DirPath)]
    include: Vec<PathBuf>,
    /// Define a macro for the IDL, as 1 unless a value is given; repeatable
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_hint = ValueHint::Other)]
    define: Vec<String>,
    /// Do not mark places that break this rule, such as padding; repeatable
    #[arg(long, value_name = "RULE", value_parser = RULE, hide_possible_values = true)]
    allow: Vec<Rule>,
    #[command(flatten)]
    filter: Filter,
    /// Show no messages, but their number by connection and by operation
    #[arg(long)]
    summary: bool,
    /// Write JSON: an object for each message, on a line of its own; with --summary, one object
    #[arg(long)]
    json: bool,
    /// Explain messages up to this size, in octets with all fragments
    #[arg(long, value_name = "OCTETS", default_value_t = Limits::DEFAULT.max_message_size,
          value_hint = ValueHint::Other)]
    max_message_size: usize,
    /// Show at most this many values of a message
    #[arg(long, value_name = "COUNT", default_value_t = Limits::DEFAULT.max_values,
          value_hint = ValueHint::Other)]
    max_values: usize,
    /// Count at most this many connections, and as many operations, separately in --summary
    #[arg(long, value_name = "COUNT", default_value_t = 10_000, value_hint = ValueHint::Other)]
    max_rows: usize,
}

/// The rules that marks name.
const RULE: Listed<Rule> = Listed {
    names: || Rule::ALL.iter().map(|rule| rule.name()).collect(),
    parse: rule,
};

fn rule(name: &str) -> Result<Rule, String> {
    Rule::from_name(name).ok_or_else(|| {
        let known: Vec<_> = Rule::ALL.iter().map(|rule| rule.name()).collect();
        format!("there is no such rule; the rules are {}", known.join(", "))
    })
}

/// Runs the command.
///
/// # Errors
///
/// When the capture or the IDL cannot be read, or there are marks.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let options = Options {
        limits: Limits {
            max_message_size: arguments.max_message_size,
            max_values: arguments.max_values,
            ..Limits::DEFAULT
        },
        interfaces: interfaces(arguments)?,
    };
    let place = visible(&arguments.capture.to_string_lossy()).into_owned();
    let unreadable = |error: &dyn std::fmt::Display| Failure::Message(format!("{place}: {error}"));
    let input = open(&arguments.capture).map_err(|error| unreadable(&error))?;
    let mut traffic = Traffic::open(input, options).map_err(|error| unreadable(&error))?;

    let mut output = io::BufWriter::new(anstream::stdout().lock());
    let mut counts = Counts::default();
    let mut summary = Summary::new(arguments.max_rows);
    let end = loop {
        let mut event = match traffic.next_event() {
            Ok(Some(event)) => event,
            Ok(None) => break Ok(()),
            Err(error) => break Err(unreadable(&error)),
        };
        let is_shown = arguments.filter.shows(&event);
        if let Event::Message(message) = &mut event {
            let allowed = &arguments.allow;
            message.marks.retain(|mark| !allowed.contains(&mark.rule));
            counts.add(message, is_shown);
            if is_shown && arguments.summary {
                summary.add(message);
            }
        }
        if is_shown && !arguments.summary {
            let shown = match arguments.json {
                true => json::event(&event)?,
                false => text::event(&event),
            };
            output.write_all(shown.as_bytes())?;
        }
    };
    if arguments.summary {
        let shown = match arguments.json {
            true => summary.json()?,
            false => summary.text(),
        };
        output.write_all(shown.as_bytes())?;
    }
    output.flush()?;
    drop(output);
    end?;
    match counts {
        Counts {
            messages: 1..,
            shown: 0,
            ..
        } => Err(Failure::Message(format!(
            "{place}: of its {} messages none is of that connection and operation",
            counts.messages
        ))),
        Counts { messages: 0, .. } => Err(Failure::Message(format!(
            "{place}: there is no message of GIOP in it"
        ))),
        Counts { marks: 0, .. } => Ok(()),
        Counts { marks: 1, .. } => Err(Failure::new("the standard is broken in one place")),
        Counts { marks, .. } => Err(Failure::Message(format!(
            "the standard is broken in {marks} places"
        ))),
    }
}

#[derive(Default)]
struct Counts {
    /// The messages of the capture.
    messages: usize,
    /// The messages that are shown.
    shown: usize,
    /// The marks of those.
    marks: usize,
}

impl Counts {
    fn add(&mut self, message: &Message, is_shown: bool) {
        self.messages += 1;
        if is_shown {
            self.shown += 1;
            self.marks += message.marks.len();
        }
    }
}

/// The input: a file, standard input, or digits.
fn open(capture: &Path) -> io::Result<Box<dyn Read + Send>> {
    if capture == Path::new(input::STANDARD_INPUT) {
        return Ok(Box::new(io::stdin()));
    }
    match open_file(capture) {
        Ok(file) => Ok(Box::new(file)),
        Err(error) => match capture.to_str() {
            // "GIOP" or "ZIOP" in digits.
            Some(digits) if is_message_in_digits(digits) => {
                Ok(Box::new(io::Cursor::new(digits.to_owned().into_bytes())))
            }
            _ => Err(error),
        },
    }
}

fn is_message_in_digits(digits: &str) -> bool {
    let digits = digits.trim_start().to_ascii_lowercase();
    ["47494f50", "5a494f50", "47 49 4f 50"]
        .iter()
        .any(|magic| digits.starts_with(magic))
}

/// The operations of the IDL that was named.
fn interfaces(arguments: &Arguments) -> Result<Interfaces, Failure> {
    if arguments.idl.is_empty() {
        return Ok(Interfaces::default());
    }
    let define = |text: &String| match text.split_once('=') {
        Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
        None => (text.clone(), None),
    };
    let options = IdlOptions {
        include_paths: arguments.include.clone(),
        defines: arguments.define.iter().map(define).collect(),
        ..IdlOptions::default()
    };
    let compilation = idl::compile_without_errors(&arguments.idl, &options)?;
    Ok(Interfaces::new(&compilation.model))
}
