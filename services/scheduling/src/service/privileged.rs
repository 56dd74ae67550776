//! The interface of services and the ORB, upon a configuration run.

use taut::{CompletionStatus, SystemException, SystemExceptionKind};

use super::conversion;
use super::front::Front;
use super::run::Side;
use crate::taut_scheduling::privileged_scheduler::{GetConstraintsError, SetConstraintsError};
use crate::taut_scheduling::{Constraints, PrivilegedScheduler, Strategy};

impl PrivilegedScheduler for Front<Side> {
    fn the_strategy(&self) -> taut::Result<Strategy> {
        let strategy = conversion::strategy_t(self.work().run.state().options.strategy);
        strategy.ok_or_else(|| {
            SystemException::new(SystemExceptionKind::NoImplement, 0, CompletionStatus::No)
                .because("the IDL has no name for the strategy".to_owned())
        })
    }

    fn set_the_strategy(&self, value: Strategy) -> taut::Result<()> {
        let mut state = self.work().run.state();
        state.change_options(|options| options.strategy = conversion::strategy(value));
        Ok(())
    }

    fn context_switch(&self) -> taut::Result<u64> {
        Ok(conversion::time(
            self.work().run.state().options.context_switch_ns,
        ))
    }

    fn set_context_switch(&self, value: u64) -> taut::Result<()> {
        let mut state = self.work().run.state();
        state.change_options(|options| options.context_switch_ns = conversion::nanoseconds(value));
        Ok(())
    }

    fn get_constraints(&self, handle: i32) -> Result<Constraints, GetConstraintsError> {
        let mut state = self.work().run.state();
        Ok(*state.operations.constraints(handle)?)
    }

    fn set_constraints(&self, handle: i32, value: &Constraints) -> Result<(), SetConstraintsError> {
        let mut state = self.work().run.state();
        state.change(|operations| {
            *operations.constraints(handle)? = *value;
            Ok(())
        })?;
        Ok(())
    }

    fn configuration(&self) -> taut::Result<String> {
        Ok(self.work().run.state().configuration()?)
    }
}
