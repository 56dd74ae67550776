taut::include_idl!("letters");

use std::time::Duration;

use letters::clerk::FileError;
use letters::{
    AmiClerkHandler, AmiClerkHandlerSkeleton, AmiClerkPoller, Clerk, ClerkRef, ClerkSkeleton,
    Refused,
};
use taut::Value;
use taut::ami::{ExceptionHolder, PollableSet, ReplyHandler};

use crate::support::{Outcome, orb};

// page: /// Takes the replies.

/// A clerk who numbers letters.
struct Numbering;

impl Clerk for Numbering {
    fn file(&self, text: &str) -> Result<i32, FileError> {
        match text {
            "" => Err(Refused {
                why: "it is empty".to_owned(),
            }
            .into()),
            text => Ok(text.len() as i32),
        }
    }

    fn rest(&self) -> taut::Result<()> {
        Ok(())
    }

    fn balance(&self) -> taut::Result<i32> {
        Ok(7)
    }

    fn set_balance(&self, _: i32) -> taut::Result<()> {
        Ok(())
    }
}

// page: /// Takes pollers out of a set as their replies come.

#[test]
fn clerks_are_called_asynchronously() -> Outcome {
    let orb = orb();
    let poa = orb.root_poa()?;
    poa.manager().activate()?;
    let clerk: ClerkRef = poa.activate(ClerkSkeleton::new(Numbering))?;
    // page: let handler = poa.activate(AmiClerkHandlerSkeleton::new(Desk))?;
    // page: let poller = clerk.sendp_file("a letter")?;
    assert_eq!(number, 8);
    let set = PollableSet::new();
    for text in ["one", "two", "three"] {
        set.add_pollable(clerk.sendp_file(text)?)?;
    }
    let mut numbers = all(&set)?;
    numbers.sort_unstable();
    assert_eq!(numbers, [3, 3, 5]);
    orb.shutdown(true)?;
    Ok(())
}
