//! The reasons why a scheduling service does not start.

use std::fmt;
use std::io;

use ::taut_scheduling::Anomaly;
use taut::{PoaError, PoaManagerError, ServerError};

/// The reason why a scheduling service does not start.
#[derive(Debug)]
#[non_exhaustive]
pub enum StartError {
    /// The ORB cannot be a server.
    Server(ServerError),
    /// A POA refuses, such as when the ORB has a scheduling service already.
    Poa(PoaError),
    /// The POA manager refuses.
    Manager(PoaManagerError),
    /// The system gives no random octets.
    Entropy(io::Error),
    /// The seed has more operations or calls than the settings allow: the setting, and its value.
    SeedTooLarge(&'static str, usize),
    /// No schedule comes of the descriptions in which all deadlines hold.
    NoSchedule(Vec<Anomaly>),
    /// A limit of the analysis is reached.
    Analysis(::taut_scheduling::AnalysisError),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server(error) => write!(f, "{error}"),
            Self::Poa(PoaError::AdapterAlreadyExists) => {
                f.write_str("the ORB has a scheduling service already")
            }
            Self::Poa(error) => write!(f, "{error}"),
            Self::Manager(error) => write!(f, "{error}"),
            Self::Entropy(error) => write!(f, "the system gives no random octets: {error}"),
            Self::SeedTooLarge(setting, value) => write!(
                f,
                "the seed is larger than {value}, which `{setting}` allows; raise this setting"
            ),
            Self::NoSchedule(anomalies) => {
                f.write_str("no schedule comes of the operations in which all deadlines hold")?;
                anomalies.iter().try_for_each(|one| write!(f, "\n{one}"))
            }
            Self::Analysis(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for StartError {}

impl From<PoaError> for StartError {
    fn from(error: PoaError) -> Self {
        Self::Poa(error)
    }
}
