//! Names as strings and URLs.

use taut::{ObjectRef, SystemException};
use taut_giop::naming::{self, NameErrorKind, format_name, parse_name_within};
use taut_giop::url::ObjectUrl;
use taut_giop::{Limits, naming::NameError};

use super::contexts::Contexts;
use super::faults::Fault;
use super::keeper::name_limit;
use crate::naming_context::InvalidName;
use crate::naming_context_ext::{
    InvalidAddress, ResolveStrError, StringName, ToNameError, ToStringError, ToUrlError, UrlString,
};
use crate::{Name, NameComponent, NamingContextExt};

impl NamingContextExt for Contexts {
    fn to_string(&self, n: &[NameComponent]) -> Result<StringName, ToStringError> {
        if n.len() > self.keeper.settings().max_name_components {
            return Err(name_limit().into());
        }
        let name: Vec<_> = n
            .iter()
            .map(|one| naming::NameComponent::new(&*one.id, &*one.kind))
            .collect();
        format_name(&name).map_err(|_| InvalidName.into())
    }

    fn to_name(&self, sn: &str) -> Result<Name, ToNameError> {
        self.parsed(sn).map_err(|error| match error {
            Unreadable::Invalid => InvalidName.into(),
            Unreadable::TooLong(exception) => exception.into(),
        })
    }

    fn to_url(&self, addr: &str, sn: &str) -> Result<UrlString, ToUrlError> {
        if !sn.is_empty() {
            self.parsed(sn).map_err(|error| match error {
                Unreadable::Invalid => ToUrlError::from(InvalidName),
                Unreadable::TooLong(exception) => exception.into(),
            })?;
        }
        let address = format!("corbaname:{addr}");
        let is_address =
            !addr.is_empty() && !addr.contains(['#', ' ']) && address.parse::<ObjectUrl>().is_ok();
        if !is_address {
            return Err(InvalidAddress.into());
        }
        Ok(match sn.is_empty() {
            true => address,
            false => format!("{address}#{}", escaped(sn)),
        })
    }

    fn resolve_str(&self, n: &str) -> Result<Option<ObjectRef>, ResolveStrError> {
        let name = self.parsed(n).map_err(|error| match error {
            Unreadable::Invalid => Fault::InvalidName,
            Unreadable::TooLong(exception) => exception.into(),
        })?;
        Ok(self.resolve_name(&name)?)
    }
}

/// Why a text is no name.
enum Unreadable {
    Invalid,
    TooLong(SystemException),
}

impl From<NameError> for Unreadable {
    fn from(error: NameError) -> Self {
        match error.kind {
            NameErrorKind::TooManyComponents { .. } => Self::TooLong(name_limit()),
            _ => Self::Invalid,
        }
    }
}

impl Contexts {
    fn parsed(&self, text: &str) -> Result<Name, Unreadable> {
        let limits = Limits {
            max_name_components: self.keeper.settings().max_name_components,
            ..Limits::DEFAULT
        };
        let name = parse_name_within(text, &limits)?;
        let components = name.into_iter();
        Ok(components
            .map(|one| NameComponent {
                id: one.id,
                kind: one.kind,
            })
            .collect())
    }
}

/// A text with the escapes that a URL needs (Naming Service 1.3, 2.5.3.4; RFC 2396, 2).
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for octet in text.bytes() {
        let is_plain = octet.is_ascii_alphanumeric() || b";/:?@&=+$,-_.!~*'()".contains(&octet);
        if is_plain {
            escaped.push(char::from(octet));
        } else {
            escaped.push_str(&format!("%{octet:02x}"));
        }
    }
    escaped
}
