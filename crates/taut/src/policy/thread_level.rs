//! The policies of a thread (the standard's `PolicyCurrent`, CORBA 3.3 part 1, 8.10.5).

use std::cell::RefCell;
use std::marker::PhantomData;

use super::{Policy, PolicyLevels, PolicyOverrideError, PolicySet, PolicyType, SetOverrideType};
use crate::straight_way::{GOVERNED, close_by, is_closed_by};

thread_local! {
    static OF_THREAD: RefCell<PolicySet> = const { RefCell::new(PolicySet::EMPTY) };
}

/// The policies of all calls of the calling thread, by whichever ORB's references. Those of a
/// reference or of a call replace them; they replace those of the ORB.
///
/// They hold until they are changed, also for what servants call in this thread. A server's
/// thread carries out requests of many clients, so a servant prefers
/// [`override_with`](Self::override_with), whose effect ends by itself.
///
/// ```
/// use std::time::Duration;
///
/// use taut::ObjectRef;
/// use taut::policy::{PolicyCurrent, RelativeRoundtripTimeoutPolicy};
///
/// fn is_gone(object: &ObjectRef) -> Result<bool, Box<dyn std::error::Error>> {
///     let in_time = RelativeRoundtripTimeoutPolicy::from(Duration::from_millis(200));
///     let _here = PolicyCurrent::override_with(&[in_time.into()])?;
///     Ok(object.non_existent()?)
/// }
/// ```
#[derive(Debug)]
pub struct PolicyCurrent(());

/// A thread's policies until it is dropped, which gives the thread back those that it had.
#[derive(Debug)]
#[must_use = "the policies hold until this is dropped"]
pub struct PolicyGuard {
    before: PolicySet,
    /// It belongs to its thread.
    _of_thread: PhantomData<*const ()>,
}

impl PolicyCurrent {
    /// Gives the thread policies.
    ///
    /// # Errors
    ///
    /// [`PolicyOverrideError`]; then nothing has changed.
    pub fn set_policy_overrides(
        policies: &[Policy],
        how: SetOverrideType,
    ) -> Result<(), PolicyOverrideError> {
        replace(policies, how).map(drop)
    }

    /// Returns the thread's policies of these types, all if no type is given.
    pub fn get_policy_overrides(types: &[PolicyType]) -> Vec<Policy> {
        of_thread().of_types(types)
    }

    /// Adds policies to the thread's until the guard is dropped. Guards are dropped in the
    /// opposite order.
    ///
    /// # Errors
    ///
    /// [`PolicyOverrideError`]; then nothing has changed.
    pub fn override_with(policies: &[Policy]) -> Result<PolicyGuard, PolicyOverrideError> {
        Ok(PolicyGuard {
            before: replace(policies, SetOverrideType::Add)?,
            _of_thread: PhantomData,
        })
    }
}

impl Drop for PolicyGuard {
    fn drop(&mut self) {
        set(std::mem::take(&mut self.before));
    }
}

/// Changes the thread's policies, and returns those before.
fn replace(policies: &[Policy], how: SetOverrideType) -> Result<PolicySet, PolicyOverrideError> {
    let set_now = of_thread().with(policies, how, PolicyLevels::THREAD)?;
    Ok(set(set_now))
}

fn set(policies: PolicySet) -> PolicySet {
    close_by(GOVERNED, !policies.is_empty());
    OF_THREAD.replace(policies)
}

/// Returns the policies of the calling thread.
pub(crate) fn of_thread() -> PolicySet {
    match is_closed_by(GOVERNED) {
        true => OF_THREAD.with_borrow(PolicySet::clone),
        false => PolicySet::EMPTY,
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::policy::{MaxForwardsPolicy, RelativeRequestTimeoutPolicy};
    use crate::straight_way;

    #[test]
    fn guards_give_back_what_was_there_and_a_panic_ends_one_too() {
        let types = || {
            let all = PolicyCurrent::get_policy_overrides(&[]);
            all.iter().map(Policy::policy_type).collect::<Vec<_>>()
        };
        let timeout = RelativeRequestTimeoutPolicy::from(Duration::from_secs(1)).into();
        assert!(straight_way::is_open());
        {
            let _outer = PolicyCurrent::override_with(&[MaxForwardsPolicy(1).into()]).unwrap();
            assert!(!straight_way::is_open());
            let panicked = std::panic::catch_unwind(|| {
                let _inner = PolicyCurrent::override_with(&[timeout]).unwrap();
                assert_eq!(types().len(), 2);
                panic!("of the test");
            });
            assert!(panicked.is_err());
            assert_eq!(types(), [PolicyType::MAX_FORWARDS]);
        }
        assert!(types().is_empty() && straight_way::is_open());
    }
}
