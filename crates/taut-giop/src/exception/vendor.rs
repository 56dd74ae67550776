//! Minor codes that other vendors assigned: what theirs mean that travel, or
//! that their clients show.

use super::meanings::{Meanings, meanings};

/// TAO puts two numbers into its codes: bits 7 to 11 tell where in the ORB the
/// exception was raised, bits 0 to 6 which error the system reported.
const TAO_LOCATION_SHIFT: u32 = 7;
const TAO_ERROR_MASK: u32 = 0x7f;

/// Where TAO raised the exception.
pub(super) fn tao_location(code: u32) -> Option<&'static str> {
    numbered(TAO_LOCATIONS, code >> TAO_LOCATION_SHIFT)
}

/// In the order of their numbers, from 1.
const TAO_LOCATIONS: &str = "\
while following a forwarded reference
while sending a request
the POA manager discards requests
the POA manager holds requests
the servant raised what is no CORBA exception
while waiting for a reply
no protocol of the reference can be used
the profiles of a reference could not be made
connecting took too long
sending took too long
the reply did not come in time
while asking the implementation repository
an endpoint could not be opened
while initialising the ORB
a policy has not the type that was expected
a lock could not be taken
the POA is being destroyed
the POA is inactive
the connectors could not be initialised
an asynchronous method handler broke the rules of its reply
a real-time thread could not be created";

/// Which error of the system TAO met, by the name that C gives it.
pub(super) fn tao_error(code: u32) -> Option<&'static str> {
    numbered(TAO_ERRORS, code & TAO_ERROR_MASK)
}

/// In the order of their numbers, from 1.
const TAO_ERRORS: &str = "\
ETIMEDOUT
ENFILE
EMFILE
EPIPE
ECONNREFUSED
ENOENT
EBADF
ENOSYS
EPERM
EAFNOSUPPORT
EAGAIN
ENOMEM
EACCES
EFAULT
EBUSY
EEXIST
EINVAL
ECOMM
ECONNRESET
ENOTSUP";

/// The line with this number, of which the first is 1.
fn numbered(lines: &'static str, number: u32) -> Option<&'static str> {
    let before = usize::try_from(number).ok()?.checked_sub(1)?;
    lines.lines().nth(before)
}

/// omniORB's codes. They are unique over all exceptions but for 8, the call
/// that took too long.
pub(super) static OMNIORB: Meanings = meanings! {
    Unknown 98 "a servant in Python raised what is no CORBA exception";
    Unknown 123 "a thread failed inside the call";

    Transient 1 "the call failed at the place it was forwarded to";
    Transient 2 "no connection could be made";
    Transient 8 "the call took too long";
    Timeout 8 "the call took too long";
    Transient 14 "the bidirectional connection is gone";
    Transient 16 "a bidirectional connection is used where no POA allows it";
    Transient 17 "the connection was closed";
    Transient 62 "the object was deactivated while its POA held requests";
    Transient 106 "an exception of Python's inside the ORB";
    Timeout 124 "the call took too long on the server";

    CommFailure 3 "the connection was lost while arguments were sent";
    CommFailure 4 "the connection was lost while arguments were received";
    CommFailure 5 "the connection was lost while results were sent";
    CommFailure 6 "the connection was lost while results were received";
    CommFailure 7 "the connection was lost while the reply was waited for";

    Marshal 9 "a length does not agree with what follows";
    Marshal 10 "the message ends before its last value does";
    Marshal 11 "the message is larger than the client's limit (giopMaxMsgSize)";
    Marshal 12 "the message is larger than the server's limit (giopMaxMsgSize)";
    Marshal 69 "the message is larger than the limit (giopMaxMsgSize)";
    Marshal 18 "a sequence is longer than its bound";
    Marshal 19 "a string is longer than its bound";
    Marshal 20 "a wide string is longer than its bound";
    Marshal 22 "a string does not end in NUL";
    Marshal 26 "an enum has no enumerator with the ordinal found";
    Marshal 28 "a buffer that is only to be read was written to";
    Marshal 42 "a fixed-point number is malformed";
    Marshal 47 "a wide character has a wrong size";
    Marshal 52 "a reference is malformed";
    Marshal 67 "an exception of a dynamic skeleton was not passed on";
    Marshal 79 "the list of an IDL context is malformed";
    Marshal 90 "an indirection leads to nothing";
    Marshal 91 "a TypeCode has an unknown kind";
    Marshal 93 "the message is too long";
    Marshal 110 "there is no room for the output";
    Marshal 111 "the chunks of a value are malformed";
    Marshal 112 "a value's tag is malformed";
    Marshal 113 "a value has no repository id";
    Marshal 114 "the type is no value type";
    Marshal 128 "compressed data are malformed";

    InvObjref 23 "a pseudo-object cannot be called remotely";
    InvObjref 48 "the reference is nil";
    InvObjref 54 "the reference is malformed";
    InvObjref 55 "the object has not the interface that was expected";
    InvObjref 104 "Python has no type for the pseudo-object";
    InvObjref 117 "the servant of a local shortcut was deactivated";
    InvObjref 125 "the reply handler has another interface";
    InvObjref 129 "the pseudo-object is not valid";
    InvObjref 130 "the reference's version of GIOP cannot do this";

    BadOperation 38 "the object has no such operation or attribute";
    BadOperation 126 "the poller is of another operation";

    ObjectNotExist 33 "the BOA is not initialised";
    ObjectNotExist 34 "the BOA is not initialised";
    ObjAdapter 33 "the BOA is not initialised";
    ObjAdapter 34 "the BOA is not initialised";
    ObjectNotExist 53 "there is no POA, or not this one";
    ObjectNotExist 58 "there is no POA, or not this one";
    ObjAdapter 53 "there is no POA, or not this one";
    ObjAdapter 58 "there is no POA, or not this one";
    ObjectNotExist 102 "the DynAny was destroyed";
    ObjAdapter 15 "bidirectional calls are not allowed";
    ObjAdapter 63 "the servant is already active";
    ObjAdapter 97 "the servant has not the interface of the object";

    BadInvOrder 24 "no code set is agreed yet";
    BadInvOrder 65 "ServerRequest: arguments was not called";
    BadInvOrder 66 "a dynamic skeleton failed";
    BadInvOrder 86 "the Request was set up out of order";
    BadInvOrder 103 "the DynAny is not initialised";
    BadInvOrder 120 "the ORB is not initialised";

    BadParam 21 "an index is out of range";
    BadParam 27 "a union's discriminator selects no member";
    BadParam 35 "the servant is not valid";
    BadParam 37 "a pseudo-object cannot be sent";
    BadParam 43 "the reference is not valid";
    BadParam 46 "a wide character is out of range";
    BadParam 57 "a string is a null pointer";
    BadParam 59 "the POA's name is not valid";
    BadParam 61 "the object id is not one that the system made";
    BadParam 70 "the TypeCode is not valid";
    BadParam 88 "a value of Python's has another type";
    BadParam 95 "a number of Python's is out of range";
    BadParam 96 "a string of Python's contains NUL";
    BadParam 100 "a string is longer than its bound";
    BadParam 101 "a sequence is longer than its bound";
    BadParam 107 "another member of the union is selected";
    BadParam 109 "a fixed-point type has wrong limits";
    BadParam 115 "an abstract value cannot be sent";

    BadTypecode 71 "the TypeCode is nil";
    BadTypecode 89 "the TypeCode's kind does not have this";
    BadTypecode 94 "the TypeCode has an unknown kind";
    BadTypecode 105 "the TypeCode is incomplete";
    BadTypecode 108 "an indirection leads to nothing";
    BadTypecode 116 "the TypeCodes are not equivalent";

    DataConversion 40 "a number is out of range";
    DataConversion 41 "the data cannot be converted";
    IntfRepos 39 "there is no interface repository";
    IntfRepos 68 "a dynamic skeleton names no interface";
    BadContext 75 "no property of the IDL context matches";
    BadContext 76 "the IDL context has no such scope";
    NoMemory 121 "memory is exhausted";
    NoImplement 36 "not supported";
    NoImplement 99 "the servant in Python has no such method";

    Initialize 13 "a transport could not be initialised";
    Initialize 30 "an argument of ORB_init is not valid";
    Initialize 31 "the BOA could not be initialised";
    Initialize 32 "the POA could not be initialised";
    Initialize 44 "the ORB could not be initialised";
    Initialize 45 "a library could not be loaded";
    Initialize 50 "the configuration file is faulty";
    Initialize 56 "the thread is not one of omnithread's";
    Initialize 118 "the log file cannot be opened";
    Initialize 119 "an endpoint could not be published";
};

/// JacORB's codes: those of security (CSIv2), in NO_PERMISSION. In all other exceptions
/// it uses the standard's, or 0.
pub(super) static JACORB: Meanings = meanings! {
    NoPermission 1 "security (CSIv2): the client side failed";
    NoPermission 2 "security (CSIv2): authorisation tokens (ATLAS) could not be had";
    NoPermission 3 "security (CSIv2): the server side failed";
};
