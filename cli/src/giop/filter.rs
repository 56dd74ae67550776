//! Which messages of a capture are shown.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use clap::ValueHint;
use taut_explain::Subject;
use taut_traffic::{Event, Message, Way};

/// The messages that are shown; all of them unless an option says otherwise.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct Filter {
    /// Show only this connection: its number, or the address of one of its ends; repeatable
    #[arg(long, value_name = "NUMBER|HOST[:PORT]", value_hint = ValueHint::Other)]
    connection: Vec<ConnectionChoice>,
    /// Show only the requests of this operation and their replies; repeatable
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    operation: Vec<String>,
}

/// A choice of connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConnectionChoice {
    /// The connection with this number in the capture.
    Number(u64),
    /// The connections with this host at one of their ends.
    Host(IpAddr),
    /// The connections with this host and port at one of their ends.
    End(SocketAddr),
}

impl FromStr for ConnectionChoice {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text.parse().map(Self::Number);
        let host = || text.parse().map(Self::Host);
        let end = || text.parse().map(Self::End);
        number
            .or_else(|_| host())
            .or_else(|_| end())
            .map_err(|_| "write its number, 192.0.2.7, 192.0.2.7:2809 or [2001:db8::7]:2809")
    }
}

impl ConnectionChoice {
    fn has(self, way: &Way) -> bool {
        let ends = [way.from, way.to];
        match self {
            Self::Number(number) => way.connection == number,
            Self::Host(host) => ends.iter().any(|end| end.ip() == host),
            Self::End(wanted) => ends.contains(&wanted),
        }
    }
}

impl Filter {
    /// Whether an event is shown. A note about the capture as a whole always is.
    pub(super) fn shows(&self, event: &Event) -> bool {
        match event {
            Event::Message(message) => {
                self.shows_connection(message.way.as_ref()) && self.shows_operation(message)
            }
            Event::Note(note) => note.way.is_none() || self.shows_connection(note.way.as_ref()),
        }
    }

    fn shows_connection(&self, way: Option<&Way>) -> bool {
        let is_chosen = |way| self.connection.iter().any(|choice| choice.has(way));
        self.connection.is_empty() || way.is_some_and(is_chosen)
    }

    fn shows_operation(&self, message: &Message) -> bool {
        let is_chosen = |name| self.operation.iter().any(|operation| operation == name);
        self.operation.is_empty() || operation(message).is_some_and(is_chosen)
    }
}

/// The operation that a message asks for, answers or cancels.
pub(super) fn operation(message: &Message) -> Option<&str> {
    match &message.subject {
        Subject::Request { operation, .. } => Some(operation),
        _ => message.answers.as_ref()?.operation.as_deref(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_are_chosen_by_number_host_and_end() {
        let way = Way {
            connection: 4,
            from: "192.0.2.7:40000".parse().unwrap(),
            to: "[2001:db8::7]:2809".parse().unwrap(),
            from_opener: None,
        };
        for chosen in [
            "4",
            "192.0.2.7",
            "192.0.2.7:40000",
            "2001:db8::7",
            "[2001:db8::7]:2809",
        ] {
            let choice: ConnectionChoice = chosen.parse().unwrap();
            assert!(choice.has(&way), "{chosen}");
        }
        for other in ["5", "192.0.2.8", "192.0.2.7:2809"] {
            let choice: ConnectionChoice = other.parse().unwrap();
            assert!(!choice.has(&way), "{other}");
        }
        assert!("example".parse::<ConnectionChoice>().is_err());
    }
}
