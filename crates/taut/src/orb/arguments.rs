//! Configuration from `-ORB…` arguments.

use std::collections::BTreeMap;

use super::InitError;
#[cfg(feature = "setting-arguments")]
use super::setting_arguments::{self, ARGUMENTS};
use crate::server::ListenEndpoint;
#[cfg(feature = "setting-arguments")]
use crate::settings::Settings;

/// The environment variable that holds further arguments.
const ENVIRONMENT: &str = "TAUT_ORB_ARGUMENTS";

/// The arguments that the ORB knows, but for those of
/// [settings](super::setting_arguments).
pub(super) const KNOWN: [&str; 3] = ["-ORBInitRef", "-ORBDefaultInitRef", "-ORBListenEndpoints"];

/// What is said of the others.
#[cfg(feature = "setting-arguments")]
pub(super) const OTHERS: &str =
    ", and those of the settings, such as -ORBCallTimeout (docs/limits.md)";
/// There are none.
#[cfg(not(feature = "setting-arguments"))]
pub(super) const OTHERS: &str = "; this ORB is built without the feature setting-arguments";

/// What one source of configuration says.
#[derive(Debug, Default)]
pub(super) struct Configuration {
    pub(super) endpoints: Vec<ListenEndpoint>,
    pub(super) initial_references: BTreeMap<String, String>,
    pub(super) default_initial_reference: Option<String>,
    /// For each setting, the place of its argument in [`ARGUMENTS`], and the value.
    #[cfg(feature = "setting-arguments")]
    pub(super) settings: BTreeMap<&'static str, (usize, String)>,
}

impl Configuration {
    /// This configuration, and the weaker one's word where this is silent.
    pub(super) fn or(mut self, weaker: Self) -> Self {
        if self.endpoints.is_empty() {
            self.endpoints = weaker.endpoints;
        }
        for (name, url) in weaker.initial_references {
            self.initial_references.entry(name).or_insert(url);
        }
        self.default_initial_reference = self
            .default_initial_reference
            .or(weaker.default_initial_reference);
        #[cfg(feature = "setting-arguments")]
        for (setting, value) in weaker.settings {
            self.settings.entry(setting).or_insert(value);
        }
        self
    }

    /// The settings, changed as the arguments say where they are as by default.
    #[cfg(feature = "setting-arguments")]
    pub(super) fn applied_to(&self, explicit: Settings) -> Settings {
        let default = Settings::default();
        let mut settings = explicit.clone();
        for (place, value) in self.settings.values() {
            let argument = &ARGUMENTS[*place];
            if (argument.is_same)(&explicit, &default) {
                // It was tried when it was taken.
                let _ = (argument.apply)(&mut settings, value);
            }
        }
        settings
    }

    fn set(&mut self, argument: &str, value: &str) -> Result<(), InitError> {
        let invalid = |problem: &str| InitError::InvalidValue {
            argument: argument.to_owned(),
            problem: problem.to_owned(),
        };
        #[cfg(feature = "setting-arguments")]
        if let Some(place) = setting_arguments::find(argument) {
            (ARGUMENTS[place].apply)(&mut Settings::default(), value).map_err(invalid)?;
            let setting = ARGUMENTS[place].setting;
            self.settings.insert(setting, (place, value.to_owned()));
            return Ok(());
        }
        match argument {
            "-ORBInitRef" => {
                let (name, url) = value
                    .split_once('=')
                    .filter(|(name, url)| !name.is_empty() && !url.is_empty())
                    .ok_or_else(|| invalid("write NAME=URL"))?;
                self.initial_references
                    .insert(name.to_owned(), url.to_owned());
            }
            "-ORBDefaultInitRef" => self.default_initial_reference = Some(value.to_owned()),
            _ => {
                for text in value.split(';').filter(|text| !text.is_empty()) {
                    self.endpoints.push(endpoint(text)?);
                }
            }
        }
        Ok(())
    }
}

/// Whether the ORB takes the argument.
fn is_known(argument: &str) -> bool {
    #[cfg(feature = "setting-arguments")]
    if setting_arguments::find(argument).is_some() {
        return true;
    }
    KNOWN.contains(&argument)
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
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if !argument.starts_with("-ORB") {
            others.push(argument.clone());
            continue;
        }
        if !is_known(argument) {
            return Err(InitError::UnknownArgument(argument.clone()));
        }
        let value = rest
            .next()
            .ok_or_else(|| InitError::MissingValue(argument.clone()))?;
        configuration.set(argument, value)?;
    }
    *arguments = others;
    Ok(())
}

/// What the environment says.
pub(super) fn from_environment() -> Result<Configuration, InitError> {
    let mut configuration = Configuration::default();
    let Ok(text) = std::env::var(ENVIRONMENT) else {
        return Ok(configuration);
    };
    let mut arguments: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    take(&mut arguments, &mut configuration)?;
    match arguments.into_iter().next() {
        Some(other) => Err(InitError::UnknownArgument(other)),
        None => Ok(configuration),
    }
}

#[cfg(all(test, feature = "compact"))]
mod tests {
    use std::time::Duration;

    use super::*;

    fn taken(line: &str) -> Result<(Configuration, String), InitError> {
        let mut arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let mut configuration = Configuration::default();
        take(&mut arguments, &mut configuration)?;
        Ok((configuration, arguments.join(" ")))
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
            configuration.initial_references["NameService"],
            "corbaloc::h/NameService"
        );
        assert_eq!(
            configuration.default_initial_reference.as_deref(),
            Some("corbaloc::d")
        );
        assert_eq!(configuration.endpoints.len(), 2);
        assert_eq!(configuration.settings["giop_version"].1, "1.1");
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
                "-ORBmaxGIOPVersion 2",
                "-ORBmaxGIOPVersion: write 1.0, 1.1 or 1.2",
            ),
            (
                "-ORBListenEndpoints shmiop://x",
                "endpoint \"shmiop://x\": \"shmiop\" is not a protocol to listen with: write \
                 iiop://host:port or uiop:///path/to/socket",
            ),
        ] {
            assert_eq!(taken(line).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn the_stronger_source_wins_and_the_weaker_fills_the_gaps() {
        let (strong, _) = taken("-ORBInitRef A=strong -ORBListenEndpoints :1").unwrap();
        let (weak, _) =
            taken("-ORBInitRef A=weak -ORBInitRef B=weak -ORBListenEndpoints :2").unwrap();
        let both = strong.or(weak);
        assert_eq!(both.initial_references["A"], "strong");
        assert_eq!(both.initial_references["B"], "weak");
        assert_eq!(both.endpoints, [endpoint(":1").unwrap()]);
    }

    #[test]
    fn arguments_set_settings_but_the_builders_word_is_stronger() {
        let (strong, _) = taken("-ORBCallTimeout 5s -ORBMaxForwards 3").unwrap();
        let (weak, _) = taken("-ORBclientCallTimeOutPeriod 7000 -ORBConnectionThreads 9").unwrap();
        let settings = strong.or(weak).applied_to(Settings {
            max_forwards: 1,
            ..Settings::default()
        });
        assert_eq!(settings.call_timeout, Some(Duration::from_secs(5)));
        assert_eq!(settings.connection_threads, 9);
        assert_eq!(settings.max_forwards, 1);
    }
}
