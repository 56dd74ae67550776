//! System exceptions as values (CORBA 3.3 part 1, annex A; on the wire part 2,
//! 9.4.3.2).

mod kind;
mod meanings;
pub mod minor;
mod report;
mod vendor;

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::sync::Arc;
use core::fmt;
use core::hash::{Hash, Hasher};

use taut_cdr::{Decode, Decoder, Encode, Encoder, ErrorKind, NoWideCodeSet, Result};

pub use kind::SystemExceptionKind;
pub use report::{ConnectAttempt, ConnectFailure, ExceptionReport, LimitReached, RaisedBy};

/// How far the operation had got when the exception was raised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum CompletionStatus {
    /// It had completed.
    Yes = 0,
    /// It had not begun.
    No = 1,
    /// Nobody knows.
    Maybe = 2,
}

impl CompletionStatus {
    /// The standard's name, such as `COMPLETED_NO`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Yes => "COMPLETED_YES",
            Self::No => "COMPLETED_NO",
            Self::Maybe => "COMPLETED_MAYBE",
        }
    }
}

impl fmt::Display for CompletionStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A system exception: 16 octets, which a function returns in registers.
///
/// Callers branch on `kind`, at times on `minor`; the text that
/// [`Display`](fmt::Display) gives is for people. The report is part of that text and of
/// nothing else: equality, hash and the form on the wire ignore it.
#[derive(Clone)]
pub struct SystemException {
    /// Which exception.
    pub kind: SystemExceptionKind,
    /// How far the operation had got.
    pub completed: CompletionStatus,
    /// The reason, with the vendor in the upper 20 bits; see [`minor`].
    pub minor: u32,
    /// The circumstances, if anything is known of them. A thin pointer, and `None` unless
    /// a failed call is reported, so that an exception costs no allocation by itself.
    report: Option<Arc<ExceptionReport>>,
}

impl SystemException {
    /// An exception.
    #[inline]
    pub const fn new(kind: SystemExceptionKind, minor: u32, completed: CompletionStatus) -> Self {
        Self {
            kind,
            completed,
            minor,
            report: None,
        }
    }

    /// An exception with a minor code of the standard's (CORBA 3.3 part 1,
    /// annex A).
    #[inline]
    pub const fn omg(kind: SystemExceptionKind, code: u32, completed: CompletionStatus) -> Self {
        Self::new(kind, minor::omg(code), completed)
    }

    /// The exception for bytes that could not be decoded, or a value that could
    /// not be encoded: DATA_CONVERSION, OMG minor 1, for characters that do not
    /// exist in a code set, else MARSHAL with a minor code of Taut's. Wide
    /// characters in GIOP 1.0 are MARSHAL, OMG minor 5, or 6 in a reply, which
    /// only an operation that completed can have; without an agreed code set they are
    /// INV_OBJREF, OMG minor 1 or 2, in the client, and BAD_PARAM, OMG minor 23, in the
    /// server. Values of an unknown type are MARSHAL, OMG minor 1. The report has
    /// the error's text, with its place.
    #[cold]
    pub fn from_cdr(error: &taut_cdr::Error, completed: CompletionStatus) -> Self {
        Self::bare_from_cdr(error, completed).because(error.to_string())
    }

    /// [`from_cdr`](Self::from_cdr) without the error's text.
    const fn bare_from_cdr(error: &taut_cdr::Error, completed: CompletionStatus) -> Self {
        let reason = match error.kind() {
            ErrorKind::Unrepresentable { .. } | ErrorKind::MalformedString => {
                return Self::new(
                    SystemExceptionKind::DataConversion,
                    minor::omg(1),
                    completed,
                );
            }
            ErrorKind::WideForbidden => match completed {
                CompletionStatus::Yes => minor::omg(6),
                CompletionStatus::No | CompletionStatus::Maybe => minor::omg(5),
            },
            ErrorKind::NoWideCodeSet(why) => {
                let (kind, code) = match why {
                    NoWideCodeSet::NotOffered => (SystemExceptionKind::InvObjref, 2),
                    NoWideCodeSet::NotSupported => (SystemExceptionKind::InvObjref, 1),
                    NoWideCodeSet::NotAnnounced => (SystemExceptionKind::BadParam, 23),
                };
                return Self::omg(kind, code, completed);
            }
            ErrorKind::Truncated { .. } => minor::TRUNCATED,
            ErrorKind::LengthBeyondMessage { .. } => minor::LENGTH_BEYOND_MESSAGE,
            ErrorKind::BoundExceeded { .. } => minor::BOUND_EXCEEDED,
            ErrorKind::TooLong => minor::TOO_LONG,
            ErrorKind::InvalidBoolean(_) => minor::INVALID_BOOLEAN,
            ErrorKind::InvalidEnum { .. } => minor::INVALID_ENUM,
            ErrorKind::UnterminatedString => minor::UNTERMINATED_STRING,
            ErrorKind::NulInString => minor::NUL_IN_STRING,
            ErrorKind::NestedTooDeeply { .. } => minor::NESTED_TOO_DEEPLY,
            ErrorKind::TooMuchMemory { .. } => minor::TOO_MUCH_MEMORY,
            ErrorKind::NoContext => minor::NO_CONTEXT,
            ErrorKind::UnknownValueType => minor::omg(1),
            ErrorKind::CyclicValue => minor::CYCLIC_VALUE,
            _ => minor::MALFORMED,
        };
        Self::new(SystemExceptionKind::Marshal, reason, completed)
    }

    /// Returns the circumstances of the exception, if anything is known of them.
    pub fn report(&self) -> Option<&ExceptionReport> {
        self.report.as_deref()
    }

    /// Returns the exception with this report in place of its own.
    #[cold]
    #[must_use]
    pub fn with_report(mut self, report: ExceptionReport) -> Self {
        self.report = Some(Arc::new(report));
        self
    }

    /// Returns the report for additions, an empty one if there was none. The copies of the
    /// exception keep the report that they have.
    #[cold]
    pub fn report_mut(&mut self) -> &mut ExceptionReport {
        Arc::make_mut(self.report.get_or_insert_default())
    }

    /// Returns the exception with the cause in its report.
    #[cold]
    #[must_use]
    pub fn because(mut self, cause: impl Into<Box<str>>) -> Self {
        self.report_mut().cause = Some(cause.into());
        self
    }

    /// Returns the meaning of the minor code, if that is known. In an exception that a peer
    /// raised it is the one that servers give the code.
    pub fn meaning(&self) -> Option<&'static str> {
        match self.report().and_then(|report| report.raised_by.as_ref()) {
            Some(RaisedBy::Peer(_)) => minor::minor_meaning_in_reply(self.kind, self.minor),
            _ => minor::minor_meaning(self.kind, self.minor),
        }
    }
}

impl PartialEq for SystemException {
    fn eq(&self, other: &Self) -> bool {
        (self.kind, self.minor, self.completed) == (other.kind, other.minor, other.completed)
    }
}

impl Eq for SystemException {}

impl Hash for SystemException {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.kind, self.minor, self.completed).hash(state);
    }
}

/// The text of [`Display`](fmt::Display): an error that ends `main` is printed
/// by way of `Debug`, and shall be understood there too.
impl fmt::Debug for SystemException {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for SystemException {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        if let Some(meaning) = self.meaning() {
            write!(f, ": {meaning}")?;
        }
        let code = minor::code(self.minor);
        match minor::vendor(self.minor) {
            Some(vendor @ ("OMG" | "Taut")) => write!(f, " ({vendor} minor {code})")?,
            // TAO's codes are bit fields.
            Some(vendor @ "TAO") => match minor::system_error(self.minor) {
                Some(error) => write!(f, " ({vendor} minor {code:#05x}, {error})")?,
                None => write!(f, " ({vendor} minor {code:#05x})")?,
            },
            Some(vendor) => write!(f, " ({vendor} minor {code})")?,
            None if self.minor == 0 => {}
            None if code == self.minor => write!(f, " (minor {code} of an unknown vendor)")?,
            None => write!(f, " (minor {:#010x} of an unknown vendor)", self.minor)?,
        }
        write!(f, ", {}", self.completed)?;
        match &self.report {
            Some(report) => report.fmt(f),
            None => Ok(()),
        }
    }
}

impl core::error::Error for SystemException {}

/// The body of a Reply with the status SYSTEM_EXCEPTION.
impl Encode for SystemException {
    fn encode(&self, out: &mut Encoder) -> Result<()> {
        out.write_string(self.kind.repository_id())?;
        out.write(self.minor);
        out.write(self.completed as u32);
        Ok(())
    }
}

/// The body of a Reply with the status SYSTEM_EXCEPTION. An exception that is
/// not known here becomes UNKNOWN with OMG minor 2.
impl<'m> Decode<'m> for SystemException {
    const MIN_SIZE: usize = 12;

    fn decode(input: &mut Decoder<'m>) -> Result<Self> {
        let id = input.read_string_octets()?;
        let minor = input.read()?;
        let completed = match input.read_ordinal(3)? {
            0 => CompletionStatus::Yes,
            1 => CompletionStatus::No,
            _ => CompletionStatus::Maybe,
        };
        Ok(match SystemExceptionKind::from_repository_id(id) {
            Some(kind) => Self::new(kind, minor, completed),
            None => Self::new(SystemExceptionKind::Unknown, minor::omg(2), completed),
        })
    }
}
