//! `taut giop`: what captured traffic says.

mod filter;
mod json;
mod summary;
mod text;

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use taut_explain::Rule;
use taut_idl::Options as IdlOptions;
use taut_idl::bounded::open_file;
use taut_traffic::{Event, Interfaces, Limits, Message, Options, Traffic};

use crate::failure::Failure;
use crate::input;
use crate::output::{self, visible};
use filter::Filter;
use summary::Summary;

/// Explain captured GIOP traffic, message by message
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Lines that begin with !! tell where a message breaks the standard: the octet, what is wrong,
the rule's name for --allow, the section. Lines that begin with -- tell what the capture lacks.

Exit status: 0 when all is well, 1 when there are such marks or the capture cannot be read.

Examples:
  taut giop traffic.pcapng
  tcpdump -i any -s 0 -w - tcp port 2809 | taut giop -
  taut giop --idl bank.idl -I idl --json traffic.pcap
  taut giop --summary traffic.pcap
  taut giop --connection 192.0.2.7:2809 --operation withdraw traffic.pcap
  taut giop 47494f5001000005…")]
pub(crate) struct Arguments {
    /// A capture (pcap, pcapng), a hex dump or messages as they are; - for standard input; or
    /// the hexadecimal digits themselves
    #[arg(value_name = "CAPTURE")]
    capture: PathBuf,
    /// Explain arguments and results by this IDL; may be repeated
    #[arg(long, value_name = "FILE")]
    idl: Vec<PathBuf>,
    /// A directory in which #include looks
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Define a macro for the IDL
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    define: Vec<String>,
    /// Do not mark what breaks this rule, such as padding; may be repeated
    #[arg(long, value_name = "RULE", value_parser = rule)]
    allow: Vec<Rule>,
    #[command(flatten)]
    filter: Filter,
    /// Instead of messages, show how many there are by connection and by operation
    #[arg(long)]
    summary: bool,
    /// Write JSON, for programs: an object a line, or one with --summary
    #[arg(long)]
    json: bool,
    /// The largest message that is explained, in octets with its fragments
    #[arg(long, value_name = "OCTETS", default_value_t = Limits::DEFAULT.max_message_size)]
    max_message_size: usize,
    /// The most values of a message that are shown
    #[arg(long, value_name = "COUNT", default_value_t = Limits::DEFAULT.max_values)]
    max_values: usize,
    /// The most connections, and the most operations, that --summary tells apart
    #[arg(long, value_name = "COUNT", default_value_t = 10_000)]
    max_rows: usize,
}

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
    let compilation = taut_idl::compile(&arguments.idl, &options);
    if compilation.has_errors() {
        output::complain(&compilation.render(true));
        return Err(Failure::Reported);
    }
    Ok(Interfaces::new(&compilation.model))
}
