//! A server that writes big-endian replies.

use std::io::Write;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use taut::{
    Char, CompletionStatus, Ior, Orb, Reference, SystemException, SystemExceptionKind,
    UserException, Version,
};
use taut_cdr::{ByteOrder, Decode, Decoder, Encode, Encoder, Result as CdrResult};
use taut_giop::ior::IiopProfile;
use taut_giop::message::{
    self, MessageType, ReplyHeader, ReplyStatus, RequestHeader, ResponseFlags,
};
use taut_giop::service_context::ServiceContexts;

use super::wire::{read_message, read_reference, unmarshal};
use crate::HarnessError;
use crate::param_test::param_test::*;
use crate::param_test::{
    CallbackRef, ParamTest, ParamTestRef, ParamTestServant, Value, for_each_value_operation,
};

/// The object key of the only object.
const OBJECT_KEY: &[u8] = b"Param_Test";

/// Serves a `Param_Test` on a port of its own until the process ends, in
/// big-endian replies. Gives the reference, which belongs to `orb` and offers
/// this version of GIOP, without code sets.
///
/// # Errors
///
/// [`HarnessError::Resource`] without a port, [`HarnessError::Orb`] when the
/// ORB does not take the reference.
pub fn serve_big_endian(orb: &Orb, version: Version) -> Result<ParamTestRef, HarnessError> {
    let no_port = |source| HarnessError::Resource {
        what: "free TCP port",
        source,
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(no_port)?;
    let port = listener.local_addr().map_err(no_port)?.port();
    let profile = IiopProfile {
        version,
        host: Ipv4Addr::LOCALHOST.to_string(),
        port,
        object_key: OBJECT_KEY.to_vec(),
        components: Vec::new(),
    };
    let ior = Ior {
        type_id: ParamTestRef::INTERFACE.repository_id.to_owned(),
        profiles: vec![profile.to_profile().map_err(HarnessError::orb)?],
    };
    let object = orb.string_to_object(&ior.to_string());
    let own: ParamTestRef = object.map_err(HarnessError::orb)?.unchecked_narrow();
    let servant = ParamTestServant::new(orb.clone());
    servant.set_own_reference(own.clone());
    let server = Arc::new(Server {
        orb: orb.clone(),
        servant,
    });
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let server = Arc::clone(&server);
            // A connection of its own for each call in flight: calls nest.
            thread::spawn(move || server.serve(&stream));
        }
    });
    Ok(own)
}

struct Server {
    /// The ORB that references which come in belong to.
    orb: Orb,
    servant: ParamTestServant,
}

/// How an operation ended that did not raise a system exception.
enum Outcome {
    Results,
    Raised,
}

impl Server {
    /// Answers requests until the client closes or says what is no request.
    fn serve(&self, mut stream: &TcpStream) {
        while let Ok(Some((header, message))) = read_message(stream) {
            if header.message_type != MessageType::Request {
                return;
            }
            let Ok(mut input) = header.decoder(&message) else {
                return;
            };
            let Ok(request) = RequestHeader::decode(header.version, &mut input) else {
                return;
            };
            let Ok(reply) = self.answer(header.version, &request, &input) else {
                return;
            };
            if request.response != ResponseFlags::None && stream.write_all(&reply).is_err() {
                return;
            }
        }
    }

    fn answer(
        &self,
        version: Version,
        request: &RequestHeader<'_>,
        input: &Decoder<'_>,
    ) -> CdrResult<Vec<u8>> {
        let mut out = Encoder::new(ByteOrder::Big);
        message::begin_message(&mut out, version, MessageType::Reply);
        let header = ReplyHeader {
            request_id: request.request_id,
            status: ReplyStatus::NoException,
            service_contexts: ServiceContexts::EMPTY,
        }
        .encode(version, &mut out)?;
        let body = message::begin_body(version, &mut out);
        match self.dispatch(request.operation, &mut input.clone(), &mut out) {
            Ok(Outcome::Results) => {}
            Ok(Outcome::Raised) => header.set_status(&mut out, ReplyStatus::UserException),
            Err(exception) => {
                body.rewind(&mut out);
                header.set_status(&mut out, ReplyStatus::SystemException);
                exception.encode(&mut out)?;
            }
        }
        body.finish(&mut out);
        message::finish_message(&mut out)?;
        Ok(out.into_buffer())
    }

    fn raise<E: UserException>(exception: &E, out: &mut Encoder) -> taut::Result<Outcome> {
        unmarshal(E::REPOSITORY_ID.encode(out))?;
        unmarshal(exception.encode(out))?;
        Ok(Outcome::Raised)
    }
}

fn read<T: for<'m> Decode<'m>>(input: &mut Decoder<'_>) -> taut::Result<T> {
    unmarshal(T::decode(input))
}

fn write(value: &impl Encode, out: &mut Encoder) -> taut::Result<Outcome> {
    unmarshal(value.encode(out))?;
    Ok(Outcome::Results)
}

macro_rules! implement_dispatch {
    ($($operation:ident: $type:ty, $table:ident;)*) => {
        impl Server {
            /// Reads the arguments, calls the servant and writes what comes
            /// of it.
            fn dispatch(
                &self,
                operation: &[u8],
                input: &mut Decoder<'_>,
                out: &mut Encoder,
            ) -> taut::Result<Outcome> {
                let servant = &self.servant;
                match String::from_utf8_lossy(operation).as_ref() {
                    $(
                        stringify!($operation) => {
                            let s1: $type = read(input)?;
                            let mut s2: $type = read(input)?;
                            let (result, s3) = servant.$operation(s1.as_in(), &mut s2)?;
                            write(&result, out)?;
                            write(&s2, out)?;
                            write(&s3, out)
                        }
                    )*
                    "test_objref" => {
                        let s1: Option<ParamTestRef> = read_reference(input, &self.orb)?;
                        let mut s2: Option<ParamTestRef> = read_reference(input, &self.orb)?;
                        let (result, s3) = servant.test_objref(s1.as_ref(), &mut s2)?;
                        write(&result, out)?;
                        write(&s2, out)?;
                        write(&s3, out)
                    }
                    "_get_greeting" => write(&servant.greeting()?, out),
                    "_get_level" => write(&servant.level()?, out),
                    "_set_level" => {
                        servant.set_level(read(input)?)?;
                        Ok(Outcome::Results)
                    }
                    "raise_user" => match servant.raise_user(read(input)?) {
                        Ok(()) => Ok(Outcome::Results),
                        Err(RaiseUserError::A(exception)) => Self::raise(&exception, out),
                        Err(RaiseUserError::B(exception)) => Self::raise(&exception, out),
                        Err(RaiseUserError::Bare(exception)) => Self::raise(&exception, out),
                        Err(RaiseUserError::System(exception)) => Err(exception),
                    },
                    "raise_system" => {
                        servant.raise_system()?;
                        Ok(Outcome::Results)
                    }
                    "notify" => {
                        let message: String = read(input)?;
                        servant.notify(&message)?;
                        Ok(Outcome::Results)
                    }
                    "notified" => write(&servant.notified()?, out),
                    "call_back" => {
                        let callback: Option<CallbackRef> = read_reference(input, &self.orb)?;
                        write(&servant.call_back(callback.as_ref(), read(input)?)?, out)
                    }
                    "echo" => {
                        let data: Vec<u8> = read(input)?;
                        write(&servant.echo(&data)?, out)
                    }
                    "_is_a" => {
                        let asked: String = read(input)?;
                        write(&ParamTestRef::INTERFACE.is_a(&asked), out)
                    }
                    "_non_existent" => write(&false, out),
                    _ => Err(SystemException::new(
                        SystemExceptionKind::BadOperation,
                        0,
                        CompletionStatus::No,
                    )),
                }
            }
        }
    };
}

for_each_value_operation!(implement_dispatch);
