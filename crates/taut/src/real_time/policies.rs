//! The policies that clients and servers have for priorities.

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use super::RtOrb;
use crate::policy::{
    Policy, PriorityBand, PriorityBandedConnectionPolicy, PriorityModel, PriorityModelPolicy,
    PrivateConnectionPolicy,
};
use crate::priority::Priority;

impl RtOrb {
    /// Makes a policy of the source of priorities, for POAs and the ORB (the standard's
    /// `create_priority_model_policy`, Real-time CORBA 1.2, 4.7). It is the same as a
    /// [`PriorityModelPolicy`], but for the check.
    ///
    /// # Errors
    ///
    /// BAD_PARAM, Taut minor 103, if `server_priority` is negative; DATA_CONVERSION, OMG minor 2,
    /// if it has no native priority.
    pub fn create_priority_model_policy(
        &self,
        priority_model: PriorityModel,
        server_priority: i16,
    ) -> Result<Policy, SystemException> {
        let server_priority = checked(server_priority)?;
        self.to_native(server_priority)?;
        Ok(PriorityModelPolicy {
            priority_model,
            server_priority,
        }
        .into())
    }

    /// Makes a policy of bands of priorities, each from the first number to the second (the
    /// standard's `create_priority_banded_connection_policy`, Real-time CORBA 1.2, 4.12).
    ///
    /// # Errors
    ///
    /// BAD_PARAM, Taut minor 103, if a number is negative, a band ends before it begins, or two
    /// have a priority in common.
    pub fn create_priority_banded_connection_policy(
        &self,
        bands: &[(i16, i16)],
    ) -> Result<Policy, SystemException> {
        let band = |(low, high): &(i16, i16)| {
            let band = PriorityBand::new(checked(*low)?, checked(*high)?);
            Ok(band)
        };
        let bands: Result<_, SystemException> = bands.iter().map(band).collect();
        let policy = PriorityBandedConnectionPolicy(bands?);
        match policy.is_in_order() {
            true => Ok(policy.into()),
            false => Err(bad_parameter(
                "a band of priorities ends before it begins, or two have a priority in common",
            )),
        }
    }

    /// Makes a policy of private connections (the standard's `create_private_connection_policy`,
    /// Real-time CORBA 1.2, 4.13).
    pub fn create_private_connection_policy(&self) -> Policy {
        PrivateConnectionPolicy.into()
    }
}

/// Returns the priority with this number.
///
/// # Errors
///
/// BAD_PARAM, Taut minor 103, for a negative one.
pub(super) fn checked(number: i16) -> Result<Priority, SystemException> {
    Priority::new(number).map_err(|error| bad_parameter(error.to_string()))
}

#[cold]
fn bad_parameter(problem: impl Into<String>) -> SystemException {
    let (kind, minor) = (SystemExceptionKind::BadParam, minor::PRIORITY_OUT_OF_RANGE);
    SystemException::new(kind, minor, CompletionStatus::No).because(problem.into())
}
