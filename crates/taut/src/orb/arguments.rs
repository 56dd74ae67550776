//! Configuration from `-ORB…` arguments.

use super::initial_references::InitialUrls;
use super::setting_arguments::{self, SettingValues};
use super::url_check::{OrbToBe, UrlCheck};
use super::{InitError, UrlError, suggestion};
use crate::server::{LaneListen, ListenEndpoint};
use crate::settings::Settings;
use crate::transport::Address;

/// The environment variable that holds further arguments.
const ENVIRONMENT: &str = "TAUT_ORB_ARGUMENTS";

/// The arguments that the ORB knows, but for those of
/// [settings](super::setting_arguments).
pub(super) const KNOWN: [&str; 3] = ["-ORBInitRef", "-ORBDefaultInitRef", "-ORBListenEndpoints"];

/// The names that omniORB and TAO have for `-ORBListenEndpoints`.
const LISTEN_ALIASES: [&str; 2] = ["-ORBendPoint", "-ORBEndpoint"];

/// omniORB's argument for the addresses that references carry, which `minimal` does not have.
const PUBLISH: &str = "-ORBendPointPublish";
const HAS_PUBLISH: bool = cfg!(feature = "full");

/// TAO's argument for the endpoints of lanes, which has two values.
const LANES: &str = "-ORBLaneListenEndpoints";
const HAS_LANES: bool = cfg!(feature = "full");

/// The settings from one source of configuration.
#[derive(Debug, Default)]
pub(super) struct Configuration {
    pub(super) endpoints: Vec<ListenEndpoint>,
    /// The addresses that references carry for endpoints that name none to publish.
    pub(super) publish: Vec<Address>,
    /// Where the lanes of thread pools listen.
    pub(super) lane_endpoints: Vec<LaneListen>,
    pub(super) initial_references: InitialUrls,
    pub(super) default_initial_reference: Option<String>,
    pub(super) settings: SettingValues,
    /// How URLs are checked. The environment has no say in it.
    pub(super) url_check: Option<UrlCheck>,
}

impl Configuration {
    /// Looks at the URLs of initial references, and reads the files that they name, once.
    pub(super) fn check_urls(&mut self, orb: &OrbToBe<'_>) -> Result<(), InitError> {
        let Some(check) = self.url_check else {
            return Ok(());
        };
        let invalid = |name: &str, error| InitError::InitialReference {
            name: name.to_owned(),
            error,
        };
        for (name, url) in self.initial_references.iter_mut() {
            if let Some(text) = check(url, Some(orb)).map_err(|error| invalid(name, error))? {
                *url = text;
            }
        }
        if let Some(prefix) = &self.default_initial_reference {
            let (name, url) = ("NameService", format!("{prefix}/NameService"));
            check(&url, Some(orb)).map_err(|error| invalid(name, error))?;
        }
        Ok(())
    }

    /// Looks at a URL before the protocols are known.
    fn check_url(&self, url: &str) -> Result<(), UrlError> {
        match self.url_check {
            Some(check) => check(url, None).map(drop),
            None => Ok(()),
        }
    }

    /// This configuration, and the weaker one's word where this is silent.
    pub(super) fn or(mut self, weaker: Self) -> Self {
        if self.endpoints.is_empty() {
            self.endpoints = weaker.endpoints;
        }
        if self.lane_endpoints.is_empty() {
            self.lane_endpoints = weaker.lane_endpoints;
        }
        if self.publish.is_empty() {
            self.publish = weaker.publish;
        }
        self.initial_references.fill(weaker.initial_references);
        self.default_initial_reference = self
            .default_initial_reference
            .or(weaker.default_initial_reference);
        self.settings = self.settings.or(weaker.settings);
        self.url_check = self.url_check.or(weaker.url_check);
        self
    }

    /// The settings, changed as the arguments say where they are as by default.
    pub(super) fn applied_to(&self, explicit: Settings) -> Settings {
        self.settings.applied_to(explicit)
    }

    /// Takes the endpoints of some lanes.
    fn add_lanes(&mut self, argument: &str, lanes: &str, endpoints: &str) -> Result<(), InitError> {
        let endpoints = endpoints.split(';').filter(|text| !text.is_empty());
        let endpoints = endpoints.map(endpoint).collect::<Result<_, _>>()?;
        let read = LaneListen::new(lanes, endpoints);
        self.lane_endpoints
            .push(read.map_err(|problem| InitError::InvalidValue {
                argument: argument.to_owned(),
                problem: problem.to_owned(),
            })?);
        Ok(())
    }

    fn set(&mut self, argument: &str, value: &str) -> Result<(), InitError> {
        let invalid = |problem: &str| InitError::InvalidValue {
            argument: argument.to_owned(),
            problem: problem.to_owned(),
        };
        if let Some(taken) = self.settings.take(argument, value) {
            return taken.map_err(invalid);
        }
        match argument {
            "-ORBInitRef" => {
                let (name, url) = value
                    .split_once('=')
                    .filter(|(name, url)| !name.is_empty() && !url.is_empty())
                    .ok_or_else(|| invalid("write NAME=URL"))?;
                self.check_url(url)
                    .map_err(|problem| invalid(&format!("{name}: {problem}")))?;
                self.initial_references.set(name, url);
            }
            PUBLISH if HAS_PUBLISH => self.publish = published(value).map_err(invalid)?,
            "-ORBDefaultInitRef" => {
                let one_below = format!("{value}/NameService");
                self.check_url(&one_below)
                    .map_err(|problem| invalid(&problem.to_string()))?;
                self.default_initial_reference = Some(value.to_owned());
            }
            _ => {
                for text in value.split(';').filter(|text| !text.is_empty()) {
                    self.endpoints.push(endpoint(text)?);
                }
            }
        }
        Ok(())
    }
}

/// Reads omniORB's `giop:tcp:host:port`, several with commas between them. `addr` is its
/// word for what holds without the argument.
fn published(text: &str) -> Result<Vec<Address>, &'static str> {
    let address = |item: &str| {
        let address = item.strip_prefix("giop:tcp:")?;
        let address = address.strip_suffix(':').unwrap_or(address);
        Address::parse(address, 0).ok()
    };
    let items = text.split(',').filter(|item| *item != "addr");
    items
        .map(address)
        .collect::<Option<_>>()
        .ok_or("write giop:tcp:host:port, several with commas between them, or addr")
}

/// The argument of the ORB that a mistyped one probably was meant to be.
#[cold]
pub(super) fn meant_by(argument: &str) -> Option<&'static str> {
    if cfg!(not(feature = "full")) {
        // There are so few that the error lists them all.
        return None;
    }
    let known = KNOWN
        .into_iter()
        .chain(LISTEN_ALIASES)
        .chain([PUBLISH, LANES]);
    let known = known.chain(setting_arguments::names());
    suggestion::nearest(argument.split('=').next()?, known)
}

/// Whether the ORB takes the argument.
fn is_known(argument: &str) -> bool {
    setting_arguments::is_known(argument)
        || KNOWN.contains(&argument)
        || LISTEN_ALIASES.contains(&argument)
        || HAS_PUBLISH && argument == PUBLISH
        || HAS_LANES && argument == LANES
}

/// Reads an endpoint.
pub(super) fn endpoint(text: &str) -> Result<ListenEndpoint, InitError> {
    text.parse().map_err(|error| InitError::Endpoint {
        text: text.to_owned(),
        error,
    })
}

/// Moves the ORB's arguments from `arguments` into `configuration`. When one
/// is wrong, `arguments` stay as they were.
pub(super) fn take(
    arguments: &mut Vec<String>,
    configuration: &mut Configuration,
) -> Result<(), InitError> {
    let mut others = Vec::new();
    let mut rest = arguments.iter().peekable();
    while let Some(argument) = rest.next() {
        if !argument.starts_with("-ORB") {
            others.push(argument.clone());
            continue;
        }
        if !is_known(argument) {
            return Err(InitError::UnknownArgument(argument.clone()));
        }
        if let Some(value) = setting_arguments::value_without(argument, rest.peek().copied()) {
            configuration.set(argument, value)?;
            continue;
        }
        let value = rest
            .next()
            .ok_or_else(|| InitError::MissingValue(argument.clone()))?;
        if HAS_LANES && argument == LANES {
            let endpoints = rest.next();
            let endpoints = endpoints.ok_or_else(|| InitError::MissingValue(argument.clone()))?;
            configuration.add_lanes(argument, value, endpoints)?;
            continue;
        }
        configuration.set(argument, value)?;
    }
    *arguments = others;
    Ok(())
}

/// Reads the environment variable.
pub(super) fn from_environment() -> Result<Configuration, InitError> {
    let mut configuration = Configuration::default();
    let Ok(text) = std::env::var(ENVIRONMENT) else {
        return Ok(configuration);
    };
    let mut arguments: Vec<String> = text.split_ascii_whitespace().map(str::to_owned).collect();
    take(&mut arguments, &mut configuration)?;
    match arguments.into_iter().next() {
        Some(other) => Err(InitError::UnknownArgument(other)),
        None => Ok(configuration),
    }
}

#[cfg(all(test, feature = "full"))]
mod tests {
    use std::time::Duration;

    use super::super::url_check;
    use super::*;

    fn taken(line: &str) -> Result<(Configuration, String), InitError> {
        let mut arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let mut configuration = Configuration {
            url_check: Some(url_check::check),
            ..Configuration::default()
        };
        take(&mut arguments, &mut configuration)?;
        Ok((configuration, arguments.join(" ")))
    }

    #[test]
    fn gioplite_is_asked_for_without_a_value() {
        for (line, is_lite, left) in [
            ("-ORBgioplite", true, ""),
            ("-ORBgioplite -v", true, "-v"),
            ("-ORBgioplite 1 file", true, "file"),
            ("-ORBgioplite 0 file", false, "file"),
            ("-ORBgioplite -ORBCallTimeout 5s", true, ""),
        ] {
            let (configuration, rest) = taken(line).unwrap();
            let settings = configuration.applied_to(Settings::default());
            assert_eq!((settings.wire.giop_lite, &*rest), (is_lite, left), "{line}");
        }
    }

    #[test]
    fn the_orb_takes_its_own_arguments_and_leaves_the_others() {
        let (configuration, left) = taken(
            "program -v -ORBInitRef NameService=corbaloc::h/NameService file \
             -ORBDefaultInitRef corbaloc::d -ORBListenEndpoints iiop://:1;:2 \
             -ORBmaxGIOPVersion 1.1",
        )
        .unwrap();
        assert_eq!(left, "program -v file");
        assert_eq!(
            configuration.initial_references.get("NameService"),
            Some("corbaloc::h/NameService")
        );
        assert_eq!(
            configuration.default_initial_reference.as_deref(),
            Some("corbaloc::d")
        );
        assert_eq!(configuration.endpoints.len(), 2);
        let settings = configuration.applied_to(Settings::default());
        assert_eq!(settings.wire.giop_version.minor, 1);
    }

    #[test]
    fn each_wrong_argument_is_named_with_the_remedy() {
        for (line, message) in [
            (
                "-ORBInitialHost h",
                "-ORBInitialHost is not an argument of the ORB; known are -ORBInitRef, \
                 -ORBDefaultInitRef, -ORBListenEndpoints, and those of the settings, \
                 such as -ORBCallTimeout (docs/limits.md)",
            ),
            ("-ORBInitRef", "-ORBInitRef needs a value"),
            (
                "-ORBCallTimeout 5",
                "-ORBCallTimeout: write a time such as 500ms, 10s or 5min, or none",
            ),
            ("-ORBInitRef x", "-ORBInitRef: write NAME=URL"),
            (
                "-ORBInitref A=corbaloc::h/A",
                "-ORBInitref is not an argument of the ORB; did you mean -ORBInitRef?",
            ),
            (
                "-ORBCallTimout 5s",
                "-ORBCallTimout is not an argument of the ORB; did you mean -ORBCallTimeout?",
            ),
            (
                "-ORBendpoint giop:tcp::1",
                "-ORBendpoint is not an argument of the ORB; did you mean -ORBendPoint?",
            ),
            (
                "-ORBCallTimeout=5s",
                "-ORBCallTimeout=5s is not an argument of the ORB; write the value behind a \
                 blank: -ORBCallTimeout 5s",
            ),
            (
                "-ORBInitRef Foo=bar",
                "-ORBInitRef: Foo: the text begins with none of \"IOR:\", \"corbaloc:\", \
                 \"corbaname:\" and \"file://\"",
            ),
            (
                "-ORBInitRef Foo=/run/foo.ior",
                "-ORBInitRef: Foo: \"/run/foo.ior\" is a path, not a URL; write \
                 file:///run/foo.ior",
            ),
            (
                "-ORBInitRef Foo=corbaloc:h/Foo",
                "-ORBInitRef: Foo: an address has no protocol (for IIOP, write \":\" before the \
                 host), at character 10",
            ),
            (
                "-ORBDefaultInitRef nowhere",
                "-ORBDefaultInitRef: the text begins with none of \"IOR:\", \"corbaloc:\", \
                 \"corbaname:\" and \"file://\"",
            ),
            (
                "-ORBinConScanPeriod 3min",
                "-ORBinConScanPeriod: write a number of seconds; 0: none",
            ),
            (
                "-ORBendPointPublish all(addr)",
                "-ORBendPointPublish: write giop:tcp:host:port, several with commas between \
                 them, or addr",
            ),
            (
                "-ORBLaneListenEndpoints 1 :2809",
                "-ORBLaneListenEndpoints: write POOL:LANE ENDPOINT, such as 1:0 iiop://:2809; \
                 pools are numbered from 1, lanes from 0, and * stands for all of them",
            ),
            (
                "-ORBLaneListenEndpoints 1:0",
                "-ORBLaneListenEndpoints needs a value",
            ),
            (
                "-ORBmaxGIOPVersion 2",
                "-ORBmaxGIOPVersion: write 1.0, 1.1 or 1.2",
            ),
        ] {
            assert_eq!(taken(line).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn protocols_that_are_not_there_are_named_when_the_orb_is_built() {
        for (line, message) in [
            (
                "-ORBInitRef Foo=corbaloc:h:2809/Foo",
                "the initial reference \"Foo\": \"h\" was read as a protocol, and this ORB speaks iiop and \
                 uiop only; if it is a host, write :h:2809",
            ),
            (
                "-ORBListenEndpoints shmiop://x",
                "endpoint \"shmiop://x\": \"shmiop\" is not a protocol to listen with: write \
                 iiop://host:port or uiop:///path/to/socket, or add the protocol to the builder",
            ),
        ] {
            let mut arguments = line.split_whitespace().map(str::to_owned).collect();
            let builder = crate::Orb::builder().arguments(&mut arguments).unwrap();
            assert_eq!(builder.build().unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn the_stronger_source_wins_and_the_weaker_fills_the_gaps() {
        let (strong, _) = taken("-ORBInitRef A=corbaloc::s/A -ORBListenEndpoints :1").unwrap();
        let weak = "-ORBInitRef A=corbaloc::w/A -ORBInitRef B=corbaloc::w/B -ORBListenEndpoints :2";
        let (weak, _) = taken(weak).unwrap();
        let both = strong.or(weak);
        assert_eq!(both.initial_references.get("A"), Some("corbaloc::s/A"));
        assert_eq!(both.initial_references.get("B"), Some("corbaloc::w/B"));
        assert_eq!(both.endpoints, [endpoint(":1").unwrap()]);
    }

    #[test]
    fn omniorbs_and_taos_names_have_their_syntax_and_units() {
        let (configuration, left) = taken(
            "-ORBendPoint giop:tcp:h:1 -ORBendPoint giop:unix:/run/x -ORBEndpoint iiop://h:2 \
             -ORBendPoint giop:tcp:: -ORBendPointPublish giop:tcp:out:7,giop:tcp:other: \
             -ORBinConScanPeriod 180 -ORBoutConScanPeriod 0",
        )
        .unwrap();
        assert_eq!(left, "");
        let endpoints: Vec<_> = configuration.endpoints.iter().collect();
        let texts: Vec<_> = endpoints.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            ["iiop://h:1", "uiop:///run/x", "iiop://h:2", "iiop://*:0"]
        );
        let published = [Address::new("out", 7), Address::new("other", 0)];
        assert_eq!(configuration.publish, published);
        let settings = configuration.applied_to(Settings::default());
        assert_eq!(settings.server.idle_timeout, Some(Duration::from_secs(180)));
        assert_eq!(settings.client.idle_timeout, None);
        let (offered, _) = taken("-ORBofferBiDirectionalGIOP 1").unwrap();
        let settings = offered.applied_to(Settings::default());
        let both = crate::settings::BidirectionalPolicy::Both;
        assert_eq!(settings.wire.bidirectional, both);
        let (default, _) = taken("-ORBendPointPublish addr").unwrap();
        assert_eq!(default.publish, []);
    }

    #[test]
    fn arguments_set_settings_but_the_builders_word_is_stronger() {
        let (strong, _) = taken("-ORBCallTimeout 5s -ORBMaxForwards 3").unwrap();
        let (weak, _) = taken("-ORBclientCallTimeOutPeriod 7000 -ORBConnectionThreads 9").unwrap();
        let mut explicit = Settings::default();
        explicit.client.max_forwards = 1;
        let settings = strong.or(weak).applied_to(explicit);
        assert_eq!(settings.client.call_timeout, Some(Duration::from_secs(5)));
        assert_eq!(settings.server.connection_threads, 9);
        assert_eq!(settings.client.max_forwards, 1);
    }
}
