//! The properties of protocols, as the standard makes them (Real-time CORBA 1.2, 4.15).

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};

use super::RtOrb;
use crate::policy::{TcpProtocolProperties, UnixDomainProtocolProperties};

/// Reads the size of a buffer, of which the standard makes a `long`.
fn size(name: &str, octets: i32) -> Result<u32, SystemException> {
    u32::try_from(octets).map_err(|_| {
        let (kind, completed) = (SystemExceptionKind::BadParam, CompletionStatus::No);
        SystemException::new(kind, 0, completed)
            .because(format!("{name} is {octets}: it is 0 or more, in octets"))
    })
}

impl RtOrb {
    /// Makes the properties of TCP (the standard's `create_tcp_protocol_properties`, with TAO's
    /// `enable_network_priority`). Sizes of 0 leave buffers as the system has them.
    ///
    /// # Errors
    ///
    /// BAD_PARAM for a size that is negative.
    #[allow(
        clippy::fn_params_excessive_bools,
        reason = "the standard's parameters; the struct has names for them"
    )]
    pub fn create_tcp_protocol_properties(
        &self,
        send_buffer_size: i32,
        recv_buffer_size: i32,
        keep_alive: bool,
        dont_route: bool,
        no_delay: bool,
        enable_network_priority: bool,
    ) -> Result<TcpProtocolProperties, SystemException> {
        Ok(TcpProtocolProperties {
            send_buffer_size: size("send_buffer_size", send_buffer_size)?,
            recv_buffer_size: size("recv_buffer_size", recv_buffer_size)?,
            keep_alive,
            dont_route,
            no_delay,
            enable_network_priority,
        })
    }

    /// Makes the properties of Unix-domain sockets (TAO's
    /// `create_unix_domain_protocol_properties`). Sizes of 0 leave buffers as the system has
    /// them.
    ///
    /// # Errors
    ///
    /// BAD_PARAM for a size that is negative.
    pub fn create_unix_domain_protocol_properties(
        &self,
        send_buffer_size: i32,
        recv_buffer_size: i32,
    ) -> Result<UnixDomainProtocolProperties, SystemException> {
        Ok(UnixDomainProtocolProperties {
            send_buffer_size: size("send_buffer_size", send_buffer_size)?,
            recv_buffer_size: size("recv_buffer_size", recv_buffer_size)?,
        })
    }
}
