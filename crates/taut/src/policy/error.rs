//! Why a policy cannot be made, or cannot be where it is to be.

use std::fmt;

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};

use super::{PolicyLevels, PolicyType};

/// Why [`Orb::create_policy`](crate::Orb::create_policy) makes no policy (the standard's
/// exception `CORBA::PolicyError`, CORBA 3.3 part 1, 8.10.2).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicyError {
    /// The reason.
    pub reason: PolicyErrorReason,
    /// The type of the policy that was asked for.
    pub policy_type: PolicyType,
}

/// A reason for which no policy is made (the standard's `PolicyErrorCode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PolicyErrorReason {
    /// BAD_POLICY: no policy type has this number.
    BadPolicy,
    /// UNSUPPORTED_POLICY: Taut has no policies of this type.
    UnsupportedPolicy,
    /// BAD_POLICY_TYPE: the value is not of the type that such a policy has.
    BadPolicyType,
    /// BAD_POLICY_VALUE: such a policy cannot have this value.
    BadPolicyValue,
    /// UNSUPPORTED_POLICY_VALUE: Taut does not have this value.
    UnsupportedPolicyValue,
}

/// Why policies cannot be overrides at a level.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolicyOverrideError {
    /// A type is there twice (BAD_PARAM, OMG minor 30).
    Duplicate(PolicyType),
    /// Policies of this type may be at other levels only (NO_PERMISSION).
    NotAllowed {
        /// The type.
        policy_type: PolicyType,
        /// The levels at which they may be.
        levels: PolicyLevels,
    },
    /// The value of a policy is none that its type may have (the standard's exception
    /// `InvalidPolicies`).
    InvalidValue {
        /// The place of the policy among those that were given.
        index: usize,
        /// The type.
        policy_type: PolicyType,
        /// The reason.
        reason: PolicyErrorReason,
    },
    /// Two policies contradict each other (the standard's exception `InvalidPolicies`).
    Contradiction {
        /// The places of those of them that were given.
        indices: Vec<usize>,
        /// Their types.
        types: [PolicyType; 2],
    },
}

impl PolicyErrorReason {
    /// Returns the standard's number.
    pub const fn code(self) -> i16 {
        match self {
            Self::BadPolicy => 0,
            Self::UnsupportedPolicy => 1,
            Self::BadPolicyType => 2,
            Self::BadPolicyValue => 3,
            Self::UnsupportedPolicyValue => 4,
        }
    }
}

impl fmt::Display for PolicyErrorReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BadPolicy => "no policy type has this number (BAD_POLICY)",
            Self::UnsupportedPolicy => {
                "there are no policies of this type: docs/policies.md lists those that there are \
                 (UNSUPPORTED_POLICY)"
            }
            Self::BadPolicyType => "the value is not of the policy's type (BAD_POLICY_TYPE)",
            Self::BadPolicyValue => "the policy cannot have this value (BAD_POLICY_VALUE)",
            Self::UnsupportedPolicyValue => {
                "this value is not supported (UNSUPPORTED_POLICY_VALUE)"
            }
        })
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.policy_type, self.reason)
    }
}

impl std::error::Error for PolicyError {}

impl fmt::Display for PolicyOverrideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Duplicate(policy_type) => write!(f, "{policy_type} is given twice"),
            Self::NotAllowed {
                policy_type,
                levels,
            } => write!(f, "{policy_type} may not be set here, but for: {levels}"),
            Self::InvalidValue {
                index,
                policy_type,
                reason,
            } => write!(f, "{policy_type}, at index {index}: {reason}"),
            Self::Contradiction { types, .. } => {
                write!(f, "{} contradicts {}", types[0], types[1])
            }
        }
    }
}

impl std::error::Error for PolicyOverrideError {}

/// BAD_PARAM with OMG minor 30 for a type that is there twice, NO_PERMISSION for a level at
/// which a policy may not be, and INV_POLICY with OMG minor 2 otherwise.
impl From<PolicyOverrideError> for SystemException {
    fn from(error: PolicyOverrideError) -> Self {
        let completed = CompletionStatus::No;
        let exception = match &error {
            PolicyOverrideError::Duplicate(_) => {
                Self::omg(SystemExceptionKind::BadParam, 30, completed)
            }
            PolicyOverrideError::NotAllowed { .. } => {
                Self::new(SystemExceptionKind::NoPermission, 0, completed)
            }
            _ => Self::omg(SystemExceptionKind::InvPolicy, 2, completed),
        };
        exception.because(error.to_string())
    }
}
