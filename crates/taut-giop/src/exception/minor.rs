//! Minor codes: what the number in a system exception means.
//!
//! The upper 20 bits of a minor code name the vendor that assigned it (VMCID,
//! CORBA 3.3 part 1, annex A), the lower 12 bits are the vendor's code.

use super::meanings::{Meanings, meanings};
use super::{SystemExceptionKind, vendor};

/// The vendor of the minor codes that the standard defines.
pub const OMGVMCID: u32 = 0x4f4d_0000;

/// The vendor of Taut's own minor codes, which this module lists.
pub const TAUT_VMCID: u32 = 0x5455_0000;

/// TAO's.
const TAO_VMCID: u32 = 0x5441_0000;
/// omniORB's.
const OMNIORB_VMCID: u32 = 0x4154_0000;
/// JacORB's.
const JACORB_VMCID: u32 = 0x4a43_0000;
/// Sun's, the ORB of the JDK.
const SUN_VMCID: u32 = 0x5355_4000;

/// The bits of a minor code that name its vendor.
const VENDOR_MASK: u32 = 0xffff_f000;

/// The minor code that the standard numbers so.
#[inline]
pub const fn omg(code: u32) -> u32 {
    OMGVMCID | code
}

/// A minor code's vendor, where it is known.
pub const fn vendor(minor: u32) -> Option<&'static str> {
    Some(match minor & VENDOR_MASK {
        OMGVMCID => "OMG",
        TAUT_VMCID => "Taut",
        TAO_VMCID => "TAO",
        OMNIORB_VMCID => "omniORB",
        JACORB_VMCID => "JacORB",
        SUN_VMCID => "Sun",
        _ => return None,
    })
}

/// A minor code without its vendor.
#[inline]
pub const fn code(minor: u32) -> u32 {
    minor & !VENDOR_MASK
}

/// Returns the meaning of a minor code in an exception of this kind, if it is known: the
/// standard's, Taut's, and those of TAO, omniORB and JacORB. Of TAO's codes, which consist
/// of a place and an error, this is the place.
pub fn minor_meaning(kind: SystemExceptionKind, minor: u32) -> Option<&'static str> {
    match minor & VENDOR_MASK {
        OMGVMCID => OMG_MEANINGS.find(kind, code(minor)),
        TAUT_VMCID => TAUT_MEANINGS.find(kind, code(minor)),
        TAO_VMCID => vendor::tao_location(code(minor)),
        OMNIORB_VMCID => vendor::OMNIORB.find(kind, code(minor)),
        JACORB_VMCID => vendor::JACORB.find(kind, code(minor)),
        _ => None,
    }
}

/// The meaning of a minor code in an exception that a peer sent in a Reply.
///
/// It differs from [`minor_meaning`] where servers use a code of the standard's otherwise:
/// omniORB answers with OBJECT_NOT_EXIST, OMG minor 1, if no object has the key; the
/// standard has this code for values that were never activated.
pub fn minor_meaning_in_reply(kind: SystemExceptionKind, minor: u32) -> Option<&'static str> {
    const UNREGISTERED: u32 = omg(1);
    match (kind, minor) {
        (SystemExceptionKind::ObjectNotExist, UNREGISTERED) => {
            Some("the server has no such object")
        }
        _ => minor_meaning(kind, minor),
    }
}

/// The system's error in a minor code of TAO's, by the name that C gives it,
/// such as `ECONNREFUSED`.
pub fn system_error(minor: u32) -> Option<&'static str> {
    match minor & VENDOR_MASK {
        TAO_VMCID => vendor::tao_error(code(minor)),
        _ => None,
    }
}

macro_rules! taut_minors {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $kind:ident, $text:literal;)*) => {
        $($(#[$doc])* pub const $name: u32 = TAUT_VMCID | $code;)*

        /// Every minor code of Taut's own, with the exception that has it and its meaning.
        pub const TAUT_MINORS: &[(u32, SystemExceptionKind, &str)] =
            &[$(($name, SystemExceptionKind::$kind, $text),)*];

        static TAUT_MEANINGS: Meanings = meanings! { $($kind $code $text;)* };
    };
}

taut_minors! {
    /// MARSHAL: the bytes break a rule that has no minor code of its own.
    MALFORMED = 1, Marshal, "the data breaks a rule of its type";
    /// MARSHAL: the data ends before a value does.
    TRUNCATED = 2, Marshal, "the data ends before its last value does";
    /// MARSHAL: a length is more than the rest of the data can hold.
    LENGTH_BEYOND_MESSAGE = 3, Marshal, "a length is more than the rest of the message can hold";
    /// MARSHAL: a bounded string or sequence, or a list with a limit, is too long.
    BOUND_EXCEEDED = 4, Marshal, "a string or sequence is longer than its bound";
    /// MARSHAL: a length does not fit in 32 bits.
    TOO_LONG = 5, Marshal, "a length does not fit in 32 bits";
    /// MARSHAL: a boolean is neither 0 nor 1.
    INVALID_BOOLEAN = 6, Marshal, "a boolean is neither 0 nor 1";
    /// MARSHAL: an enum's ordinal has no enumerator.
    INVALID_ENUM = 7, Marshal, "an enum has no enumerator with the ordinal found";
    /// MARSHAL: a string does not end in NUL.
    UNTERMINATED_STRING = 8, Marshal, "a string does not end in NUL";
    /// MARSHAL: a string contains NUL.
    NUL_IN_STRING = 9, Marshal, "a string contains NUL";
    /// MARSHAL: values are nested more deeply than the limit allows.
    NESTED_TOO_DEEPLY = 10, Marshal, "values are nested more deeply than the limit allows";
    /// MARSHAL: a reference was found where no ORB can own it.
    NO_CONTEXT = 11, Marshal, "a reference was found where no ORB can own it";
    /// MARSHAL: a value contains itself, which `limits.cyclic_values` does not allow.
    CYCLIC_VALUE = 12, Marshal, "a value contains itself, which the receiver does not allow";
    /// MARSHAL: the values take more memory than `limits.memory` allows.
    TOO_MUCH_MEMORY = 13, Marshal, "the values take more memory than the receiver's setting limits.memory allows";
    /// TRANSIENT: no address of the reference accepts connections.
    CONNECT_FAILED = 32, Transient, "no address of the reference accepted a connection";
    /// TRANSIENT: all connections to the endpoint are in use
    /// (`client.max_connections_per_endpoint`) and none became free in time.
    CONNECTIONS_IN_USE = 33, Transient, "all connections to the endpoint are in use";
    /// COMM_FAILURE: the connection was lost before the reply came.
    CONNECTION_LOST = 34, CommFailure, "the connection was lost";
    /// COMM_FAILURE: the peer broke the rules of GIOP, or a limit.
    PROTOCOL_ERROR = 35, CommFailure, "the peer broke the rules of GIOP, or a limit of ours";
    /// TRANSIENT: the call was forwarded more often than `client.max_forwards` allows.
    TOO_MANY_FORWARDS = 36, Transient, "the call was forwarded too often";
    /// UNKNOWN: the servant panicked.
    SERVANT_PANICKED = 37, Unknown, "the servant panicked";
    /// TIMEOUT: the request left, and the reply did not come before the call's deadline.
    CALL_TIMED_OUT = 38, Timeout, "the reply did not come in time";
    /// TRANSIENT: too many oneways wait to be sent (`client.max_queued_oneways`,
    /// `client.max_queued_oneway_octets`).
    ONEWAYS_WAITING = 39, Transient, "too many oneways wait to be sent";
    /// TRANSIENT: as many connections are open as may be
    /// (`client.max_connections`), and all carry calls.
    TOO_MANY_CONNECTIONS = 40, Transient, "too many connections are open";
    /// BAD_OPERATION: the handle of an operation is of another interface than the
    /// object, or of no operation; the client calls by name.
    STALE_OPERATION_HANDLE = 41, BadOperation, "the operation's handle is not the object's";
    /// OBJECT_NOT_EXIST: the POA is there and has no active object with this id.
    OBJECT_NOT_ACTIVE = 42, ObjectNotExist, "no object with this id is active in its POA: it was deactivated, or \
        never activated";
    /// OBJECT_NOT_EXIST: the object key is not one that a POA of Taut makes, and no object is
    /// bound to it (`Orb::bind_object_key`).
    UNKNOWN_KEY = 43, ObjectNotExist, "the server knows no object under this object key";
    /// OBJECT_NOT_EXIST: the reference was made by a transient POA of another process.
    EARLIER_LIFE = 44, ObjectNotExist, "the reference was made by an earlier run of the server, or by another \
        server, and its POA is transient: a new reference is needed";
    /// OBJECT_NOT_EXIST: the reference of a persistent POA names another server
    /// (`server.id`).
    OTHER_SERVER = 45, ObjectNotExist, "the reference belongs to a server with another id: see the setting server.id";
    /// OBJECT_NOT_EXIST: an adapter activator was asked for a POA and made none.
    ACTIVATOR_REFUSED = 46, ObjectNotExist, "the POA is not there, and the adapter activator did not make it";
    /// OBJ_ADAPTER: the POA's manager is inactive. Only callers of the same process get it;
    /// others get OBJECT_NOT_EXIST with OMG minor 4. The standard has OMG minor 1 for it,
    /// which is also that of an adapter activator that failed.
    MANAGER_INACTIVE = 47, ObjAdapter, "the POA's manager has been deactivated, for good";
    /// IMP_LIMIT: the names of a POA and of its ancestors have more than 65,535 octets.
    POA_NAME_TOO_LONG = 48, ImpLimit, "the names of the POA and of those above it have more than 65,535 \
        octets";
    /// INV_OBJREF: the reference has no profile that can be read.
    MALFORMED_PROFILE = 49, InvObjref, "a profile of the reference is malformed";
    /// NO_RESOURCES: the system gave no thread.
    NO_THREAD = 50, NoResources, "the system gave no further thread: see `ulimit -u`";
    /// TIMEOUT: oneways were still waiting to be sent at the end of the time.
    ONEWAYS_UNSENT = 51, Timeout, "some oneways have not been sent in time";
    /// TIMEOUT: the request had not left in full at the call's deadline.
    NOT_SENT_IN_TIME = 52, Timeout, "the request could not be sent in time";
    /// NO_RESOURCES: every thread of the server's reactor waits in a servant for the
    /// reply to another call, and there may be no further one (`server.max_reactor_threads`).
    REACTOR_EXHAUSTED = 64, NoResources, "every thread that the setting server.max_reactor_threads allows waits \
        in a servant for another object";
    /// NO_RESOURCES: the process has no file descriptor left for a connection, and has no
    /// connection to spare.
    NO_DESCRIPTOR = 65, NoResources, "no file descriptor is left for a connection: raise the number of open \
        files that the process may have (ulimit -n), or lower client.max_connections";
    /// TRANSIENT: as many calls wait on a shared connection as may
    /// (`client.max_requests_in_flight`), and none ended in time.
    REQUESTS_IN_FLIGHT = 66, Transient, "as many calls wait on the shared connection as client.max_requests_in_flight \
        allows, and none ended within client.connection_wait";
    /// BAD_PARAM: user code may not send a service context with this id, which the ORB sends
    /// itself.
    RESERVED_SERVICE_CONTEXT = 67, BadParam, "a service context with this id is sent by the ORB alone";
    /// IMP_LIMIT: user code sends more service contexts, or longer ones, than
    /// `limits.lists.max_service_contexts` and `limits.lists.max_service_context_octets` allow.
    SERVICE_CONTEXT_LIMIT = 68, ImpLimit, "the service contexts of user code are more than limits.lists.max_service_contexts \
        allows, or one is longer than limits.lists.max_service_context_octets";
    /// INV_POLICY: one side speaks GIOP and the other GIOPlite.
    OTHER_MESSAGING_PROTOCOL = 69, InvPolicy, "one side speaks GIOP and the other GIOPlite: give -ORBgioplite to \
        both sides or to neither";
    /// REBIND: a server sends the call elsewhere, and its `RebindPolicy` forbids to go there.
    REBIND_FORBIDDEN = 84, Rebind, "the object is elsewhere, and the RebindPolicy of the call forbids to go there: \
        validate_connection binds the reference anew";
    /// REBIND: the connection has ended, and the `RebindPolicy` of the call forbids another.
    RECONNECT_FORBIDDEN = 85, Rebind, "the connection has ended, and the RebindPolicy of the call forbids another: \
        validate_connection opens one";
    /// INV_POLICY: the object cannot be reached by a protocol that the call's
    /// `ClientProtocolPolicy` names, and its `ProtocolFallbackPolicy` allows no other.
    NO_PREFERRED_PROTOCOL = 86, InvPolicy, "the object cannot be reached by a protocol that the call prefers, and \
        its ProtocolFallbackPolicy allows no other";
    /// TRANSIENT: as many requests are answered later as may be
    /// (`server.max_deferred_requests_per_connection`, `server.max_deferred_requests`).
    DEFERRED_REQUEST_LIMIT = 90, Transient, "as many requests wait for a later answer as server.max_deferred_requests \
        or server.max_deferred_requests_per_connection allows";
    /// UNKNOWN: the servant has let go of the responder of the request without an answer.
    RESPONDER_DROPPED = 91, Unknown, "the servant dropped the request's responder without an answer";
    /// TRANSIENT: as many calls are under way as may be whose replies go to reply handlers or
    /// are polled for (`client.max_ami_calls`).
    AMI_CALL_LIMIT = 92, Transient, "as many calls by sendc_... and sendp_... are under way as client.max_ami_calls allows";
    /// BAD_OPERATION: a poller's method is that of another operation than its call's.
    POLLED_OPERATION = 93, BadOperation, "the poller's call is one of another operation";
    /// NO_PERMISSION: the system does not allow the native priority that a thread is to have,
    /// and `real_time.without_rights` is `error`.
    NATIVE_PRIORITY_REFUSED = 100, NoPermission, "the system does not allow the native priority that the thread is to have";
    /// INV_POLICY: the priority of a call is in no band of its PriorityBandedConnectionPolicy.
    PRIORITY_IN_NO_BAND = 101, InvPolicy, "the priority of the call is in no band of its PriorityBandedConnectionPolicy";
    /// INITIALIZE: the thread has no priority yet.
    PRIORITY_NOT_SET = 102, Initialize, "the thread has no priority: set it first";
    /// BAD_PARAM: a number is no CORBA priority.
    PRIORITY_OUT_OF_RANGE = 103, BadParam, "a priority is from 0 to 32767";
    /// BAD_INV_ORDER: the ORB has no priorities.
    NOT_REAL_TIME = 104, BadInvOrder, "the ORB has no priorities: build it with OrbBuilder::real_time or -ORBRealTime yes";
    /// BAD_PARAM: the priority of an object, or of all objects of a POA, is in no band of the
    /// POA's PriorityBandedConnectionPolicy.
    OBJECT_PRIORITY_IN_NO_BAND = 105, BadParam, "the priority is in no band of the POA's PriorityBandedConnectionPolicy";
    /// BAD_PARAM: `_bind_priority_band` came without the service context
    /// RTCorbaPriorityRange.
    NO_PRIORITY_RANGE = 106, BadParam, "_bind_priority_band came without the service context RTCorbaPriorityRange";
    /// TIMEOUT: the deadline that the request tells had passed before its servant was called.
    REQUEST_EXPIRED = 115, Timeout, "the deadline of the request had passed before its servant was called";
    /// NO_RESOURCES: an admission policy admits no further client.
    CLIENT_NOT_ADMITTED = 116, NoResources, "the server's admission policy admits no further client";
    /// TRANSIENT: an admission policy refuses the request: its client is over its budget, or as
    /// many requests are in progress as may be.
    REQUEST_NOT_ADMITTED = 117, Transient, "the server's admission policy refuses the request: its client is over \
        its budget, or as many requests are in progress as may be";
    /// BAD_INV_ORDER: the POA is sealed, so that what it consists of does not change any more.
    ADAPTER_SEALED = 118, BadInvOrder, "the POA is sealed: its objects and children do not change any more";
    /// TRANSIENT: a predictable POA has no request wait for its manager.
    ADAPTER_NOT_ACTIVE = 119, Transient, "the POA is predictable and its manager is not active: no request waits \
        for it";
    /// BAD_INV_ORDER: a POA has an active object already, or a quality of service.
    QUALITY_TOO_LATE = 120, BadInvOrder, "the quality of service of a POA is set once, before its first object is \
        active";
    /// BAD_PARAM: the description of a thread pool contradicts itself.
    INVALID_THREADPOOL = 108, BadParam, "there can be no such thread pool: it has no lanes or no threads, two lanes \
        have one priority, or a buffer has no limit";
    /// IMP_LIMIT: a thread pool would have more threads than `real_time.max_threadpool_threads`.
    THREADPOOL_LIMIT = 109, ImpLimit, "the thread pool would have more threads than real_time.max_threadpool_threads \
        allows";
    /// INITIALIZE: a lane of a thread pool cannot listen at its endpoint.
    LANE_CANNOT_LISTEN = 110, Initialize, "a lane of the thread pool cannot listen at its endpoint";
    /// BAD_INV_ORDER: POAs are bound to the thread pool that is to be destroyed.
    THREADPOOL_IN_USE = 111, BadInvOrder, "POAs are bound to the thread pool: destroy them first";
    /// TRANSIENT: every thread of a lane has been at work for some time, and its pool has no
    /// buffer.
    THREADS_EXHAUSTED = 112, Transient, "every thread of the lane is at work, and its thread pool lets no requests \
        wait";
    /// TRANSIENT: as many requests wait in a lane as its pool's buffer has room for.
    REQUEST_BUFFER_FULL = 113, Transient, "as many requests wait in the lane as max_buffered_requests and \
        max_request_buffer_size of its thread pool allow";
    /// NO_RESOURCES: the system does not let the threads of a lane run on its CPUs, or the process
    /// lock its memory.
    REAL_TIME_RESOURCES = 114, NoResources, "the system does not let the threads of the lane run on the CPUs that it \
        names, or the process lock its memory (ulimit -l)";
    /// BAD_INV_ORDER: a thread gives back an `RtMutex` that it does not have.
    MUTEX_NOT_OWNED = 122, BadInvOrder, "the thread gives back a mutex that it does not have";
    /// BAD_INV_ORDER: an `RtMutex` cannot be waited for: the thread has it itself, a thread has
    /// ended with it, or it is to be destroyed while a thread has it.
    MUTEX_OWNED = 123, BadInvOrder, "the mutex does not become free: this thread has it, or a thread \
        has ended with it; or it is to be destroyed while a thread has it";
    /// OBJECT_NOT_EXIST: the `RtMutex` has been destroyed.
    MUTEX_DESTROYED = 124, ObjectNotExist, "the mutex has been destroyed";
    /// INV_POLICY: the connection cannot have an option that it is to have, and
    /// `wire.refused_options` says that it does not go without.
    CONNECTION_OPTION_REFUSED = 125, InvPolicy, "the connection cannot have an option that it is to have, and \
        wire.refused_options says that it does not go without";
    /// NO_PERMISSION: the naming service answers, and lets nobody change its names.
    NAMES_READ_ONLY = 128, NoPermission, "the naming service is read-only";
    /// NO_PERMISSION: the naming service lets no client at this address change its names.
    CHANGES_NOT_ALLOWED = 141, NoPermission, "the naming service lets nobody at the client's address \
        change its names (allow_changes_from)";
    /// NO_PERMISSION: the root context of a naming service cannot be destroyed.
    ROOT_CONTEXT = 129, NoPermission, "the root context of the naming service cannot be destroyed";
    /// IMP_LIMIT: a name has more components than the naming service allows, or one with more
    /// octets.
    NAME_LIMIT = 130, ImpLimit, "the name has more components than the naming service allows \
        (max_name_components), or one with more octets (max_component_octets)";
    /// IMP_LIMIT: the naming service has as many contexts as it may.
    CONTEXT_LIMIT = 131, ImpLimit, "the naming service has as many contexts as it may (max_contexts)";
    /// IMP_LIMIT: the naming service has as many bindings as it may.
    BINDING_LIMIT = 132, ImpLimit, "the naming service has as many bindings as it may (max_bindings)";
    /// IMP_LIMIT: the reference is longer than the naming service allows.
    REFERENCE_LIMIT = 133, ImpLimit, "the reference is longer than the naming service allows \
        (max_reference_octets)";
    /// PERSIST_STORE: the naming service cannot read or write its store.
    NAME_STORE_FAILED = 134, PersistStore, "the naming service cannot read or write its store";
    /// OBJECT_NOT_EXIST: the naming context has been destroyed, or is one of another store.
    CONTEXT_DESTROYED = 135, ObjectNotExist, "the naming context has been destroyed, or was made \
        by a naming service with another store";
    /// OBJECT_NOT_EXIST: the binding iterator has been destroyed, by a client or by the service.
    ITERATOR_ENDED = 136, ObjectNotExist, "the binding iterator has been destroyed, was not used \
        for iterator_timeout, or has given way to newer ones (max_iterators)";
    /// TRANSIENT: the naming service cannot reach the store that it shares with other replicas.
    NAME_STORE_UNREACHABLE = 137, Transient, "the naming service cannot reach its store in etcd, \
        and has changed nothing";
    /// PERSIST_STORE: the naming service does not know whether a change is in the store.
    NAME_CHANGE_UNKNOWN = 138, PersistStore, "the naming service has lost its store in etcd in \
        the midst of the change, and does not know whether it is done";
    /// IMP_LIMIT: the naming service has as many leases as it may.
    LEASE_LIMIT = 139, ImpLimit, "the naming service has as many leases as it may (max_leases)";
    /// IMP_LIMIT: a limit of the interface repository is reached.
    REPOSITORY_LIMIT = 149, ImpLimit, "the interface repository has as many definitions as it may (max_definitions), \
        a name or id is too long (max_name_octets), or definitions nest too deeply (max_nesting)";
    /// PERSIST_STORE: the interface repository cannot write its store.
    REPOSITORY_STORE_FAILED = 150, PersistStore, "the interface repository cannot write its store";
    /// NO_PERMISSION: the interface repository answers, and lets nobody change its definitions.
    REPOSITORY_READ_ONLY = 151, NoPermission, "the interface repository is read-only";
    /// BAD_PARAM: a definition cannot be what an operation of the interface repository says.
    INCOHERENT_DEFINITION = 152, BadParam, "the definition would be incoherent: it refers to none or to one of \
        another repository, to one of a kind that cannot stand there, or to itself";
}

static OMG_MEANINGS: Meanings = meanings! {
    Unknown 1 "an exception that the operation does not declare";
    Unknown 2 "a system exception that the receiver does not know";
    Unknown 3 "a user exception that an interceptor does not know";

    BadParam 1 "a value factory could not be registered";
    BadParam 2 "the repository id already exists in the interface repository";
    BadParam 3 "the name is already used in the interface repository";
    BadParam 4 "the target is not a valid container";
    BadParam 5 "the name clashes with an inherited one";
    BadParam 6 "wrong type for an abstract interface";
    BadParam 7 "the URL's scheme is not known";
    BadParam 8 "the URL's address is malformed";
    BadParam 9 "the scheme-specific part of the URL is malformed";
    BadParam 10 "the URL is malformed";
    BadParam 11 "an abstract interface has a base that is not abstract";
    BadParam 12 "a value type supports more than one concrete interface";
    BadParam 13 "a TypeCode is incomplete";
    BadParam 14 "the object id is not valid for this object adapter";
    BadParam 15 "a TypeCode's name is not valid";
    BadParam 16 "a TypeCode's repository id is not valid";
    BadParam 17 "the name of a TypeCode's member is not valid";
    BadParam 18 "a union has the same label twice";
    BadParam 19 "a union's label has not the discriminator's type";
    BadParam 20 "a union's discriminator has no type that it may have";
    BadParam 21 "the Any passed to set_exception holds no exception";
    BadParam 22 "a user exception is not listed for the operation";
    BadParam 23 "wide characters were sent although no code set is agreed for them";
    BadParam 24 "the service context is not one that can be asked for";
    BadParam 25 "an enum's value is out of range";
    BadParam 26 "there is no service context with this id";
    BadParam 27 "a nil reference cannot be an initial reference";
    BadParam 28 "there is no component with this id";
    BadParam 29 "there is no profile with this id";
    BadParam 30 "a policy type is given twice";
    BadParam 31 "a oneway operation has results";
    BadParam 32 "the dynamic invocation interface cannot call an implicit operation";
    BadParam 34 "a union's modifier was given a discriminator of another member";
    BadParam 35 "the name of an IDL context's property is not valid";
    BadParam 36 "the pattern for an IDL context's properties is not valid";
    BadParam 37 "an IDL context's name is not valid";
    BadParam 38 "the IDL context is not empty";
    BadParam 39 "the stream format of a custom RMI value is not supported";
    BadParam 40 "the ORB's output stream cannot write custom RMI values";
    BadParam 41 "the ORB's input stream cannot read custom RMI values";
    BadParam 43 "the pollable is already in a set";
    BadParam 44 "the compression level is not valid";

    BadInvOrder 1 "the interface repository's object has dependents";
    BadInvOrder 2 "the interface repository's object cannot be destroyed";
    BadInvOrder 3 "the call would wait for itself";
    BadInvOrder 4 "the ORB has been shut down";
    BadInvOrder 5 "the Request has already been sent once";
    BadInvOrder 6 "a servant manager has already been set";
    BadInvOrder 7 "ServerRequest: arguments was called out of order";
    BadInvOrder 8 "ServerRequest: ctx was called out of order";
    BadInvOrder 9 "ServerRequest: set_result or set_exception was called out of order";
    BadInvOrder 10 "the Request has already been sent";
    BadInvOrder 11 "the Request has not been sent";
    BadInvOrder 12 "the Request's result has already been read";
    BadInvOrder 13 "the Request was sent synchronously";
    BadInvOrder 14 "not to be called at this interception point";
    BadInvOrder 15 "a service context with this id already exists";
    BadInvOrder 16 "a policy factory for this type already exists";
    BadInvOrder 17 "the POA is being destroyed";
    BadInvOrder 18 "the object already has another priority";
    BadInvOrder 19 "XA: the resource manager has work outside of the transaction";
    BadInvOrder 20 "XA: a routine was called in the wrong context";
    BadInvOrder 22 "the poller is in use";

    ObjAdapter 1 "an adapter activator failed";
    ObjAdapter 2 "the servant has not the type that was expected";
    ObjAdapter 3 "no default servant has been set";
    ObjAdapter 4 "no servant manager has been set, or one of the wrong kind";
    ObjAdapter 5 "a servant activator broke a policy of the POA";
    ObjAdapter 6 "an interceptor failed when the POA's components were established";
    ObjAdapter 7 "a servant manager returned no servant";

    ObjectNotExist 1 "a value that is no active object was passed as one";
    ObjectNotExist 2 "the POA could not be found or created";
    ObjectNotExist 4 "the POA's manager has been deactivated, for good";
    ObjectNotExist 5 "the poller's reply has already been taken";

    Transient 1 "the POA's manager discards requests at the moment, or holds as many as may wait";
    Transient 2 "no usable profile in the reference";
    Transient 3 "the request was cancelled";
    Transient 4 "the POA has been destroyed";

    Marshal 1 "no factory for a value type";
    Marshal 2 "ServerRequest: set_result was called before ctx";
    Marshal 3 "the NVList has not the arguments of the request";
    Marshal 4 "a local object cannot be sent";
    Marshal 5 "wide characters cannot be sent in a request of GIOP 1.0";
    Marshal 6 "wide characters cannot be sent in a reply of GIOP 1.0";
    Marshal 7 "a custom value's stream format is not known";
    Marshal 8 "a custom value's optional data is missing";

    NoImplement 1 "no implementation of the value type";
    NoImplement 2 "the implementation of the value type has an incompatible version";
    NoImplement 3 "no usable profile in the reference";
    NoImplement 4 "a local object cannot be called dynamically";
    NoImplement 8 "the operation does not exist for local objects";

    BadOperation 1 "the servant has not the type that was expected";
    BadOperation 2 "the object has no such operation or attribute";

    BadTypecode 1 "the TypeCode is incomplete";
    BadTypecode 2 "a member has a TypeCode that it cannot have";
    BadTypecode 3 "a parameter has a TypeCode that it cannot have";

    DataConversion 1 "a character does not exist in the code set";
    DataConversion 2 "a priority could not be mapped";

    Initialize 1 "the priority range is too narrow";
    ImpLimit 1 "no usable profile in the reference";
    InvObjref 1 "the reference does not support wide characters";
    InvObjref 2 "the reference names no code set for wide characters";
    InvPolicy 1 "the policies of the reference and of the client do not agree";
    InvPolicy 2 "the policy type is not valid here";
    InvPolicy 3 "no policy factory for this type";
    NoResources 1 "the information is not available to interceptors in this language";
    NoResources 2 "no connection for the priority of the request";
    IntfRepos 1 "there is no interface repository";
    IntfRepos 2 "the interface repository has no entry for this object";
    NoResponse 1 "the reply is not there yet";
    Timeout 1 "the reply did not come within the poller's time";
    CodesetIncompatible 1 "client and server have no code set in common";
    CodesetIncompatible 2 "the code set that the client chose is not supported";
    BadContext 1 "there is no such IDL context";
    BadContext 2 "no property of the IDL context matches";
};
