//! The kinds of system exception.

use core::fmt;

/// The octets before the name in a repository id.
const PREFIX: &str = "IDL:omg.org/CORBA/";

/// The octets behind the name.
const SUFFIX: &str = ":1.0";

/// Where the repository ids of names with these lengths end, behind a 0.
const fn ends<const N: usize, const M: usize>(lengths: &[usize; N]) -> [u16; M] {
    let mut ends = [0; M];
    let mut index = 0;
    while index < N {
        let length = PREFIX.len() + lengths[index] + SUFFIX.len();
        ends[index + 1] = ends[index] + length as u16;
        index += 1;
    }
    ends
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal;)*) => {
        /// Which system exception it is (CORBA 3.3 part 1, annex A).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum SystemExceptionKind {
            $($(#[$doc])* $variant,)*
        }

        impl SystemExceptionKind {
            /// Every kind.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The standard's name, such as `TRANSIENT`.
            pub const fn name(self) -> &'static str {
                let (_, name) = self.repository_id().split_at(PREFIX.len());
                name.split_at(name.len() - SUFFIX.len()).0
            }

            /// The repository id, such as `IDL:omg.org/CORBA/TRANSIENT:1.0`.
            pub const fn repository_id(self) -> &'static str {
                let (begin, end) = (ENDS[self as usize], ENDS[self as usize + 1]);
                let (_, id) = REPOSITORY_IDS.split_at(end as usize).0.split_at(begin as usize);
                id
            }
        }

        /// All of them, one behind the other, so that a program has no pointer to each.
        const REPOSITORY_IDS: &str = concat!($("IDL:omg.org/CORBA/", $name, ":1.0",)*);

        /// Where each ends among these, behind a 0.
        const ENDS: [u16; SystemExceptionKind::ALL.len() + 1] = ends(&[$($name.len(),)*]);
    };
}

kinds! {
    /// An exception that the ORB does not know, or a servant that failed.
    Unknown = "UNKNOWN";
    /// An invalid argument.
    BadParam = "BAD_PARAM";
    /// Memory is exhausted.
    NoMemory = "NO_MEMORY";
    /// A limit of the implementation is exceeded.
    ImpLimit = "IMP_LIMIT";
    /// Communication failed after the request was sent.
    CommFailure = "COMM_FAILURE";
    /// An object reference is malformed.
    InvObjref = "INV_OBJREF";
    /// The caller has no permission.
    NoPermission = "NO_PERMISSION";
    /// An internal error of the ORB.
    Internal = "INTERNAL";
    /// A request or reply is malformed.
    Marshal = "MARSHAL";
    /// The ORB could not be initialised.
    Initialize = "INITIALIZE";
    /// The operation exists, its implementation does not.
    NoImplement = "NO_IMPLEMENT";
    /// A TypeCode is malformed.
    BadTypecode = "BAD_TYPECODE";
    /// The object has no such operation.
    BadOperation = "BAD_OPERATION";
    /// A resource is exhausted.
    NoResources = "NO_RESOURCES";
    /// No response to a deferred request is there yet.
    NoResponse = "NO_RESPONSE";
    /// Persistent storage failed.
    PersistStore = "PERSIST_STORE";
    /// Operations were called in the wrong order.
    BadInvOrder = "BAD_INV_ORDER";
    /// The object could not be reached; it may be later.
    Transient = "TRANSIENT";
    /// Memory could not be freed.
    FreeMem = "FREE_MEM";
    /// An identifier is not well-formed.
    InvIdent = "INV_IDENT";
    /// A flag is invalid.
    InvFlag = "INV_FLAG";
    /// The interface repository failed.
    IntfRepos = "INTF_REPOS";
    /// A context object is unfit.
    BadContext = "BAD_CONTEXT";
    /// The object adapter failed.
    ObjAdapter = "OBJ_ADAPTER";
    /// Data could not be converted.
    DataConversion = "DATA_CONVERSION";
    /// The object does not exist, for good.
    ObjectNotExist = "OBJECT_NOT_EXIST";
    /// The operation needs a transaction.
    TransactionRequired = "TRANSACTION_REQUIRED";
    /// The transaction has been rolled back.
    TransactionRolledback = "TRANSACTION_ROLLEDBACK";
    /// The transaction is invalid.
    InvalidTransaction = "INVALID_TRANSACTION";
    /// The policies in force allow no call.
    InvPolicy = "INV_POLICY";
    /// Client and server have no code set in common.
    CodesetIncompatible = "CODESET_INCOMPATIBLE";
    /// The reference would have to be bound anew, which its policy forbids.
    Rebind = "REBIND";
    /// The call took longer than its policies allow.
    Timeout = "TIMEOUT";
    /// No transaction service is to be had.
    TransactionUnavailable = "TRANSACTION_UNAVAILABLE";
    /// The transaction modes of client and object do not match.
    TransactionMode = "TRANSACTION_MODE";
    /// The quality of service asked for is not supported.
    BadQos = "BAD_QOS";
    /// The activity is invalid.
    InvalidActivity = "INVALID_ACTIVITY";
    /// The activity has completed.
    ActivityCompleted = "ACTIVITY_COMPLETED";
    /// The operation needs an activity.
    ActivityRequired = "ACTIVITY_REQUIRED";
    /// The distributable thread has been cancelled.
    ThreadCancelled = "THREAD_CANCELLED";
}

impl SystemExceptionKind {
    /// The kind with this repository id.
    pub fn from_repository_id(id: &[u8]) -> Option<Self> {
        let name = id
            .strip_prefix(PREFIX.as_bytes())?
            .strip_suffix(SUFFIX.as_bytes())?;
        Self::ALL
            .iter()
            .copied()
            .find(|kind| kind.name().as_bytes() == name)
    }
}

impl fmt::Display for SystemExceptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
