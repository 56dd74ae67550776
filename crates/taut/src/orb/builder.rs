//! An ORB to be.

use std::sync::Arc;

use taut_sys::entropy;

use super::arguments::{self, Configuration};
use super::initial_references::InitialReferences;
use super::{InitError, Orb, Shared};
use crate::core::OrbCore;
use crate::message::log_deviations;
use crate::object::ReferenceFactory;
#[cfg(feature = "collocation")]
use crate::object::{AdapterHandle, LocalAdapter};
use crate::poa::Adapters;
use crate::server::{ListenEndpoint, Server};
use crate::settings::Settings;

/// Configures an [`Orb`].
///
/// What the builder is told directly is stronger than command-line arguments,
/// and these are stronger than the environment variable `TAUT_ORB_ARGUMENTS`,
/// which holds arguments separated by blanks.
#[derive(Debug, Default)]
pub struct OrbBuilder {
    explicit: Configuration,
    from_arguments: Configuration,
    settings: Settings,
}

impl OrbBuilder {
    /// Takes the arguments that begin with `-ORB` out of `arguments`.
    ///
    /// | argument | meaning |
    /// |---|---|
    /// | `-ORBInitRef NAME=URL` | what [`Orb::resolve_initial_references`] finds; repeatable |
    /// | `-ORBDefaultInitRef URL` | where it looks for all other names: at `URL/NAME` |
    /// | `-ORBListenEndpoints ENDPOINT[;ENDPOINT…]` | where to listen, see [`ListenEndpoint`] |
    /// | `-ORBmaxGIOPVersion 1.0\|1.1\|1.2` | the highest GIOP version to speak; 1.2 |
    /// | `-ORBCallTimeout 5s`, … | one of the [settings](Settings): docs/limits.md lists them all |
    ///
    /// # Errors
    ///
    /// [`InitError`] names the argument and the remedy.
    pub fn arguments(mut self, arguments: &mut Vec<String>) -> Result<Self, InitError> {
        arguments::take(arguments, &mut self.from_arguments)?;
        Ok(self)
    }

    /// Listens at an endpoint, such as `0.0.0.0:2809`,
    /// `*:2809/publish=example.com:2809` or `uiop:///run/bank.sock`; may be called for
    /// several. Without
    /// any, a server listens on every interface at a free port.
    ///
    /// # Errors
    ///
    /// [`InitError::Endpoint`].
    pub fn listen(mut self, endpoint: &str) -> Result<Self, InitError> {
        self.explicit.endpoints.push(arguments::endpoint(endpoint)?);
        Ok(self)
    }

    /// Listens at an endpoint that has been read already.
    #[must_use]
    pub fn listen_at(mut self, endpoint: ListenEndpoint) -> Self {
        self.explicit.endpoints.push(endpoint);
        self
    }

    /// Configures an initial reference by its URL.
    #[must_use]
    pub fn initial_reference(mut self, name: impl Into<String>, url: impl Into<String>) -> Self {
        self.explicit
            .initial_references
            .insert(name.into(), url.into());
        self
    }

    /// Configures where all other initial references are looked for: at this
    /// URL with `/` and the name appended.
    #[must_use]
    pub fn default_initial_reference(mut self, url: impl Into<String>) -> Self {
        self.explicit.default_initial_reference = Some(url.into());
        self
    }

    /// Changes limits and time-outs. What is left at its default may be set by an
    /// argument.
    #[must_use]
    pub fn settings(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self
    }

    /// The ORB.
    ///
    /// # Errors
    ///
    /// [`InitError`], when the environment's arguments are wrong or the system
    /// gives no random octets.
    pub fn build(self) -> Result<Orb, InitError> {
        let configuration = self
            .explicit
            .or(self.from_arguments)
            .or(arguments::from_environment()?);
        #[cfg(feature = "setting-arguments")]
        let settings = configuration.applied_to(self.settings);
        #[cfg(not(feature = "setting-arguments"))]
        let settings = self.settings;
        let endpoints = match configuration.endpoints {
            endpoints if endpoints.is_empty() => vec![ListenEndpoint::any()],
            endpoints => endpoints,
        };
        let incarnation = entropy::random().map_err(InitError::Entropy)?;
        let core = Arc::new(OrbCore::new(settings));
        log_deviations();
        let server = Server::new(Arc::clone(&core), endpoints);
        let references = Arc::clone(&server) as Arc<dyn ReferenceFactory>;
        let adapters = Adapters::new(incarnation, &core, references);
        let adapters = Arc::new(adapters.map_err(|_| InitError::InvalidValue {
            argument: "-ORBServerId".to_owned(),
            problem: "it has more than 65,533 octets".to_owned(),
        })?);
        #[cfg(feature = "collocation")]
        let local = Arc::clone(&adapters) as Arc<dyn LocalAdapter>;
        Ok(Orb {
            shared: Arc::new(Shared {
                #[cfg(feature = "collocation")]
                local: AdapterHandle::new(&core, local),
                core,
                server,
                adapters,
                initial_references: InitialReferences::new(
                    configuration.initial_references,
                    configuration.default_initial_reference,
                ),
            }),
        })
    }
}
