//! An ORB to be.

use std::fmt;
use std::sync::Arc;

use taut_sys::entropy;

use super::arguments::{self, Configuration};
use super::initial_references::InitialReferences;
use super::interception::Interceptors;
#[cfg(feature = "full")]
use super::internal_threads;
use super::server_half::{LazyServer, ServerOrigin};
use super::url_check::{self, OrbToBe};
use super::{InitError, Orb, Shared};
#[cfg(feature = "full")]
use crate::core::InterfaceSource;
use crate::core::{Interfaces, OrbCore};
use crate::executor::Spawn;
use crate::message::log_deviations;
use crate::poa::AdaptersOrigin;
use crate::policy::OrbPolicies;
#[cfg(feature = "full")]
use crate::policy::{PolicyFactory, PolicyType, PolicyValue};
#[cfg(feature = "full")]
use crate::priority::{Priorities, RealTime};
#[cfg(feature = "full")]
use crate::quality::ServiceQuality;
use crate::server::{LaneListen, ListenEndpoint};
use crate::settings::Settings;
use crate::transport::{Protocol, Protocols};

/// Configures an [`Orb`].
///
/// Settings that the builder is given directly are stronger than command-line arguments,
/// and these are stronger than the environment variable `TAUT_ORB_ARGUMENTS`, which holds
/// arguments separated by blanks. Endpoints are the exception: where a server listens is
/// its operator's business, so that `-ORBListenEndpoints` replaces what the program has
/// said with [`listen`](Self::listen).
#[derive(Debug, Default)]
pub struct OrbBuilder {
    explicit: Configuration,
    /// Where to listen unless an argument says where.
    default_endpoints: Vec<ListenEndpoint>,
    from_arguments: Configuration,
    settings: Settings,
    protocols: Protocols,
    pub(super) interceptors: Interceptors,
    policies: OrbPolicies,
    interfaces: Interfaces,
    #[cfg(feature = "full")]
    real_time: RealTime,
    #[cfg(feature = "full")]
    quality: Option<ServiceQuality>,
    executor: GivenExecutor,
}

/// The application's executor, if there is one.
#[derive(Default)]
struct GivenExecutor(Option<Box<dyn Spawn>>);

impl fmt::Debug for GivenExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "given" } else { "own" })
    }
}

impl OrbBuilder {
    /// Takes the arguments that begin with `-ORB` out of `arguments`.
    ///
    /// | argument | meaning |
    /// |---|---|
    /// | `-ORBInitRef NAME=URL` | what [`Orb::resolve_initial_references`] finds; repeatable |
    /// | `-ORBDefaultInitRef URL` | where it looks for all other names: at `URL/NAME` |
    /// | `-ORBListenEndpoints ENDPOINT[;ENDPOINT…]` | where to listen, see [`ListenEndpoint`]; also as omniORB's `-ORBendPoint` and TAO's `-ORBEndpoint` |
    /// | `-ORBendPointPublish giop:tcp:HOST:PORT[,…]` | omniORB's: what references carry for endpoints that do not say `publish` |
    /// | `-ORBLaneListenEndpoints POOL:LANE ENDPOINT[;ENDPOINT…]` | where a lane of a thread pool listens, TAO's; `*` stands for all pools or lanes; repeatable |
    /// | `-ORBmaxGIOPVersion 1.0\|1.1\|1.2` | the highest GIOP version to speak; 1.2 |
    /// | `-ORBCallTimeout 5s`, … | one of the [settings](Settings): docs/limits.md lists them all |
    ///
    /// # Errors
    ///
    /// [`InitError`] names the argument and the remedy.
    pub fn arguments(mut self, arguments: &mut Vec<String>) -> Result<Self, InitError> {
        self.from_arguments.url_check = Some(url_check::check);
        self.interceptors.note_arguments(arguments);
        arguments::take(arguments, &mut self.from_arguments)?;
        Ok(self)
    }

    /// Listens at an endpoint, such as `0.0.0.0:2809`,
    /// `*:2809/publish=example.com:2809` or `uiop:///run/bank.sock`; may be called for
    /// several. An argument, `-ORBListenEndpoints`, replaces them all. Without
    /// any, a server listens on every interface at a free port.
    ///
    /// # Errors
    ///
    /// [`InitError::Endpoint`].
    pub fn listen(mut self, endpoint: &str) -> Result<Self, InitError> {
        self.default_endpoints.push(arguments::endpoint(endpoint)?);
        Ok(self)
    }

    /// Listens at an endpoint that has been read already, unless an argument replaces it.
    #[must_use]
    pub fn listen_at(mut self, endpoint: ListenEndpoint) -> Self {
        self.default_endpoints.push(endpoint);
        self
    }

    /// Adds a protocol to TCP and Unix-domain sockets: endpoints, URLs and object
    /// references may then be of it. docs/transports.md shows how to write one.
    ///
    /// # Errors
    ///
    /// [`InitError::Protocol`] if it cannot be told from another.
    #[cfg(feature = "full")]
    pub fn protocol(mut self, protocol: impl Protocol + 'static) -> Result<Self, InitError> {
        let added = self.protocols.with(Arc::new(protocol));
        self.protocols = added.map_err(InitError::Protocol)?;
        Ok(self)
    }

    /// Replaces the protocol that has the same scheme and the same tag, such as TCP, by one that
    /// watches its octets, or changes them.
    ///
    /// # Errors
    ///
    /// [`InitError::Protocol`] if there is none to replace.
    #[cfg(feature = "full")]
    pub fn replace_protocol(
        mut self,
        protocol: impl Protocol + 'static,
    ) -> Result<Self, InitError> {
        let replaced = self.protocols.with_replaced(Arc::new(protocol));
        self.protocols = replaced.map_err(InitError::Protocol)?;
        Ok(self)
    }

    /// Adds a factory of policies, for [`Orb::create_policy`] (the standard's
    /// `register_policy_factory`, CORBA 3.3 part 1, 16.8).
    ///
    /// # Errors
    ///
    /// [`InitError::PolicyFactory`] if there is one for this type already (the standard's
    /// BAD_INV_ORDER, OMG minor 16), or the type is one of Taut's.
    #[cfg(feature = "full")]
    pub fn policy_factory(
        mut self,
        policy_type: PolicyType,
        factory: impl PolicyFactory + 'static,
    ) -> Result<Self, InitError> {
        let factory = Arc::new(factory);
        match self.policies.factories.add(policy_type, factory) {
            true => Ok(self),
            false => Err(InitError::PolicyFactory { policy_type }),
        }
    }

    /// Adds a type of policies: [`Orb::create_policy`] makes them, and
    /// [`ObjectRef::get_policy`](crate::ObjectRef::get_policy) reads them out of references.
    ///
    /// # Errors
    ///
    /// As [`policy_factory`](Self::policy_factory).
    #[cfg(feature = "full")]
    pub fn policy_type<V: PolicyValue>(mut self) -> Result<Self, InitError> {
        match self.policies.factories.add_value::<V>() {
            true => Ok(self),
            false => Err(InitError::PolicyFactory {
                policy_type: V::TYPE,
            }),
        }
    }

    /// Runs the futures of asynchronous servants in an executor of the application, such as a
    /// runtime of tokio, whose timers and sockets they may use then. Without it they are polled at
    /// once, in the thread that has read the request, and later by threads of the ORB
    /// ([`future_threads`](crate::ServerSettings::future_threads)). See
    /// docs/deferred-replies.md.
    #[cfg(feature = "full")]
    #[must_use]
    pub fn executor(mut self, executor: impl Spawn + 'static) -> Self {
        self.executor = GivenExecutor(Some(Box::new(executor)));
        self
    }

    /// Gives the ORB priorities (Real-time CORBA 1.2): it sends those of threads, serves requests
    /// at theirs, and sets the native priorities of threads. The settings of the group
    /// [`real_time`](crate::Settings::real_time) say how; `-ORBRealTime yes` does the same
    /// without code. See docs/real-time.md.
    #[cfg(feature = "full")]
    #[must_use]
    pub fn real_time(mut self, real_time: RealTime) -> Self {
        self.settings.real_time.enabled = true;
        self.real_time = real_time;
        self
    }

    /// Grants all clients of the ORB's objects so much, whatever their POA
    /// ([`quality`](crate::quality)); what a POA grants holds besides. Calls from this process are
    /// not looked at.
    #[cfg(feature = "full")]
    #[must_use]
    pub fn quality(mut self, quality: ServiceQuality) -> Self {
        self.quality = Some(quality);
        self
    }

    /// Configures an initial reference by its URL.
    #[must_use]
    pub fn initial_reference(mut self, name: impl Into<String>, url: impl Into<String>) -> Self {
        self.explicit.url_check = Some(url_check::check);
        let urls = &mut self.explicit.initial_references;
        urls.set(&name.into(), &url.into());
        self
    }

    /// Configures where all other initial references are looked for: at this
    /// URL with `/` and the name appended.
    #[must_use]
    pub fn default_initial_reference(mut self, url: impl Into<String>) -> Self {
        self.explicit.url_check = Some(url_check::check);
        self.explicit.default_initial_reference = Some(url.into());
        self
    }

    /// Answers clients that ask for the interface of an object (`get_interface`) from this
    /// source: the crate `taut-ifr` has one for the program's own IDL. Without one they get
    /// INTF_REPOS.
    #[cfg(feature = "full")]
    #[must_use]
    pub fn interface_repository(mut self, source: impl InterfaceSource) -> Self {
        self.interfaces = Interfaces::of(source);
        self
    }

    /// Changes limits and time-outs. A setting that is left at its default may be set by an
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
    /// [`InitError`], when the environment's arguments are wrong, an initial reference's
    /// URL is, or the system gives no random octets. URLs of initial references that only the
    /// environment names are checked here if the program takes any by its arguments or from
    /// this builder, and else when they are first resolved.
    pub fn build(mut self) -> Result<Orb, InitError> {
        self.interceptors.begin(&mut self.settings)?;
        let environment = arguments::from_environment()?;
        let mut configuration = self.explicit.or(self.from_arguments).or(environment);
        let settings = configuration.applied_to(self.settings);
        configuration.check_urls(&OrbToBe {
            protocols: &self.protocols,
            max_reference_file: settings.client.max_reference_file,
        })?;
        let endpoints = endpoints(self.default_endpoints, &mut configuration);
        let of_lanes = configuration.lane_endpoints.iter();
        let of_lanes = of_lanes.flat_map(LaneListen::endpoints);
        for endpoint in endpoints.iter().chain(of_lanes) {
            let checked = endpoint.check(&self.protocols);
            checked.map_err(|error| InitError::Endpoint {
                text: endpoint.to_string(),
                error,
            })?;
        }
        let incarnation = entropy::random().map_err(InitError::Entropy)?;
        #[cfg(feature = "full")]
        let priorities = match settings.real_time.enabled {
            true => Priorities::new(self.real_time, settings.real_time.options())
                .map_err(InitError::RealTime)?,
            false => Priorities::default(),
        };
        let core = OrbCore::new(settings, self.protocols, self.executor.0);
        let core = Arc::new(OrbCore {
            policies: self.policies,
            interfaces: self.interfaces,
            #[cfg(feature = "full")]
            priorities,
            #[cfg(feature = "full")]
            quality: self.quality,
            ..core.with(self.interceptors.expected())
        });
        #[cfg(feature = "full")]
        internal_threads::prepare(&core);
        log_deviations();
        let adapters = AdaptersOrigin::new(incarnation, &core.settings);
        let adapters = adapters.map_err(|_| InitError::InvalidValue {
            argument: "-ORBServerId".to_owned(),
            problem: "it has more than 65,533 octets".to_owned(),
        })?;
        let server = ServerOrigin {
            adapters,
            endpoints,
            lane_endpoints: configuration.lane_endpoints,
        };
        let orb = Orb {
            shared: Arc::new(Shared {
                core,
                server: LazyServer::new(server),
                initial_references: InitialReferences::new(
                    configuration.initial_references,
                    configuration.default_initial_reference,
                ),
            }),
        };
        self.interceptors.end(&orb)?;
        Ok(orb)
    }
}

/// Where to listen: where an argument says, else where the program says, else anywhere.
fn endpoints(
    defaults: Vec<ListenEndpoint>,
    configuration: &mut Configuration,
) -> Vec<ListenEndpoint> {
    let mut endpoints = std::mem::take(&mut configuration.endpoints);
    if endpoints.is_empty() {
        endpoints = defaults;
    } else if !defaults.is_empty() {
        tracing::info!(
            endpoints = list(&endpoints),
            replaced = list(&defaults),
            "listening where an argument says"
        );
    }
    if endpoints.is_empty() {
        endpoints.push(ListenEndpoint::any());
    }
    let publish = &configuration.publish;
    endpoints
        .into_iter()
        .map(|endpoint| endpoint.publish_unless_told(publish))
        .collect()
}

fn list(endpoints: &[ListenEndpoint]) -> String {
    let texts: Vec<_> = endpoints.iter().map(ListenEndpoint::to_string).collect();
    texts.join(";")
}

#[cfg(test)]
#[cfg(feature = "full")]
mod tests {
    use super::*;

    fn listening(builder: OrbBuilder, line: &str) -> Vec<String> {
        let mut arguments = line.split_whitespace().map(str::to_owned).collect();
        let builder = builder.arguments(&mut arguments).unwrap();
        let mut configuration = builder.explicit.or(builder.from_arguments);
        let endpoints = endpoints(builder.default_endpoints, &mut configuration);
        endpoints.iter().map(ListenEndpoint::to_string).collect()
    }

    #[test]
    fn an_argument_replaces_where_the_program_listens() {
        let program = || Orb::builder().listen("*:2809").unwrap();
        for (line, expected) in [
            ("", &["iiop://*:2809"][..]),
            ("-ORBListenEndpoints :7", &["iiop://*:7"]),
            ("-ORBendPoint giop:tcp:h:7", &["iiop://h:7"]),
            (
                "-ORBEndpoint iiop://h:7;uiop:///x",
                &["iiop://h:7", "uiop:///x"],
            ),
            (
                "-ORBendPointPublish giop:tcp:out:7",
                &["iiop://*:2809/publish=out:7"],
            ),
            (
                "-ORBEndpoint uiop:///x;:1/publish=in -ORBendPointPublish giop:tcp:out:7",
                &["uiop:///x", "iiop://*:1/publish=in:0"],
            ),
        ] {
            assert_eq!(listening(program(), line), expected, "{line}");
        }
        assert_eq!(listening(Orb::builder(), ""), ["iiop://*:0"]);
    }
}
