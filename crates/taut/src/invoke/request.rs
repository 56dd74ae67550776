//! The exchange with an object, and the message that begins it.

use smallvec::SmallVec;
#[cfg(feature = "full")]
use taut_cdr::ByteOrder;
use taut_cdr::{ElementForm, Encoder};
use taut_giop::deadline_context::DeadlineContext;
#[cfg(feature = "full")]
use taut_giop::message::priority_context;
use taut_giop::message::{LocateRequestHeader, RequestHeader, ResponseFlags, TargetAddress};
use taut_giop::service_context::{self, ServiceContext, ServiceContexts};

use super::arguments::Arguments;
use crate::connection::Outgoing;
use crate::object::{Binding, CalledOperation, Route};
use crate::priority::Priority;
use crate::service_contexts::ServiceContextList;

/// A question to an object.
pub(super) enum Exchange<'a> {
    /// To carry out an operation.
    Request {
        operation: &'a CalledOperation<'a>,
        response: ResponseFlags,
        arguments: Arguments<'a>,
    },
    /// Whether it is there.
    Locate,
}

impl<'a> Exchange<'a> {
    /// Whether anything comes back.
    pub(super) fn is_answered(&self) -> bool {
        match self {
            Self::Request { response, .. } => *response != ResponseFlags::None,
            Self::Locate => true,
        }
    }

    /// The operation's name, for the caller of an exchange that failed.
    pub(super) fn operation(&self) -> &'a str {
        match self {
            Self::Request { operation, .. } => operation.name,
            Self::Locate => "LocateRequest",
        }
    }

    /// That of the elements, if nothing comes back but a sequence that may be received where
    /// it stays.
    #[inline]
    pub(super) fn elements(&self) -> ElementForm {
        match self {
            Self::Request { operation, .. } => operation.elements,
            Self::Locate => ElementForm::NONE,
        }
    }

    /// Returns the octets to be sent behind the message that was written last.
    #[inline(always)]
    pub(super) fn lent(&self) -> &'a [u8] {
        match self {
            Self::Request { arguments, .. } => arguments.lent(),
            Self::Locate => &[],
        }
    }
}

/// The service contexts by which the first request introduces a connection to the peer.
pub(super) type Introduction<'a> = [Option<ServiceContext<'a>>; 2];

/// The data of the service context that tells a call's deadline.
pub(super) type DeadlineData = [u8; DeadlineContext::SIZE];

/// The quality of a call, as far as its request tells it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Quality {
    pub(super) priority: Option<Priority>,
    pub(super) deadline: Option<DeadlineData>,
}

impl Quality {
    /// Nothing.
    pub(super) const NONE: Self = Self {
        priority: None,
        deadline: None,
    };

    /// Whether it tells anything.
    #[inline(always)]
    pub(super) fn is_some(&self) -> bool {
        self.priority.is_some() || self.deadline.is_some()
    }
}

/// The service contexts of a request, if it has any.
#[derive(Clone, Copy)]
pub(super) struct RequestContexts<'a> {
    /// Those of the ORB for the connection, which come first.
    pub(super) introduction: Introduction<'a>,
    /// The data of the context that tells the priority of the call, if the request does.
    priority: Option<[u8; 4]>,
    /// The deadline of the call, likewise.
    deadline: Option<DeadlineData>,
    /// Those of user code.
    pub(super) of_user: Option<&'a ServiceContextList>,
}

impl<'a> RequestContexts<'a> {
    /// Those that user code sends, behind an introduction and the quality of the call if there
    /// are any; none if there are none of them.
    pub(super) fn of(
        introduction: Option<Introduction<'a>>,
        quality: Quality,
        of_user: Option<&'a ServiceContextList>,
    ) -> Option<Self> {
        let is_some = introduction.is_some() || quality.is_some() || of_user.is_some();
        is_some.then(|| Self {
            introduction: introduction.unwrap_or_default(),
            priority: quality.priority.map(priority_data),
            deadline: quality.deadline,
            of_user,
        })
    }

    /// All of them, in the order in which they are sent.
    fn in_order(&self) -> SmallVec<[ServiceContext<'_>; 8]> {
        let deadline = self.deadline.as_ref().map(|data| ServiceContext {
            id: service_context::id::TAUT_DEADLINE,
            data,
        });
        let priority = self.priority.as_ref().map(|data| ServiceContext {
            id: service_context::id::RT_CORBA_PRIORITY,
            data,
        });
        // Servers that recognise requests by their octets know them in this order.
        let quality = priority.into_iter().chain(deadline);
        let own = self.introduction.into_iter().flatten().chain(quality);
        match self.of_user {
            Some(of_user) => of_user.behind(own),
            None => own.collect(),
        }
    }
}

#[cfg(feature = "full")]
fn priority_data(priority: Priority) -> [u8; 4] {
    priority_context(ByteOrder::NATIVE, priority.get())
}

#[cfg(not(feature = "full"))]
fn priority_data(priority: Priority) -> [u8; 4] {
    match priority {}
}

/// Writes the message, with these service contexts. The elements that are
/// [lent](Exchange::lent) then are not in it.
#[inline(always)]
pub(super) fn write(
    outgoing: &mut Outgoing,
    binding: &Binding,
    route: &Route,
    exchange: &Exchange<'_>,
    request_id: u32,
    contexts: Option<&RequestContexts<'_>>,
) -> taut_cdr::Result<()> {
    match exchange {
        Exchange::Request {
            operation,
            response,
            arguments,
        } => {
            let out = match binding.template(route) {
                Some(template) if contexts.is_none() => {
                    let name = operation.name;
                    outgoing.begin(route.id, template, request_id, *response, name)?
                }
                _ => {
                    let operation = (*operation, *response);
                    begin(outgoing, binding, route, operation, request_id, contexts)?
                }
            };
            write_arguments(out, route, *arguments)
        }
        Exchange::Locate => {
            let out = outgoing.restart();
            let target = binding.target(route);
            let header = LocateRequestHeader { request_id, target };
            let messaging = route.messaging;
            messaging.write_locate_request(out, route.version, &header)
        }
    }
}

/// Begins a request that is more than the route's template and a name. One with service
/// contexts tells the name.
#[inline(never)]
fn begin<'o>(
    outgoing: &'o mut Outgoing,
    binding: &Binding,
    route: &Route,
    (operation, response): (&CalledOperation<'_>, ResponseFlags),
    request_id: u32,
    contexts: Option<&RequestContexts<'_>>,
) -> taut_cdr::Result<&'o mut Encoder> {
    let name = operation.name;
    if contexts.is_none()
        && let Some((handles, template)) = binding.handles(route)
    {
        return match handles.zip(operation.handle) {
            Some((handles, handle)) if handles.takes(handle) => {
                let (route, template) = (handles.id, &handles.template);
                outgoing.begin_by_handle(route, template, request_id, response, handle.place)
            }
            _ => outgoing.begin(route.id, template, request_id, response, name),
        };
    }
    let (out, target) = (outgoing.restart(), binding.target(route));
    write_header(out, route, target, request_id, response, name, contexts)?;
    Ok(out)
}

/// Writes what follows a request's header.
#[inline(always)]
fn write_arguments(
    out: &mut Encoder,
    route: &Route,
    arguments: Arguments<'_>,
) -> taut_cdr::Result<()> {
    out.set_characters(route.characters);
    let body = route.messaging.begin_body(route.version, out);
    arguments.write(out)?;
    body.finish(out);
    route.messaging.finish_message(out)
}

/// Writes a request to which there is no answer, and that may go over any connection:
/// an operation's name, an id, and service contexts.
pub(super) fn write_unanswered(
    out: &mut Encoder,
    binding: &Binding,
    route: &Route,
    (operation, request_id): (&str, u32),
    contexts: Option<&RequestContexts<'_>>,
    arguments: Arguments<'_>,
) -> taut_cdr::Result<()> {
    let response = ResponseFlags::None;
    let by_handle = || binding.handles(route).map(|(_, template)| template);
    match binding.template(route).or_else(by_handle) {
        Some(template) if contexts.is_none() => {
            template.write(out, request_id, response, operation)?;
        }
        _ => {
            let target = binding.target(route);
            write_header(
                out, route, target, request_id, response, operation, contexts,
            )?;
        }
    }
    write_arguments(out, route, arguments)?;
    // The message is kept for longer than anything is lent.
    let lent = arguments.lent();
    if !lent.is_empty() {
        out.take_back(lent);
    }
    Ok(())
}

/// The context, of 12 octets, that moves the end of a header by 4 modulo 8.
const PADDING: ServiceContext<'static> = ServiceContext {
    id: service_context::id::TAUT_PADDING,
    data: &[0; 4],
};

/// Writes a request whose arguments have been encoded already, as they stand behind a
/// multiple of eight octets. Until GIOP 1.1 they begin where the header ends, which may need
/// a service context more, one that means nothing.
pub(super) fn write_encoded(
    outgoing: &mut Outgoing,
    binding: &Binding,
    route: &Route,
    (operation, response): (&CalledOperation<'_>, ResponseFlags),
    request_id: u32,
    contexts: Option<&RequestContexts<'_>>,
    body: &[u8],
) -> taut_cdr::Result<()> {
    let write_body = |out: &mut Encoder| {
        out.write_bytes(body);
        Ok(())
    };
    let arguments = Arguments::whole(&write_body);
    if !route.version.has_layout_1_2() && !body.is_empty() {
        let (out, target) = (outgoing.restart(), binding.target(route));
        let (version, name) = (route.version, operation.name);
        write_header(out, route, target, request_id, response, name, contexts)?;
        if !out.len().is_multiple_of(8) {
            let padded = contexts.map(RequestContexts::in_order).unwrap_or_default();
            let padded: SmallVec<[_; 8]> = padded.into_iter().chain([PADDING]).collect();
            let header = RequestHeader {
                request_id,
                response,
                target: binding.target(route),
                operation: name.as_bytes(),
                service_contexts: ServiceContexts::new(&padded),
            };
            let out = outgoing.restart();
            route.messaging.begin_request(out, version, &header)?;
        }
        return write_arguments(outgoing.resume(), route, arguments);
    }
    let exchange = Exchange::Request {
        operation,
        response,
        arguments,
    };
    write(outgoing, binding, route, &exchange, request_id, contexts)
}

/// Writes a request's header that differs from the template.
#[cold]
#[inline(never)]
fn write_header(
    out: &mut Encoder,
    route: &Route,
    target: TargetAddress<'_>,
    request_id: u32,
    response: ResponseFlags,
    operation: &str,
    contexts: Option<&RequestContexts<'_>>,
) -> taut_cdr::Result<()> {
    let contexts = contexts.map(RequestContexts::in_order);
    let contexts = contexts.as_deref().unwrap_or_default();
    let header = RequestHeader {
        request_id,
        response,
        target,
        operation: operation.as_bytes(),
        service_contexts: ServiceContexts::new(contexts),
    };
    route.messaging.begin_request(out, route.version, &header)
}
