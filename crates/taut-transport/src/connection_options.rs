//! Options of one connection, as a program asks for them.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::ChannelOption;

/// The options of one connection; those that are none are left as they are. Each transport
/// sets those that it knows.
///
/// Written and read as `name=value` with `&` between them, `dscp=46&queue-priority=6`, by the
/// names of the fields with hyphens. Times are written as `50us`, `20ms` and `60s`, what is yes
/// or no as `yes` and `no`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct ConnectionOptions {
    /// The time without a word from the peer after which its system is asked whether it is
    /// still there; zero: never.
    pub keep_alive: Option<Duration>,
    /// The octets of room for what is sent and has not been taken yet.
    pub send_buffer: Option<u32>,
    /// The octets of room for what has arrived and has not been received yet.
    pub receive_buffer: Option<u32>,
    /// Whether each piece is sent at once, and not kept until there is more
    /// (`TCP_NODELAY`). Connections have it unless this says no.
    pub no_delay: Option<bool>,
    /// Whether octets go to hosts of the same network alone (`SO_DONTROUTE`).
    pub dont_route: Option<bool>,
    /// The mark by which networks tell packets apart.
    pub dscp: Option<Dscp>,
    /// The queue of the network device, 0 to 6; with `CAP_NET_ADMIN` also more
    /// (`SO_PRIORITY`).
    pub queue_priority: Option<u32>,
    /// The most octets that leave in a second (`SO_MAX_PACING_RATE`).
    pub max_pacing_rate: Option<u64>,
    /// How long a thread that waits to receive polls the network device before it sleeps
    /// (`SO_BUSY_POLL`). More than the system's default needs `CAP_NET_ADMIN`.
    pub busy_poll: Option<Duration>,
    /// The CPU by which the system deals with what arrives (`SO_INCOMING_CPU`).
    pub incoming_cpu: Option<u32>,
    /// The algorithm by which TCP adapts to the network (`TCP_CONGESTION`).
    pub congestion_control: Option<CongestionControl>,
    /// With how many octets that have not left the system takes no more
    /// (`TCP_NOTSENT_LOWAT`).
    pub not_sent_low_water: Option<u32>,
    /// From how many octets on a message is sent from where it lies, without a copy in the
    /// system (`MSG_ZEROCOPY`).
    pub zero_copy_from: Option<u32>,
}

/// A differentiated services code point: the mark of packets by which networks tell urgent
/// ones from others (RFC 2474), 0 to 63.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dscp(u8);

impl Dscp {
    /// Best effort, the mark of all packets that nobody has marked.
    pub const DEFAULT: Self = Self(0);
    /// Expedited forwarding (RFC 3246).
    pub const EXPEDITED: Self = Self(46);

    /// The code point with this number; none if there is none.
    pub const fn new(number: u8) -> Option<Self> {
        if number < 64 {
            Some(Self(number))
        } else {
            None
        }
    }

    /// Returns the number.
    pub const fn get(self) -> u8 {
        self.0
    }
}

/// The name of an algorithm by which TCP adapts to the network: `cubic`, `bbr`, `reno`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CongestionControl {
    octets: [u8; Self::MAX_LENGTH],
    length: u8,
}

impl CongestionControl {
    /// The most octets of a name that the system takes.
    pub const MAX_LENGTH: usize = 15;

    /// The algorithm of this name. None if the system has none of such a name: 1 to 15
    /// letters, digits, `_` and `-`.
    pub fn new(name: &str) -> Option<Self> {
        let is_of_name = |octet: u8| octet.is_ascii_alphanumeric() || b"_-".contains(&octet);
        let is_name = !name.is_empty() && name.bytes().all(is_of_name);
        let mut octets = [0; Self::MAX_LENGTH];
        let place = octets.get_mut(..name.len()).filter(|_| is_name)?;
        place.copy_from_slice(name.as_bytes());
        Some(Self {
            octets,
            length: name.len() as u8,
        })
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        let octets = self.octets.get(..usize::from(self.length));
        octets
            .and_then(|octets| std::str::from_utf8(octets).ok())
            .unwrap_or_default()
    }
}

impl fmt::Debug for CongestionControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a text is no options of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConnectionOptionsError {
    /// There is no option of this name.
    Unknown(String),
    /// An option has no such value.
    Value {
        /// The option.
        name: &'static str,
        /// The text of the value.
        text: String,
        /// The values that it may have.
        expected: &'static str,
    },
}

impl fmt::Display for ConnectionOptionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => {
                write!(f, "{name:?} is no option of a connection: there are ")?;
                for (index, (known, _, _)) in FIELDS.iter().enumerate() {
                    let between = match index {
                        0 => "",
                        index if index + 1 == FIELDS.len() => " and ",
                        _ => ", ",
                    };
                    write!(f, "{between}{known}")?;
                }
                Ok(())
            }
            Self::Value {
                name,
                text,
                expected,
            } => write!(f, "{name}={text}: it is {expected}"),
        }
    }
}

impl std::error::Error for ConnectionOptionsError {}

/// A part of the options, as text reads and writes it.
type Field = (&'static str, Read, &'static str);

/// Reads a value into its field; false if it is none.
type Read = fn(&mut ConnectionOptions, &str) -> bool;

const NUMBER: &str = "a number";
const YES_OR_NO: &str = "yes or no";
const TIME: &str = "a time, such as 50us, 20ms or 60s";

static FIELDS: [Field; 13] = [
    (
        "keep-alive",
        |to, text| put(&mut to.keep_alive, time(text)),
        TIME,
    ),
    (
        "send-buffer",
        |to, text| put(&mut to.send_buffer, text.parse().ok()),
        NUMBER,
    ),
    (
        "receive-buffer",
        |to, text| put(&mut to.receive_buffer, text.parse().ok()),
        NUMBER,
    ),
    (
        "no-delay",
        |to, text| put(&mut to.no_delay, yes(text)),
        YES_OR_NO,
    ),
    (
        "dont-route",
        |to, text| put(&mut to.dont_route, yes(text)),
        YES_OR_NO,
    ),
    (
        "dscp",
        |to, text| put(&mut to.dscp, text.parse().ok().and_then(Dscp::new)),
        "a number from 0 to 63",
    ),
    (
        "queue-priority",
        |to, text| put(&mut to.queue_priority, text.parse().ok()),
        NUMBER,
    ),
    (
        "max-pacing-rate",
        |to, text| put(&mut to.max_pacing_rate, text.parse().ok()),
        NUMBER,
    ),
    (
        "busy-poll",
        |to, text| put(&mut to.busy_poll, time(text)),
        TIME,
    ),
    (
        "incoming-cpu",
        |to, text| put(&mut to.incoming_cpu, text.parse().ok()),
        NUMBER,
    ),
    (
        "congestion-control",
        |to, text| put(&mut to.congestion_control, CongestionControl::new(text)),
        "1 to 15 letters, digits, _ and -",
    ),
    (
        "not-sent-low-water",
        |to, text| put(&mut to.not_sent_low_water, text.parse().ok()),
        NUMBER,
    ),
    (
        "zero-copy-from",
        |to, text| put(&mut to.zero_copy_from, text.parse().ok()),
        NUMBER,
    ),
];

fn put<T>(field: &mut Option<T>, value: Option<T>) -> bool {
    let is_value = value.is_some();
    *field = value;
    is_value
}

fn yes(text: &str) -> Option<bool> {
    match text {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

fn time(text: &str) -> Option<Duration> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    let number: u64 = digits.parse().ok()?;
    match &text[digits.len()..] {
        "us" => Some(Duration::from_micros(number)),
        "ms" => Some(Duration::from_millis(number)),
        "s" => Some(Duration::from_secs(number)),
        _ => None,
    }
}

impl ConnectionOptions {
    /// The options that leave all as it is.
    pub const NONE: Self = Self {
        keep_alive: None,
        send_buffer: None,
        receive_buffer: None,
        no_delay: None,
        dont_route: None,
        dscp: None,
        queue_priority: None,
        max_pacing_rate: None,
        busy_poll: None,
        incoming_cpu: None,
        congestion_control: None,
        not_sent_low_water: None,
        zero_copy_from: None,
    };

    /// Whether they leave all as it is.
    pub fn is_empty(&self) -> bool {
        *self == Self::NONE
    }

    /// Returns these options, and for those that are none here the ones of `farther`.
    #[must_use]
    pub fn or(&self, farther: &Self) -> Self {
        Self {
            keep_alive: self.keep_alive.or(farther.keep_alive),
            send_buffer: self.send_buffer.or(farther.send_buffer),
            receive_buffer: self.receive_buffer.or(farther.receive_buffer),
            no_delay: self.no_delay.or(farther.no_delay),
            dont_route: self.dont_route.or(farther.dont_route),
            dscp: self.dscp.or(farther.dscp),
            queue_priority: self.queue_priority.or(farther.queue_priority),
            max_pacing_rate: self.max_pacing_rate.or(farther.max_pacing_rate),
            busy_poll: self.busy_poll.or(farther.busy_poll),
            incoming_cpu: self.incoming_cpu.or(farther.incoming_cpu),
            congestion_control: self.congestion_control.or(farther.congestion_control),
            not_sent_low_water: self.not_sent_low_water.or(farther.not_sent_low_water),
            zero_copy_from: self.zero_copy_from.or(farther.zero_copy_from),
        }
    }

    /// Returns the single options, in the order in which they are set. The mark of packets
    /// comes before the queue, for a system may take it for a wish for a queue too.
    pub fn each(&self) -> impl Iterator<Item = ChannelOption> + use<> {
        let keep_alive = self.keep_alive.map(|idle| match idle.is_zero() {
            true => ChannelOption::NoKeepAlive,
            false => ChannelOption::KeepAlive(idle),
        });
        let octets = |count: u32| count as usize;
        [
            keep_alive,
            self.send_buffer.map(octets).map(ChannelOption::SendBuffer),
            self.receive_buffer
                .map(octets)
                .map(ChannelOption::ReceiveBuffer),
            self.no_delay.map(ChannelOption::NoDelay),
            self.dont_route.map(ChannelOption::DontRoute),
            self.dscp.map(ChannelOption::Dscp),
            self.queue_priority.map(ChannelOption::QueuePriority),
            self.max_pacing_rate.map(ChannelOption::MaxPacingRate),
            self.busy_poll.map(ChannelOption::BusyPoll),
            self.incoming_cpu.map(ChannelOption::IncomingCpu),
            self.congestion_control
                .map(ChannelOption::CongestionControl),
            self.not_sent_low_water.map(ChannelOption::NotSentLowWater),
            self.zero_copy_from.map(ChannelOption::ZeroCopyFrom),
        ]
        .into_iter()
        .flatten()
    }
}

impl FromStr for ConnectionOptions {
    type Err = ConnectionOptionsError;

    fn from_str(text: &str) -> Result<Self, ConnectionOptionsError> {
        let mut options = Self::NONE;
        for part in text.split('&').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let field = FIELDS.iter().find(|(known, _, _)| *known == name);
            let Some((name, read, expected)) = field else {
                return Err(ConnectionOptionsError::Unknown(name.to_owned()));
            };
            if !read(&mut options, value) {
                return Err(ConnectionOptionsError::Value {
                    name,
                    text: value.to_owned(),
                    expected,
                });
            }
        }
        Ok(options)
    }
}

impl fmt::Display for ConnectionOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, option) in self.each().enumerate() {
            let between = if index > 0 { "&" } else { "" };
            write!(f, "{between}{option}")?;
        }
        Ok(())
    }
}

/// Writes the option as it is written among [`ConnectionOptions`]: `dscp=46`.
impl fmt::Display for ChannelOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let yes = |holds: bool| if holds { "yes" } else { "no" };
        match self {
            Self::KeepAlive(idle) => write!(f, "keep-alive={}", Written(*idle)),
            Self::NoKeepAlive => f.write_str("keep-alive=0s"),
            Self::SendBuffer(octets) => write!(f, "send-buffer={octets}"),
            Self::ReceiveBuffer(octets) => write!(f, "receive-buffer={octets}"),
            Self::NoDelay(holds) => write!(f, "no-delay={}", yes(*holds)),
            Self::DontRoute(holds) => write!(f, "dont-route={}", yes(*holds)),
            Self::Dscp(dscp) => write!(f, "dscp={}", dscp.get()),
            Self::QueuePriority(priority) => write!(f, "queue-priority={priority}"),
            Self::MaxPacingRate(rate) => write!(f, "max-pacing-rate={rate}"),
            Self::BusyPoll(time) => write!(f, "busy-poll={}", Written(*time)),
            Self::IncomingCpu(cpu) => write!(f, "incoming-cpu={cpu}"),
            Self::CongestionControl(algorithm) => {
                write!(f, "congestion-control={}", algorithm.name())
            }
            Self::NotSentLowWater(octets) => write!(f, "not-sent-low-water={octets}"),
            Self::ZeroCopyFrom(octets) => write!(f, "zero-copy-from={octets}"),
        }
    }
}

/// A time in the largest unit that tells it.
struct Written(Duration);

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_micros() {
            micros if micros % 1_000 != 0 => write!(f, "{micros}us"),
            micros if micros % 1_000_000 != 0 => write!(f, "{}ms", micros / 1_000),
            micros => write!(f, "{}s", micros / 1_000_000),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &str = "keep-alive=60s&send-buffer=65536&receive-buffer=4096&no-delay=yes&\
                       dont-route=no&dscp=46&queue-priority=6&max-pacing-rate=8589934592&\
                       busy-poll=50us&incoming-cpu=1&congestion-control=bbr&\
                       not-sent-low-water=16384&zero-copy-from=1048576";

    #[test]
    fn options_are_written_as_they_are_read() {
        for text in [ALL, "", "keep-alive=0s", "busy-poll=20ms", "no-delay=no"] {
            let options: ConnectionOptions = text.parse().unwrap();
            assert_eq!(options.to_string(), text);
            assert_eq!(options.to_string().parse(), Ok(options));
        }
        let all: ConnectionOptions = ALL.parse().unwrap();
        assert_eq!(all.each().count(), FIELDS.len());
        assert_eq!(ConnectionOptions::NONE.each().count(), 0);
        assert!(ConnectionOptions::NONE.is_empty() && !all.is_empty());
    }

    #[test]
    fn the_nearer_options_come_before_the_farther() {
        let options = |text: &str| text.parse::<ConnectionOptions>().unwrap();
        let nearer = options("dscp=46&no-delay=no");
        let both = nearer.or(&options(ALL));
        assert_eq!(both.no_delay, Some(false));
        assert_eq!(both.queue_priority, Some(6));
        assert_eq!(both.each().count(), FIELDS.len());
        assert_eq!(nearer.or(&ConnectionOptions::NONE), nearer);
        assert_eq!(ConnectionOptions::NONE.or(&nearer), nearer);
    }

    #[test]
    fn a_text_that_is_none_is_refused_with_its_fault() {
        for (text, message) in [
            ("dscp=64", "dscp=64: it is a number from 0 to 63"),
            ("no-delay=1", "no-delay=1: it is yes or no"),
            (
                "busy-poll=50",
                "busy-poll=50: it is a time, such as 50us, 20ms or 60s",
            ),
            (
                "congestion-control=sixteen-letters-",
                "congestion-control=sixteen-letters-: it is 1 to 15 letters, digits, _ and -",
            ),
            ("send-buffer", "send-buffer=: it is a number"),
            (
                "mtu=1500",
                "\"mtu\" is no option of a connection: there are keep-alive, send-buffer, \
                 receive-buffer, no-delay, dont-route, dscp, queue-priority, max-pacing-rate, \
                 busy-poll, incoming-cpu, congestion-control, not-sent-low-water and \
                 zero-copy-from",
            ),
        ] {
            let error = text.parse::<ConnectionOptions>().unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}
