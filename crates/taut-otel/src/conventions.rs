//! Names of attributes, spans and metrics: OpenTelemetry's semantic conventions for remote
//! procedure calls, and those of Taut where they have none.

/// The system of a call: [`CORBA`].
pub const RPC_SYSTEM_NAME: &str = "rpc.system.name";
/// The same, as the conventions had it until 1.37; spans have both.
pub const RPC_SYSTEM: &str = "rpc.system";
/// The value of [`RPC_SYSTEM_NAME`].
pub const CORBA: &str = "corba";
/// The interface and the operation, such as `Shop/Warehouse/stock`; [`OTHER`] on a server that
/// does not know the operation or the object.
pub const RPC_METHOD: &str = "rpc.method";
/// The operation that a client has named, where [`RPC_METHOD`] is [`OTHER`].
pub const RPC_METHOD_ORIGINAL: &str = "rpc.method_original";
/// The [`RPC_METHOD`] of all operations that a server does not know.
pub const OTHER: &str = "_OTHER";
/// The repository id of the exception that ended the call, [`CANCELLED`] or [`GIVEN_UP`].
pub const ERROR_TYPE: &str = "error.type";
/// The [`ERROR_TYPE`] of a call of which the caller has let go.
pub const CANCELLED: &str = "cancelled";
/// The [`ERROR_TYPE`] of a call that was to be sent again and was not, such as one that was
/// forwarded too often.
pub const GIVEN_UP: &str = "given_up";
/// The host, or the path of the socket, that a client calls.
pub const SERVER_ADDRESS: &str = "server.address";
/// The port that a client calls.
pub const SERVER_PORT: &str = "server.port";
/// The repository id of the interface.
pub const CORBA_INTERFACE: &str = "corba.interface";
/// The minor code of the system exception that ended the call.
pub const CORBA_MINOR: &str = "corba.exception.minor";
/// Whether the operation had been carried out when the system exception was raised:
/// `COMPLETED_YES`, `COMPLETED_NO` or `COMPLETED_MAYBE`.
pub const CORBA_COMPLETED: &str = "corba.exception.completed";
/// Whether the call was a oneway that does not wait for its target.
pub const CORBA_ONEWAY: &str = "corba.oneway";

/// The event of an attempt of a call: its attribute [`CORBA_ATTEMPT`] counts from 1.
pub const ATTEMPT: &str = "attempt";
/// The number of an attempt.
pub const CORBA_ATTEMPT: &str = "corba.attempt";
/// The event of a call that goes to another object now.
pub const FORWARDED: &str = "forwarded";
/// The event of a call that is sent again, for it certainly was not executed.
pub const SENT_AGAIN: &str = "sent again";
/// The event of a trace context that could not be sent, or was not understood; its attribute
/// `error` tells why.
pub const CONTEXT_LOST: &str = "trace context lost";
/// The event of an exception.
pub const EXCEPTION: &str = "exception";
/// The attribute of [`EXCEPTION`] with the repository id.
pub const EXCEPTION_TYPE: &str = "exception.type";
/// The attribute of [`EXCEPTION`] with a text.
pub const EXCEPTION_MESSAGE: &str = "exception.message";

/// The histogram of the durations of calls, in seconds.
pub const CLIENT_DURATION: &str = "rpc.client.call.duration";
/// The histogram of the durations of requests, in seconds.
pub const SERVER_DURATION: &str = "rpc.server.call.duration";
/// The counter of calls that ended with an exception.
pub const CLIENT_EXCEPTIONS: &str = "corba.client.exceptions";
/// The counter of requests that ended with an exception.
pub const SERVER_EXCEPTIONS: &str = "corba.server.exceptions";

/// Returns the value of [`RPC_METHOD`] for an operation of the interface with this repository
/// id; of the operation alone where the interface is not known.
pub fn method(interface: &str, operation: &str) -> String {
    // `IDL:` path `:` version.
    let path = interface.strip_prefix("IDL:").unwrap_or(interface);
    let path = path.rsplit_once(':').map_or(path, |(path, _)| path);
    match path {
        "" => operation.to_owned(),
        path => format!("{path}/{operation}"),
    }
}

#[cfg(test)]
mod tests {
    use super::method;

    #[test]
    fn a_method_is_the_path_of_the_interface_and_the_operation() {
        for (interface, expected) in [
            ("IDL:Shop/Warehouse:1.0", "Shop/Warehouse/stock"),
            (
                "IDL:omg.org/CosNaming/NamingContext:1.0",
                "omg.org/CosNaming/NamingContext/stock",
            ),
            ("RMI:shop.Warehouse:0001", "RMI:shop.Warehouse/stock"),
            ("", "stock"),
        ] {
            assert_eq!(method(interface, "stock"), expected);
        }
    }
}
