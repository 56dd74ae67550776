//! The options of connections that come in.

use super::Listener;
use crate::core::OrbCore;
use crate::policy::ServerProtocolPolicy;
use crate::settings::RefusedOptions;
use crate::transport::{ConnectionOptions, ConnectionReport, Stream};

impl Listener {
    /// Sets the options of a new connection: those of the endpoint, then those that the ORB's
    /// `ServerProtocolPolicy` has for its protocol, then those of the settings.
    ///
    /// # Errors
    ///
    /// The fate of each, if it does not have all; and whether it is not to go without.
    pub(in crate::server) fn set_options(
        &self,
        core: &OrbCore,
        stream: &Stream,
    ) -> Result<(), (ConnectionReport, bool)> {
        let wire = &core.settings.wire;
        let options = self.options.or(&self.of_protocol(core));
        let options = options.or(&wire.connection_options);
        if options.is_empty() {
            return Ok(());
        }
        let report = options.set_on(stream);
        match report.is_complete() {
            true => Ok(()),
            false => Err((report, wire.refused_options == RefusedOptions::Error)),
        }
    }

    /// The options that the ORB's policy has for the protocol.
    fn of_protocol(&self, core: &OrbCore) -> ConnectionOptions {
        let overrides = core.policies.overrides();
        let policy = overrides.find::<ServerProtocolPolicy>();
        let protocol = core.protocols.of(self.address());
        let found = policy.zip(protocol);
        let options = found.map(|(policy, protocol)| policy.options_of(protocol.profile_tag()));
        options.unwrap_or_default()
    }
}
