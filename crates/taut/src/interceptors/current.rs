//! Data of a thread and of a request, in numbered slots.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};
use taut_types::Any;

/// The data of the calling thread, in slots that interceptors have
/// (`PortableInterceptor::Current`, CORBA 3.3 part 1, 16.4): the thread scope.
///
/// A call that begins takes them along: interceptors find them by
/// [`ClientRequestInfo::get_slot`](super::ClientRequestInfo::get_slot). On a server,
/// interceptors set the slots of a request
/// ([`ServerRequestInfo::set_slot`](super::ServerRequestInfo::set_slot)), and its servant finds
/// them here; those that the servant has set then are found by the points at the request's
/// end. A slot that nobody has set holds the null value.
///
/// Each ORB has slots of its own. [`Orb::pi_current`](crate::Orb::pi_current) has this object.
#[derive(Clone)]
pub struct Current {
    space: Arc<SlotSpace>,
}

/// The number of a slot, which an initializer has got
/// ([`OrbInitInfo::allocate_slot_id`](super::OrbInitInfo::allocate_slot_id)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SlotId(u32);

/// The ORB has no slot of this number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidSlot(pub SlotId);

/// The slots of an ORB.
pub(crate) struct SlotSpace {
    /// Tells the ORB from all others of the process.
    orb: u64,
    count: AtomicU32,
}

/// The values in the slots of an ORB, as a thread or a request has them. A copy costs nothing
/// until one of the two is changed.
#[derive(Clone, Default)]
pub(crate) struct Slots(Option<Arc<Vec<Any>>>);

thread_local! {
    /// The slots of each ORB of which some have been set.
    static OF_THREAD: RefCell<Vec<(u64, Slots)>> = const { RefCell::new(Vec::new()) };
}

impl Current {
    pub(super) fn new(space: &Arc<SlotSpace>) -> Self {
        Self {
            space: Arc::clone(space),
        }
    }

    /// That of an ORB in which nobody has asked for slots.
    pub(crate) fn without_slots() -> Self {
        Self::new(&Arc::new(SlotSpace::new()))
    }

    /// Returns the value in a slot of the calling thread.
    ///
    /// # Errors
    ///
    /// [`InvalidSlot`].
    pub fn get_slot(&self, slot: SlotId) -> Result<Any, InvalidSlot> {
        self.space.of_thread().get(slot, &self.space)
    }

    /// Sets the value in a slot of the calling thread. Calls that have begun keep theirs.
    ///
    /// # Errors
    ///
    /// [`InvalidSlot`].
    pub fn set_slot(&self, slot: SlotId, value: Any) -> Result<(), InvalidSlot> {
        let mut slots = self.space.of_thread();
        slots.set(slot, value, &self.space)?;
        self.space.set_of_thread(slots);
        Ok(())
    }
}

impl SlotSpace {
    pub(super) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            orb: NEXT.fetch_add(1, Ordering::Relaxed),
            count: AtomicU32::new(0),
        }
    }

    /// Makes a further slot.
    pub(super) fn allocate(&self) -> SlotId {
        SlotId(self.count.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns a copy of the calling thread's slots.
    pub(crate) fn of_thread(&self) -> Slots {
        OF_THREAD.with_borrow(|all| {
            let own = all.iter().find(|(orb, _)| *orb == self.orb);
            own.map_or_else(Slots::default, |(_, slots)| slots.clone())
        })
    }

    /// Sets the calling thread's slots.
    pub(crate) fn set_of_thread(&self, slots: Slots) {
        OF_THREAD.with_borrow_mut(|all| {
            all.retain(|(orb, _)| *orb != self.orb);
            if slots.0.is_some() {
                all.push((self.orb, slots));
            }
        });
    }

    /// Runs `run` in a thread that has these slots instead of its own. Returns what they are
    /// then.
    pub(crate) fn within<R>(&self, slots: Slots, run: impl FnOnce() -> R) -> (R, Slots) {
        struct Restored<'s>(&'s SlotSpace, Slots);
        impl Drop for Restored<'_> {
            fn drop(&mut self) {
                self.0.set_of_thread(std::mem::take(&mut self.1));
            }
        }
        let _restored = Restored(self, self.of_thread());
        self.set_of_thread(slots);
        let result = run();
        (result, self.of_thread())
    }

    fn check(&self, slot: SlotId) -> Result<usize, InvalidSlot> {
        match slot.0 < self.count.load(Ordering::Relaxed) {
            true => Ok(slot.0 as usize),
            false => Err(InvalidSlot(slot)),
        }
    }
}

impl Slots {
    pub(super) fn get(&self, slot: SlotId, space: &SlotSpace) -> Result<Any, InvalidSlot> {
        let place = space.check(slot)?;
        let value = self.0.as_ref().and_then(|slots| slots.get(place));
        Ok(value.cloned().unwrap_or_else(Any::null))
    }

    pub(super) fn set(
        &mut self,
        slot: SlotId,
        value: Any,
        space: &SlotSpace,
    ) -> Result<(), InvalidSlot> {
        let place = space.check(slot)?;
        let slots = Arc::make_mut(self.0.get_or_insert_default());
        if slots.len() <= place {
            slots.resize(place + 1, Any::null());
        }
        slots[place] = value;
        Ok(())
    }
}

impl fmt::Debug for Current {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slots = self.space.of_thread().0;
        f.debug_struct("Current").field("slots", &slots).finish()
    }
}

impl fmt::Display for InvalidSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SlotId(number) = self.0;
        write!(
            f,
            "the ORB has no slot {number}; OrbInitInfo::allocate_slot_id makes slots"
        )
    }
}

impl std::error::Error for InvalidSlot {}

/// BAD_PARAM, so that `?` works in interceptors.
impl From<InvalidSlot> for SystemException {
    fn from(error: InvalidSlot) -> Self {
        Self::new(SystemExceptionKind::BadParam, 0, CompletionStatus::No).because(error.to_string())
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_a_copy_of_the_slots_and_the_thread_gets_its_own_back() {
        let space = Arc::new(SlotSpace::new());
        let (current, other) = (
            Current::new(&space),
            Current::new(&Arc::new(SlotSpace::new())),
        );
        let slot = space.allocate();
        let number = |value: i32| Any::new(&value).unwrap();
        assert_eq!(current.get_slot(slot), Ok(Any::null()));
        current.set_slot(slot, number(1)).unwrap();
        let mut request = space.of_thread();
        current.set_slot(slot, number(2)).unwrap();
        assert_eq!(request.get(slot, &space), Ok(number(1)));
        request.set(slot, number(3), &space).unwrap();
        let ((), left) = space.within(request, || {
            assert_eq!(current.get_slot(slot), Ok(number(3)));
            current.set_slot(slot, number(4)).unwrap();
        });
        assert_eq!(left.get(slot, &space), Ok(number(4)));
        assert_eq!(current.get_slot(slot), Ok(number(2)));
        assert_eq!(other.get_slot(slot), Err(InvalidSlot(slot)));
        assert!(InvalidSlot(slot).to_string().contains("slot 0"));
    }
}
