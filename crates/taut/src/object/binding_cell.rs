//! Where a reference is bound to, which may change while it is called.

#[cfg(feature = "full")]
mod in_process;

#[cfg(all(test, not(loom)))]
use std::mem::offset_of;
use std::ops::Deref;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

use super::binding::Binding;
use super::collocation::DirectTarget;
use crate::settings::CollocationStrategy;
use taut_sync::primitives::AtomicArc;

/// `forward` holds the binding in force.
const FORWARDED: u8 = 1;
/// Calls go by message, for the binding in force leads to another process.
const REMOTE: u8 = 2;
/// Calls go by message, wherever they go.
const NEVER_LOCAL: u8 = 4;
/// Calls never go the straight way: they have a deadline, or the reference takes part in
/// the binding of another.
const APART: u8 = 8;
/// A call has been answered by where the reference leads, or that has been asked for.
const BOUND: u8 = 16;
/// Calls never go the straight way where the reference is bound: it has several ways.
const SEVERAL_WAYS: u8 = 32;

/// Where a reference is bound to: nowhere yet, to what it says itself, or to
/// where a server has sent us.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct BindingCell {
    forward: AtomicArc<Binding>,
    /// Made of the reference itself; never changes, so it is free to read. It does not
    /// lie in the reference: those that arrive and are never called are as small as
    /// [`MessageLimits::memory`](crate::MessageLimits::memory) allows for.
    direct: OnceLock<Box<Binding>>,
    /// `FORWARDED`, `REMOTE`, `NEVER_LOCAL`, `APART`, `BOUND`, `SEVERAL_WAYS`. Threads that change
    /// the binding at the same time may leave what is wrong: it says where to look first.
    state: AtomicU8,
    /// The servant that the reference keeps. A thread that has it may call it: it is taken
    /// away before the reference leads elsewhere.
    kept: OnceLock<Kept>,
}

/// A servant that a reference keeps.
#[derive(Debug)]
struct Kept {
    target: Arc<DirectTarget>,
    /// Whether the reference belongs to the servant's ORB.
    is_same_orb: bool,
}

/// A binding for a call.
pub(crate) enum Bound<'c> {
    /// One that stays as long as its owner, such as that of the reference itself.
    Lent(&'c Binding),
    /// One that may be replaced meanwhile: where a server has sent us, or a way from there.
    Shared(Arc<Binding>),
}

impl BindingCell {
    /// Where in it that begins which calls need.
    #[cfg(all(test, not(loom)))]
    pub(super) const NEEDED_BY_CALLS: usize = offset_of!(Self, direct);

    /// Not bound yet. Calls of which each is looked at (`is_apart`) never go the straight
    /// way.
    pub(crate) fn new(is_apart: bool, collocation: CollocationStrategy) -> Self {
        let apart = if is_apart { APART } else { 0 };
        let state = match collocation == CollocationStrategy::Off {
            true => apart | NEVER_LOCAL,
            false => apart,
        };
        Self {
            forward: AtomicArc::empty(),
            direct: OnceLock::new(),
            state: AtomicU8::new(state),
            kept: OnceLock::new(),
        }
    }

    /// The binding in force, if there is one and calls may go the straight way.
    #[inline]
    pub(crate) fn get_straight(&self) -> Option<Bound<'_>> {
        if self.state.load(Ordering::Acquire) & (FORWARDED | APART | SEVERAL_WAYS) != 0 {
            return self.get_unusual();
        }
        self.direct.get().map(|binding| Bound::Lent(binding))
    }

    /// [`get_straight`](Self::get_straight), where calls do not go to where the reference
    /// says, or do not go the straight way.
    #[cold]
    #[inline(never)]
    fn get_unusual(&self) -> Option<Bound<'_>> {
        match self.state.load(Ordering::Acquire) & (APART | SEVERAL_WAYS) {
            0 => self.get(),
            _ => None,
        }
    }

    /// The binding in force, if there is one.
    #[inline]
    pub(crate) fn get(&self) -> Option<Bound<'_>> {
        if self.state.load(Ordering::Acquire) & FORWARDED != 0
            && let Some(binding) = self.get_forward()
        {
            return Some(Bound::Shared(binding));
        }
        self.direct.get().map(|binding| Bound::Lent(binding))
    }

    /// The binding of the reference itself, if there is one.
    pub(crate) fn get_own(&self) -> Option<&Binding> {
        self.direct.get().map(|binding| &**binding)
    }

    /// Where a server has sent us. Out of the way of who is where the reference says.
    #[cold]
    #[inline(never)]
    fn get_forward(&self) -> Option<Arc<Binding>> {
        self.forward.load_full()
    }

    /// Binds to what the reference says, unless that was done before.
    pub(crate) fn bind(&self, binding: Binding) -> Bound<'_> {
        let binding = self.direct.get_or_init(|| Box::new(binding));
        self.enter(0, binding);
        Bound::Lent(binding)
    }

    /// Binds to where a server has sent us.
    pub(crate) fn forward(&self, binding: Binding) {
        let binding = Arc::new(binding);
        self.forward.store(Some(Arc::clone(&binding)));
        self.enter(FORWARDED, &binding);
    }

    /// Notes that a call has been answered by where the reference leads.
    pub(crate) fn note_bound(&self) {
        if !self.is_bound() {
            self.state.fetch_or(BOUND, Ordering::Relaxed);
        }
    }

    /// Whether a call has been answered by where the reference leads, or led before.
    pub(crate) fn is_bound(&self) -> bool {
        self.state.load(Ordering::Relaxed) & BOUND != 0
    }

    /// Goes back to what the reference says.
    pub(crate) fn forget_forward(&self) {
        if let Some(binding) = self.direct.get() {
            self.enter(0, binding);
        }
        self.forward.store(None);
    }

    /// Notes what holds for the binding that is now in force.
    fn enter(&self, forwarded: u8, binding: &Binding) {
        let remote = match binding.local() {
            Some(_) => 0,
            None => REMOTE,
        };
        let ways = match binding.has_several_ways() {
            true => SEVERAL_WAYS,
            false => 0,
        };
        let kept = self.state.load(Ordering::Relaxed) & (NEVER_LOCAL | APART | BOUND);
        self.state
            .store(kept | forwarded | remote | ways, Ordering::Release);
    }
}

impl Deref for Bound<'_> {
    type Target = Binding;

    #[inline]
    fn deref(&self) -> &Binding {
        match self {
            Self::Lent(binding) => binding,
            Self::Shared(binding) => binding,
        }
    }
}
