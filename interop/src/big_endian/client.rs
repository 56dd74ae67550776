//! A client that writes big-endian requests.

use std::io::Write;
use std::net::TcpStream;

use parking_lot::Mutex;
use taut::{
    Char, CompletionStatus, ObjectRef, Orb, SystemException, SystemExceptionKind, UserException,
    Version,
};
use taut_cdr::{ByteOrder, Decode, Decoder, Encode, Encoder, Result as CdrResult};
use taut_giop::message::{
    self, MessageType, ReplyHeader, ReplyStatus, RequestHeader, ResponseFlags, TargetAddress,
};
use taut_giop::service_context::ServiceContexts;

use super::wire::{read_message, read_reference, unmarshal};
use crate::HarnessError;
use crate::param_test::param_test::*;
use crate::param_test::{CallbackRef, ParamTest, ParamTestRef, Value, for_each_value_operation};

/// Speaks for a `Param_Test` somewhere, in big-endian messages.
#[derive(Debug)]
pub struct BigEndianClient {
    /// The ORB that references which come back belong to.
    orb: Orb,
    version: Version,
    object_key: Vec<u8>,
    connection: Mutex<Connection>,
}

#[derive(Debug)]
struct Connection {
    stream: TcpStream,
    next_request_id: u32,
}

/// A reply, as far as it has been read.
struct Answer {
    order: ByteOrder,
    message: Vec<u8>,
    body: usize,
    status: ReplyStatus,
}

impl BigEndianClient {
    /// Connects to the object's first address, to speak the version of GIOP
    /// that the reference offers. References that come back belong to `orb`.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Orb`] without an IIOP profile or a server.
    pub fn connect(orb: &Orb, object: &ObjectRef) -> Result<Self, HarnessError> {
        let no_profile = || std::io::Error::other("the reference has no IIOP profile");
        let profile = object.ior().iiop_profiles().flatten().next();
        let profile = profile.ok_or_else(no_profile).map_err(HarnessError::orb)?;
        let stream = TcpStream::connect((profile.host.as_str(), profile.port));
        Ok(Self {
            orb: orb.clone(),
            version: profile.version,
            object_key: profile.object_key,
            connection: Mutex::new(Connection {
                stream: stream.map_err(HarnessError::orb)?,
                next_request_id: 0,
            }),
        })
    }

    /// Calls an operation and gives what comes back, unless it is a system
    /// exception.
    fn call(
        &self,
        operation: &str,
        arguments: impl FnOnce(&mut Encoder) -> CdrResult<()>,
    ) -> taut::Result<Answer> {
        let mut connection = self.connection.lock();
        let request_id = connection.send(self, operation, ResponseFlags::Expected, arguments)?;
        connection.receive(self.version, request_id)
    }

    /// Calls an operation of which nothing comes back.
    fn call_oneway(
        &self,
        operation: &str,
        arguments: impl FnOnce(&mut Encoder) -> CdrResult<()>,
    ) -> taut::Result<()> {
        let mut connection = self.connection.lock();
        let sent = connection.send(self, operation, ResponseFlags::None, arguments);
        sent.map(|_| ())
    }

    fn write_request(
        &self,
        request_id: u32,
        operation: &str,
        response: ResponseFlags,
        arguments: impl FnOnce(&mut Encoder) -> CdrResult<()>,
    ) -> CdrResult<Vec<u8>> {
        let mut out = Encoder::new(ByteOrder::Big);
        message::begin_message(&mut out, self.version, MessageType::Request);
        RequestHeader {
            request_id,
            response,
            target: TargetAddress::Key(&self.object_key),
            operation: operation.as_bytes(),
            service_contexts: ServiceContexts::EMPTY,
        }
        .encode(self.version, &mut out)?;
        let body = message::begin_body(self.version, &mut out);
        arguments(&mut out)?;
        body.finish(&mut out);
        message::finish_message(&mut out)?;
        Ok(out.into_buffer())
    }
}

impl Connection {
    fn send(
        &mut self,
        client: &BigEndianClient,
        operation: &str,
        response: ResponseFlags,
        arguments: impl FnOnce(&mut Encoder) -> CdrResult<()>,
    ) -> taut::Result<u32> {
        let request_id = self.next_request_id;
        self.next_request_id = request_id.wrapping_add(2);
        let request = client.write_request(request_id, operation, response, arguments);
        let request = unmarshal(request)?;
        self.stream.write_all(&request).map_err(|_| lost())?;
        Ok(request_id)
    }

    fn receive(&mut self, version: Version, request_id: u32) -> taut::Result<Answer> {
        let received = read_message(&self.stream).map_err(|_| lost())?;
        let (header, message) = received.ok_or_else(lost)?;
        let mut input = unmarshal(header.decoder(&message))?;
        let reply = unmarshal(ReplyHeader::decode(header.version, &mut input))?;
        if (header.message_type, header.version, reply.request_id)
            != (MessageType::Reply, version, request_id)
        {
            return Err(lost());
        }
        if reply.status == ReplyStatus::SystemException {
            return Err(unmarshal(SystemException::decode(&mut input))?);
        }
        let (body, status) = (input.position(), reply.status);
        Ok(Answer {
            order: header.order,
            message,
            body,
            status,
        })
    }
}

impl Answer {
    /// A decoder at the results.
    fn results(&self) -> taut::Result<Decoder<'_>> {
        match self.status {
            ReplyStatus::NoException => self.body(),
            _ => Err(unexpected()),
        }
    }

    fn body(&self) -> taut::Result<Decoder<'_>> {
        let mut input = Decoder::new(&self.message, self.order);
        unmarshal(input.skip(self.body))?;
        Ok(input)
    }

    /// The only result.
    fn result<T: for<'m> Decode<'m>>(&self) -> taut::Result<T> {
        unmarshal(T::decode(&mut self.results()?))
    }

    /// The user exception, if it is one.
    fn user_exception(&self) -> taut::Result<Option<RaiseUserError>> {
        if self.status != ReplyStatus::UserException {
            return Ok(None);
        }
        let mut input = self.body()?;
        let id = unmarshal(String::decode(&mut input))?;
        let exception = match id.as_str() {
            A::REPOSITORY_ID => A::decode(&mut input).map(Into::into),
            B::REPOSITORY_ID => B::decode(&mut input).map(Into::into),
            Bare::REPOSITORY_ID => Bare::decode(&mut input).map(Into::into),
            _ => return Err(unexpected()),
        };
        unmarshal(exception).map(Some)
    }
}

fn lost() -> SystemException {
    let kind = SystemExceptionKind::CommFailure;
    SystemException::new(kind, 0, CompletionStatus::Maybe)
}

fn unexpected() -> SystemException {
    SystemException::new(SystemExceptionKind::Unknown, 0, CompletionStatus::Yes)
}

macro_rules! implement_param_test {
    ($($operation:ident: $type:ty, $table:ident;)*) => {
        impl ParamTest for BigEndianClient {
            $(
                fn $operation(
                    &self,
                    s1: <$type as Value>::In<'_>,
                    s2: &mut $type,
                ) -> taut::Result<($type, $type)> {
                    let answer = self.call(stringify!($operation), |out| {
                        <$type>::from_in(s1).encode(out)?;
                        s2.encode(out)
                    })?;
                    let mut input = answer.results()?;
                    let result = unmarshal(<$type>::decode(&mut input))?;
                    *s2 = unmarshal(<$type>::decode(&mut input))?;
                    Ok((result, unmarshal(<$type>::decode(&mut input))?))
                }
            )*

            fn test_objref(
                &self,
                s1: Option<&ParamTestRef>,
                s2: &mut Option<ParamTestRef>,
            ) -> taut::Result<(Option<ParamTestRef>, Option<ParamTestRef>)> {
                let answer = self.call("test_objref", |out| {
                    s1.encode(out)?;
                    s2.encode(out)
                })?;
                let mut input = answer.results()?;
                let result = read_reference(&mut input, &self.orb)?;
                *s2 = read_reference(&mut input, &self.orb)?;
                Ok((result, read_reference(&mut input, &self.orb)?))
            }

            fn greeting(&self) -> taut::Result<String> {
                self.call("_get_greeting", |_| Ok(()))?.result()
            }

            fn level(&self) -> taut::Result<i32> {
                self.call("_get_level", |_| Ok(()))?.result()
            }

            fn set_level(&self, value: i32) -> taut::Result<()> {
                self.call("_set_level", |out| value.encode(out))?
                    .results()
                    .map(|_| ())
            }

            fn raise_user(&self, which: u32) -> Result<(), RaiseUserError> {
                let answer = self.call("raise_user", |out| which.encode(out))?;
                match answer.user_exception()? {
                    Some(exception) => Err(exception),
                    None => Ok(answer.results().map(|_| ())?),
                }
            }

            fn raise_system(&self) -> taut::Result<()> {
                self.call("raise_system", |_| Ok(()))?.results().map(|_| ())
            }

            fn notify(&self, message: &str) -> taut::Result<()> {
                self.call_oneway("notify", |out| message.encode(out))
            }

            fn notified(&self) -> taut::Result<u32> {
                self.call("notified", |_| Ok(()))?.result()
            }

            fn call_back(&self, c: Option<&CallbackRef>, n: i32) -> taut::Result<i32> {
                let arguments = |out: &mut Encoder| {
                    c.encode(out)?;
                    n.encode(out)
                };
                self.call("call_back", arguments)?.result()
            }

            fn echo(&self, data: &[u8]) -> taut::Result<OctetSeq> {
                self.call("echo", |out| data.encode(out))?.result()
            }

            fn shutdown(&self) -> taut::Result<()> {
                self.call_oneway("shutdown", |_| Ok(()))
            }
        }
    };
}

for_each_value_operation!(implement_param_test);
