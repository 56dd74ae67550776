//! From a URL or stringified reference to an object.

use std::sync::Arc;

use taut_giop::ior::{AddressProfile, TaggedProfile};
use taut_giop::naming::parse_name_within;
use taut_giop::url::{Corbaloc, CorbalocAddress, DEFAULT_NAMING_CONTEXT_KEY, ObjectUrl};
use taut_giop::{CompletionStatus, Ior, SystemException, Version};

use super::{Orb, UrlError, naming, reference_file};
use crate::object::{ObjectRef, Told, profiles};
use crate::transport::{Address, Protocols};

impl Orb {
    /// The object that a text names: `IOR:…`, `corbaloc:…`, `corbaname:…`
    /// (CORBA 3.3 part 2, 7.6.10), or `file:///path`, a file with one of these. Only a
    /// `corbaname` asks anyone. Of a file, which must be a regular one, at most
    /// [`client.max_reference_file`](crate::ClientSettings::max_reference_file) octets are read.
    ///
    /// # Errors
    ///
    /// [`UrlError`] says what is wrong, and where.
    pub fn string_to_object(&self, text: &str) -> Result<ObjectRef, UrlError> {
        if let Some(path) = reference_file::path_in(text) {
            let text =
                reference_file::read(path, self.shared.core.settings.client.max_reference_file)?;
            return self.url_to_object(&text);
        }
        self.url_to_object(text)
    }

    /// [`string_to_object`](Self::string_to_object) of what is not in a file.
    fn url_to_object(&self, text: &str) -> Result<ObjectRef, UrlError> {
        let url = text.parse();
        match url.map_err(|error| UrlError::malformed(text, error))? {
            ObjectUrl::Ior(ior) => self.object(ior),
            ObjectUrl::Corbaloc(location) => self.locate(&location),
            ObjectUrl::Corbaname { location, name } => {
                let context = self.locate(&location)?;
                if name.is_empty() {
                    return Ok(context);
                }
                let name = parse_name_within(&name, &self.shared.core.settings.limits.lists)
                    .map_err(|error| UrlError::Naming(format!("the name {name:?}: {error}")))?;
                naming::resolve(&context, &name)
                    .map_err(|error| of_naming_service(error, &location, &context))
            }
            _ => Err(no_protocol(&[], &self.shared.core.protocols)),
        }
    }

    /// A reference to the object with this key in a Taut server that is reached at
    /// these addresses, made without asking anybody: what a
    /// [forwarder](Self::set_object_key_locator) sends clients to. The repository id may
    /// be empty. The server is taken to have the code sets of this ORB's
    /// [settings](crate::Settings).
    ///
    /// None when there is no address that a reference can carry.
    pub fn object_at(
        &self,
        addresses: &[Address],
        object_key: &[u8],
        repository_id: &str,
    ) -> Option<ObjectRef> {
        let ior = Ior {
            type_id: repository_id.to_owned(),
            profiles: profiles(&self.shared.core, addresses, object_key, Told::default()),
        };
        self.object(ior).ok()
    }

    /// The object at a location.
    fn locate(&self, location: &Corbaloc) -> Result<ObjectRef, UrlError> {
        if location.addresses.contains(&CorbalocAddress::Rir) {
            let name = match &location.key[..] {
                [] => DEFAULT_NAMING_CONTEXT_KEY,
                key => key,
            };
            return Ok(self.resolve_initial_references(&String::from_utf8_lossy(name))?);
        }
        let protocols = &self.shared.core.protocols;
        let mut ior = Ior::nil();
        for address in &location.addresses {
            ior.profiles
                .extend(profile(address, &location.key, protocols)?);
        }
        if ior.is_nil() {
            return Err(no_protocol(&location.addresses, protocols));
        }
        self.object(ior)
    }

    fn object(&self, ior: Ior) -> Result<ObjectRef, UrlError> {
        if ior.is_nil() {
            return Err(UrlError::Nil);
        }
        Ok(ObjectRef::new(Arc::clone(&self.shared.core), ior))
    }
}

/// The profile of the object with this key at an address of a URL; none where the ORB has
/// no such protocol.
///
/// # Errors
///
/// When the protocol cannot read the address, or the profile cannot be written.
fn profile(
    address: &CorbalocAddress,
    key: &[u8],
    protocols: &Protocols,
) -> Result<Option<TaggedProfile>, UrlError> {
    let (version, address) = match address {
        CorbalocAddress::Iiop {
            version,
            host,
            port,
        } => (*version, Address::new(host, *port)),
        CorbalocAddress::Uiop { version, path } => (*version, Address::unix(path)),
        CorbalocAddress::Other { protocol, address } => {
            let Some(protocol) = protocols.by_scheme(protocol) else {
                return Ok(None);
            };
            let read = protocol.parse_address(address);
            let read = read.map_err(|error| UrlError::Address {
                address: format!("{}:{address}", protocol.scheme()),
                error,
            });
            (Version::V1_2, read?)
        }
        _ => return Ok(None),
    };
    let Some(protocol) = protocols.of(&address) else {
        return Ok(None);
    };
    let profile = AddressProfile {
        version,
        address,
        object_key: key.to_vec(),
        components: Vec::new(),
    };
    profile
        .to_profile(protocol.profile_tag(), |address, out| {
            protocol.write_address(address, out)
        })
        .map(Some)
        .map_err(|error| SystemException::from_cdr(&error, CompletionStatus::No).into())
}

/// Looks whether an address is of a protocol that this ORB speaks.
///
/// # Errors
///
/// [`UrlError::NoProtocol`] when there is none.
pub(super) fn check_protocols(
    addresses: &[CorbalocAddress],
    protocols: &Protocols,
) -> Result<(), UrlError> {
    let is_foreign = |address: &CorbalocAddress| match address {
        CorbalocAddress::Other { protocol, .. } => protocols.by_scheme(protocol).is_none(),
        _ => false,
    };
    match addresses.iter().all(is_foreign) {
        true => Err(no_protocol(addresses, protocols)),
        false => Ok(()),
    }
}

/// The error for addresses of which none is of a protocol that this ORB speaks.
fn no_protocol(addresses: &[CorbalocAddress], protocols: &Protocols) -> UrlError {
    let (protocol, address) = match addresses.first() {
        Some(CorbalocAddress::Other { protocol, address }) => (protocol.clone(), address.clone()),
        _ => Default::default(),
    };
    UrlError::NoProtocol {
        protocol,
        address,
        known: protocols.schemes(),
    }
}

/// The error with the naming service in it that was asked: where it is, and by which name
/// the ORB knows it.
#[cold]
fn of_naming_service(error: UrlError, location: &Corbaloc, context: &ObjectRef) -> UrlError {
    let UrlError::System(mut exception) = error else {
        return error;
    };
    let mut purpose = format!("the naming service at {}", context.addresses().join(", "));
    if location.addresses.contains(&CorbalocAddress::Rir) {
        let name = String::from_utf8_lossy(&location.key);
        purpose = format!("{purpose} (initial reference {name})");
    }
    exception.report_mut().purpose = Some(purpose.into());
    UrlError::System(exception)
}

/// An object URL for what is published at `addresses` under a plain key.
pub(super) fn corbaloc(addresses: &[Address], version: Version, key: &str) -> Option<String> {
    if addresses.is_empty() {
        return None;
    }
    let addresses = addresses
        .iter()
        .map(|address| match address {
            Address::Tcp { host, port } => CorbalocAddress::Iiop {
                version,
                host: host.clone(),
                port: *port,
            },
            Address::Unix { path } => CorbalocAddress::Uiop {
                version,
                path: path.clone(),
            },
            other => CorbalocAddress::Other {
                protocol: other.scheme().to_owned(),
                address: other.place(),
            },
        })
        .collect();
    let location = Corbaloc {
        addresses,
        key: key.as_bytes().to_vec(),
    };
    Some(location.to_string())
}
