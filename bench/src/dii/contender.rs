//! The contenders: who calls whom, and how.

use serde::Serialize;

use super::caller::Way;
use crate::error::BenchError;
use crate::raw_flood;
use crate::system::{self, Programs, System};

/// A client and a server that are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Contender {
    /// Sockets without an ORB.
    Raw,
    /// Static stubs, static skeletons: the baseline of the shares.
    Static,
    /// Requests that are used again.
    Reuse,
    /// Requests that are made anew for each call, with their signature and their values.
    Anew,
    /// Requests that are used again: sent, and their responses fetched then.
    Deferred,
    /// Static stubs that call a dynamic servant.
    Dsi,
    /// omniORB's static stubs and skeletons.
    OmniorbStatic,
    /// omniORB's requests, which can be used once.
    OmniorbDii,
    /// omniORB's static stubs that call its dynamic servant.
    OmniorbDsi,
}

impl Contender {
    /// All that there are for calls of this kind: one-way calls have no responses.
    pub(super) fn all(is_one_way: bool) -> impl Iterator<Item = Self> {
        let all = [
            Self::Raw,
            Self::Static,
            Self::Reuse,
            Self::Anew,
            Self::Deferred,
            Self::Dsi,
            Self::OmniorbStatic,
            Self::OmniorbDii,
            Self::OmniorbDsi,
        ];
        all.into_iter()
            .filter(move |it| !(is_one_way && *it == Self::Deferred))
    }

    /// Whether others wrote it, who may have faults.
    pub(super) fn is_foreign(self) -> bool {
        matches!(
            self,
            Self::OmniorbStatic | Self::OmniorbDii | Self::OmniorbDsi
        )
    }

    /// Returns the name for people of one that is foreign.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::OmniorbDii => "the DII of omniORB",
            Self::OmniorbDsi => "the DSI of omniORB",
            _ => "omniORB with stubs",
        }
    }

    /// Returns the programs of an ORB. None, with a line on standard error, when they are not
    /// built, and for raw sockets, whose programs depend on the messages.
    ///
    /// # Errors
    ///
    /// [`BenchError::System`] when this program does not find itself.
    pub(super) fn programs(self, is_one_way: bool) -> Result<Option<Programs>, BenchError> {
        let (system, server, client) = match self {
            Self::Raw => return Ok(None),
            Self::Static => (System::Taut, "table-server", "table-client"),
            Self::Reuse | Self::Anew | Self::Deferred => {
                (System::Taut, "table-server", "dynamic-client")
            }
            Self::Dsi => (System::Taut, "dynamic-server", "table-client"),
            Self::OmniorbStatic => (System::Omniorb, "table_server", "table_client"),
            Self::OmniorbDii => (System::Omniorb, "table_server", "table_dynamic_client"),
            Self::OmniorbDsi => (System::Omniorb, "table_dynamic_server", "table_client"),
        };
        let programs = match system {
            System::Taut => Some(system::own_programs(server, client)?),
            _ => system::omniorb_programs(server, client),
        };
        let Some(mut programs) = programs else {
            return Ok(None);
        };
        let way = match self {
            Self::Reuse => Some(Way::Reuse),
            Self::Anew => Some(Way::Anew),
            Self::Deferred => Some(Way::Deferred),
            _ => None,
        };
        if let Some(way) = way {
            programs.client.arg(format!("--way={way}"));
        }
        if is_one_way {
            system.bound_buffers(&mut programs, raw_flood::BUFFER as usize);
        }
        Ok(Some(programs))
    }
}
