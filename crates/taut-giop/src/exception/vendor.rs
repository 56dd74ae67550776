//! Minor codes that other vendors assigned: what theirs mean that travel, or
//! that their clients show.

use super::SystemExceptionKind as Kind;

/// TAO puts two numbers into its codes: bits 7 to 11 tell where in the ORB the
/// exception was raised, bits 0 to 6 which error the system reported.
const TAO_LOCATION_SHIFT: u32 = 7;
const TAO_ERROR_MASK: u32 = 0x7f;

/// Where TAO raised the exception.
pub(super) const fn tao_location(code: u32) -> Option<&'static str> {
    Some(match code >> TAO_LOCATION_SHIFT {
        0x01 => "while following a forwarded reference",
        0x02 => "while sending a request",
        0x03 => "the POA manager discards requests",
        0x04 => "the POA manager holds requests",
        0x05 => "the servant raised what is no CORBA exception",
        0x06 => "while waiting for a reply",
        0x07 => "no protocol of the reference can be used",
        0x08 => "the profiles of a reference could not be made",
        0x09 => "connecting took too long",
        0x0a => "sending took too long",
        0x0b => "the reply did not come in time",
        0x0c => "while asking the implementation repository",
        0x0d => "an endpoint could not be opened",
        0x0e => "while initialising the ORB",
        0x0f => "a policy has not the type that was expected",
        0x10 => "a lock could not be taken",
        0x11 => "the POA is being destroyed",
        0x12 => "the POA is inactive",
        0x13 => "the connectors could not be initialised",
        0x14 => "an asynchronous method handler broke the rules of its reply",
        0x15 => "a real-time thread could not be created",
        _ => return None,
    })
}

/// Which error of the system TAO met, by the name that C gives it.
pub(super) const fn tao_error(code: u32) -> Option<&'static str> {
    Some(match code & TAO_ERROR_MASK {
        0x01 => "ETIMEDOUT",
        0x02 => "ENFILE",
        0x03 => "EMFILE",
        0x04 => "EPIPE",
        0x05 => "ECONNREFUSED",
        0x06 => "ENOENT",
        0x07 => "EBADF",
        0x08 => "ENOSYS",
        0x09 => "EPERM",
        0x0a => "EAFNOSUPPORT",
        0x0b => "EAGAIN",
        0x0c => "ENOMEM",
        0x0d => "EACCES",
        0x0e => "EFAULT",
        0x0f => "EBUSY",
        0x10 => "EEXIST",
        0x11 => "EINVAL",
        0x12 => "ECOMM",
        0x13 => "ECONNRESET",
        0x14 => "ENOTSUP",
        _ => return None,
    })
}

/// omniORB's codes. They are unique over all exceptions but for 8, the call
/// that took too long.
pub(super) const fn omniorb(kind: Kind, code: u32) -> Option<&'static str> {
    Some(match (kind, code) {
        (Kind::Unknown, 98) => "a servant in Python raised what is no CORBA exception",
        (Kind::Unknown, 123) => "a thread failed inside the call",

        (Kind::Transient, 1) => "the call failed at the place it was forwarded to",
        (Kind::Transient, 2) => "no connection could be made",
        (Kind::Transient | Kind::Timeout, 8) => "the call took too long",
        (Kind::Transient, 14) => "the bidirectional connection is gone",
        (Kind::Transient, 16) => "a bidirectional connection is used where no POA allows it",
        (Kind::Transient, 17) => "the connection was closed",
        (Kind::Transient, 62) => "the object was deactivated while its POA held requests",
        (Kind::Transient, 106) => "an exception of Python's inside the ORB",
        (Kind::Timeout, 124) => "the call took too long on the server",

        (Kind::CommFailure, 3) => "the connection was lost while arguments were sent",
        (Kind::CommFailure, 4) => "the connection was lost while arguments were received",
        (Kind::CommFailure, 5) => "the connection was lost while results were sent",
        (Kind::CommFailure, 6) => "the connection was lost while results were received",
        (Kind::CommFailure, 7) => "the connection was lost while the reply was waited for",

        (Kind::Marshal, 9) => "a length does not agree with what follows",
        (Kind::Marshal, 10) => "the message ends before its last value does",
        (Kind::Marshal, 11) => "the message is larger than the client's limit (giopMaxMsgSize)",
        (Kind::Marshal, 12) => "the message is larger than the server's limit (giopMaxMsgSize)",
        (Kind::Marshal, 69) => "the message is larger than the limit (giopMaxMsgSize)",
        (Kind::Marshal, 18) => "a sequence is longer than its bound",
        (Kind::Marshal, 19) => "a string is longer than its bound",
        (Kind::Marshal, 20) => "a wide string is longer than its bound",
        (Kind::Marshal, 22) => "a string does not end in NUL",
        (Kind::Marshal, 26) => "an enum has no enumerator with the ordinal found",
        (Kind::Marshal, 28) => "a buffer that is only to be read was written to",
        (Kind::Marshal, 42) => "a fixed-point number is malformed",
        (Kind::Marshal, 47) => "a wide character has a wrong size",
        (Kind::Marshal, 52) => "a reference is malformed",
        (Kind::Marshal, 67) => "an exception of a dynamic skeleton was not passed on",
        (Kind::Marshal, 79) => "the list of an IDL context is malformed",
        (Kind::Marshal, 90) => "an indirection leads to nothing",
        (Kind::Marshal, 91) => "a TypeCode has an unknown kind",
        (Kind::Marshal, 93) => "the message is too long",
        (Kind::Marshal, 110) => "there is no room for the output",
        (Kind::Marshal, 111) => "the chunks of a value are malformed",
        (Kind::Marshal, 112) => "a value's tag is malformed",
        (Kind::Marshal, 113) => "a value has no repository id",
        (Kind::Marshal, 114) => "the type is no value type",
        (Kind::Marshal, 128) => "compressed data are malformed",

        (Kind::InvObjref, 23) => "a pseudo-object cannot be called remotely",
        (Kind::InvObjref, 48) => "the reference is nil",
        (Kind::InvObjref, 54) => "the reference is malformed",
        (Kind::InvObjref, 55) => "the object has not the interface that was expected",
        (Kind::InvObjref, 104) => "Python has no type for the pseudo-object",
        (Kind::InvObjref, 117) => "the servant of a local shortcut was deactivated",
        (Kind::InvObjref, 125) => "the reply handler has another interface",
        (Kind::InvObjref, 129) => "the pseudo-object is not valid",
        (Kind::InvObjref, 130) => "the reference's version of GIOP cannot do this",

        (Kind::BadOperation, 38) => "the object has no such operation or attribute",
        (Kind::BadOperation, 126) => "the poller is of another operation",

        (Kind::ObjectNotExist | Kind::ObjAdapter, 33 | 34) => "the BOA is not initialised",
        (Kind::ObjectNotExist | Kind::ObjAdapter, 53 | 58) => "there is no POA, or not this one",
        (Kind::ObjectNotExist, 102) => "the DynAny was destroyed",
        (Kind::ObjAdapter, 15) => "bidirectional calls are not allowed",
        (Kind::ObjAdapter, 63) => "the servant is already active",
        (Kind::ObjAdapter, 97) => "the servant has not the interface of the object",

        (Kind::BadInvOrder, 24) => "no code set is agreed yet",
        (Kind::BadInvOrder, 65) => "ServerRequest: arguments was not called",
        (Kind::BadInvOrder, 66) => "a dynamic skeleton failed",
        (Kind::BadInvOrder, 86) => "the Request was set up out of order",
        (Kind::BadInvOrder, 103) => "the DynAny is not initialised",
        (Kind::BadInvOrder, 120) => "the ORB is not initialised",

        (Kind::BadParam, 21) => "an index is out of range",
        (Kind::BadParam, 27) => "a union's discriminator selects no member",
        (Kind::BadParam, 35) => "the servant is not valid",
        (Kind::BadParam, 37) => "a pseudo-object cannot be sent",
        (Kind::BadParam, 43) => "the reference is not valid",
        (Kind::BadParam, 46) => "a wide character is out of range",
        (Kind::BadParam, 57) => "a string is a null pointer",
        (Kind::BadParam, 59) => "the POA's name is not valid",
        (Kind::BadParam, 61) => "the object id is not one that the system made",
        (Kind::BadParam, 70) => "the TypeCode is not valid",
        (Kind::BadParam, 88) => "a value of Python's has another type",
        (Kind::BadParam, 95) => "a number of Python's is out of range",
        (Kind::BadParam, 96) => "a string of Python's contains NUL",
        (Kind::BadParam, 100) => "a string is longer than its bound",
        (Kind::BadParam, 101) => "a sequence is longer than its bound",
        (Kind::BadParam, 107) => "another member of the union is selected",
        (Kind::BadParam, 109) => "a fixed-point type has wrong limits",
        (Kind::BadParam, 115) => "an abstract value cannot be sent",

        (Kind::BadTypecode, 71) => "the TypeCode is nil",
        (Kind::BadTypecode, 89) => "the TypeCode's kind does not have this",
        (Kind::BadTypecode, 94) => "the TypeCode has an unknown kind",
        (Kind::BadTypecode, 105) => "the TypeCode is incomplete",
        (Kind::BadTypecode, 108) => "an indirection leads to nothing",
        (Kind::BadTypecode, 116) => "the TypeCodes are not equivalent",

        (Kind::DataConversion, 40) => "a number is out of range",
        (Kind::DataConversion, 41) => "the data cannot be converted",
        (Kind::IntfRepos, 39) => "there is no interface repository",
        (Kind::IntfRepos, 68) => "a dynamic skeleton names no interface",
        (Kind::BadContext, 75) => "no property of the IDL context matches",
        (Kind::BadContext, 76) => "the IDL context has no such scope",
        (Kind::NoMemory, 121) => "memory is exhausted",
        (Kind::NoImplement, 36) => "not supported",
        (Kind::NoImplement, 99) => "the servant in Python has no such method",

        (Kind::Initialize, 13) => "a transport could not be initialised",
        (Kind::Initialize, 30) => "an argument of ORB_init is not valid",
        (Kind::Initialize, 31) => "the BOA could not be initialised",
        (Kind::Initialize, 32) => "the POA could not be initialised",
        (Kind::Initialize, 44) => "the ORB could not be initialised",
        (Kind::Initialize, 45) => "a library could not be loaded",
        (Kind::Initialize, 50) => "the configuration file is faulty",
        (Kind::Initialize, 56) => "the thread is not one of omnithread's",
        (Kind::Initialize, 118) => "the log file cannot be opened",
        (Kind::Initialize, 119) => "an endpoint could not be published",
        _ => return None,
    })
}

/// JacORB's codes: those of security (CSIv2), in NO_PERMISSION. In all other exceptions
/// it uses the standard's, or 0.
pub(super) const fn jacorb(kind: Kind, code: u32) -> Option<&'static str> {
    Some(match (kind, code) {
        (Kind::NoPermission, 1) => "security (CSIv2): the client side failed",
        (Kind::NoPermission, 2) => {
            "security (CSIv2): authorisation tokens (ATLAS) could not be had"
        }
        (Kind::NoPermission, 3) => "security (CSIv2): the server side failed",
        _ => return None,
    })
}
