//! Where a reference is bound to, which may change while it is called.

#[cfg(all(test, not(loom)))]
use std::mem::offset_of;
use std::ops::Deref;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

#[cfg(feature = "collocation")]
use super::Passes;
use super::binding::Binding;
#[cfg(feature = "collocation")]
use super::collocation::{DirectTarget, Local};
#[cfg(feature = "collocation")]
use crate::settings::CollocationStrategy;
use crate::sync::AtomicArc;

/// `forward` holds the binding in force.
const FORWARDED: u8 = 1;
/// Calls go by message, for the binding in force leads to another process.
#[cfg(feature = "collocation")]
const REMOTE: u8 = 2;
/// Calls go by message, wherever they go.
#[cfg(feature = "collocation")]
const NEVER_LOCAL: u8 = 4;
/// Calls never go the straight way: they have a deadline, or the reference takes part in
/// the binding of another.
const APART: u8 = 8;

/// Where a reference is bound to: nowhere yet, to what it says itself, or to
/// where a server has sent us.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct BindingCell {
    forward: AtomicArc<Binding>,
    /// Made of the reference itself; never changes, so it is free to read. It does not
    /// lie in the reference: those that arrive and are never called are as small as
    /// [`Settings::memory`](crate::Settings::memory) allows for.
    direct: OnceLock<Box<Binding>>,
    /// `FORWARDED`, `REMOTE`, `NEVER_LOCAL`, `APART`. Threads that change the binding at the
    /// same time may leave what is wrong: it says where to look first.
    state: AtomicU8,
    /// The servant that the reference keeps. Who has it may call it: it is taken away
    /// before the reference leads elsewhere.
    #[cfg(feature = "collocation")]
    kept: OnceLock<Kept>,
}

/// A servant that a reference keeps.
#[cfg(feature = "collocation")]
#[derive(Debug)]
struct Kept {
    target: Arc<DirectTarget>,
    /// Whether the reference belongs to the servant's ORB.
    is_same_orb: bool,
}

/// What a call looks at first: whether it stays in the process.
#[cfg(feature = "collocation")]
#[derive(Clone, Copy)]
pub(crate) struct Way(u8);

/// The binding in force.
pub(crate) enum Bound<'c> {
    /// What the reference says.
    Direct(&'c Binding),
    /// Where a server has sent us.
    Forward(Arc<Binding>),
}

impl BindingCell {
    /// Where in it that begins which calls need.
    #[cfg(all(test, not(loom)))]
    pub(super) const NEEDED_BY_CALLS: usize = offset_of!(Self, direct);

    /// Not bound yet. Calls of which each is looked at (`is_apart`) never go the straight
    /// way.
    pub(crate) fn new(
        is_apart: bool,
        #[cfg(feature = "collocation")] collocation: CollocationStrategy,
    ) -> Self {
        let state = if is_apart { APART } else { 0 };
        #[cfg(feature = "collocation")]
        let state = match collocation {
            CollocationStrategy::Off => state | NEVER_LOCAL,
            _ => state,
        };
        Self {
            forward: AtomicArc::empty(),
            direct: OnceLock::new(),
            state: AtomicU8::new(state),
            #[cfg(feature = "collocation")]
            kept: OnceLock::new(),
        }
    }

    /// How calls go, as far as that is known.
    #[cfg(feature = "collocation")]
    #[inline]
    pub(crate) fn way(&self) -> Way {
        Way(self.state.load(Ordering::Relaxed))
    }

    /// What the reference says leads to a servant that it keeps from now on.
    #[cfg(feature = "collocation")]
    pub(crate) fn keep(&self, local: &Local, target: &Arc<DirectTarget>) {
        // If it is bound otherwise meanwhile, the servant has been taken away.
        if self.state.load(Ordering::Acquire) & !APART == 0 {
            let _ = self.kept.set(Kept {
                target: Arc::clone(target),
                is_same_orb: local.is_same_orb,
            });
        }
    }

    /// The servant that the reference keeps for such calls.
    #[cfg(feature = "collocation")]
    #[inline(always)]
    pub(crate) fn kept(&self, passes: Passes) -> Option<&DirectTarget> {
        let kept = self.kept.get()?;
        match passes == Passes::Values || kept.is_same_orb {
            true => Some(&kept.target),
            false => None,
        }
    }

    /// From now on calls go by message: the object's server has stopped.
    #[cfg(feature = "collocation")]
    pub(crate) fn leave_process(&self) {
        self.state.fetch_or(REMOTE, Ordering::Relaxed);
    }

    /// The binding in force, if there is one and calls may go the straight way.
    #[inline]
    pub(crate) fn get_straight(&self) -> Option<Bound<'_>> {
        if self.state.load(Ordering::Acquire) & (FORWARDED | APART) != 0 {
            return self.get_unusual();
        }
        self.direct.get().map(|binding| Bound::Direct(binding))
    }

    /// [`get_straight`](Self::get_straight), where calls do not go to where the reference
    /// says, or do not go the straight way.
    #[cold]
    #[inline(never)]
    fn get_unusual(&self) -> Option<Bound<'_>> {
        match self.state.load(Ordering::Acquire) & APART {
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
            return Some(Bound::Forward(binding));
        }
        self.direct.get().map(|binding| Bound::Direct(binding))
    }

    /// Where a server has sent us. Out of the way of who is where the reference says.
    #[cold]
    #[inline(never)]
    fn get_forward(&self) -> Option<Arc<Binding>> {
        self.forward.load_full()
    }

    /// What the reference says, if that is known and in force.
    #[cfg(feature = "collocation")]
    #[inline]
    pub(crate) fn get_direct(&self) -> Option<&Binding> {
        let is_forwarded = self.state.load(Ordering::Relaxed) & FORWARDED != 0;
        let direct = self.direct.get().filter(|_| !is_forwarded)?;
        Some(direct)
    }

    /// Binds to what the reference says, unless that was done before.
    pub(crate) fn bind(&self, binding: Binding) -> Bound<'_> {
        let binding = self.direct.get_or_init(|| Box::new(binding));
        self.enter(0, binding);
        Bound::Direct(binding)
    }

    /// Binds to where a server has sent us.
    pub(crate) fn forward(&self, binding: Binding) {
        let binding = Arc::new(binding);
        self.forward.store(Some(Arc::clone(&binding)));
        self.enter(FORWARDED, &binding);
    }

    /// Goes back to what the reference says.
    pub(crate) fn forget_forward(&self) {
        if let Some(binding) = self.direct.get() {
            self.enter(0, binding);
        }
        self.forward.store(None);
    }

    /// Notes what holds for the binding that is now in force.
    #[cfg(feature = "collocation")]
    fn enter(&self, forwarded: u8, binding: &Binding) {
        let remote = match binding.local() {
            Some(_) => 0,
            None => REMOTE,
        };
        let kept = self.state.load(Ordering::Relaxed) & (NEVER_LOCAL | APART);
        self.state
            .store(kept | forwarded | remote, Ordering::Release);
    }

    /// Notes what holds for the binding that is now in force.
    #[cfg(not(feature = "collocation"))]
    fn enter(&self, forwarded: u8, _: &Binding) {
        let kept = self.state.load(Ordering::Relaxed) & APART;
        self.state.store(kept | forwarded, Ordering::Release);
    }
}

#[cfg(feature = "collocation")]
impl Way {
    /// Whether calls go by message. False when that is not known yet.
    #[inline]
    pub(crate) fn is_remote(self) -> bool {
        self.0 & (REMOTE | NEVER_LOCAL) != 0
    }
}

impl Deref for Bound<'_> {
    type Target = Binding;

    #[inline]
    fn deref(&self) -> &Binding {
        match self {
            Self::Direct(binding) => binding,
            Self::Forward(binding) => binding,
        }
    }
}
