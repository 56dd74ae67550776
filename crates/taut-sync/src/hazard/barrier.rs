//! A pair of fences of which one is free: what a thread did before the light one, and
//! what another did before the heavy one, cannot both be hidden from the other
//! afterwards.
//!
//! The heavy one asks the system to have a fence on every CPU that runs this process
//! (Linux's `membarrier`). Where the system does not do that, both are fences.

#[cfg(not(loom))]
pub(super) use real::{Barrier, free, is_free, light};
#[cfg(loom)]
pub(super) use tried::{Barrier, free, light};

#[cfg(not(loom))]
mod real {
    use std::sync::atomic::{AtomicBool, Ordering, compiler_fence, fence};

    /// Whether light fences are fences. Changed before any thread has passed one.
    static IS_SYMMETRIC: AtomicBool = AtomicBool::new(true);

    /// The heavy side.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(in super::super) enum Barrier {
        /// Fences on both sides.
        Symmetric,
        /// The system has the fences.
        System,
    }

    impl Barrier {
        /// The best that there is. Until this has been called no thread may come to a
        /// light fence.
        pub(in super::super) fn establish() -> Self {
            match system::register() {
                true => {
                    IS_SYMMETRIC.store(false, Ordering::SeqCst);
                    Self::System
                }
                false => Self::Symmetric,
            }
        }

        /// The heavy fence. False when it cannot be had, though it could before.
        pub(in super::super) fn heavy(self) -> bool {
            fence(Ordering::SeqCst);
            match self {
                Self::Symmetric => true,
                // A process that came of `fork` may have to register again.
                Self::System => system::fence() || system::register() && system::fence(),
            }
        }
    }

    /// The light fence.
    #[inline(always)]
    pub(in super::super) fn light() {
        match IS_SYMMETRIC.load(Ordering::Relaxed) {
            true => symmetric(),
            false => compiler_fence(Ordering::SeqCst),
        }
    }

    /// Out of the way of systems that have the fences.
    #[cold]
    #[inline(never)]
    fn symmetric() {
        fence(Ordering::SeqCst);
    }

    /// Whether the light fence costs nothing. Once it does, it always will.
    pub(in super::super) fn is_free() -> bool {
        !IS_SYMMETRIC.load(Ordering::Relaxed)
    }

    /// The light fence, where it [is free](is_free).
    #[inline(always)]
    pub(in super::super) fn free() {
        compiler_fence(Ordering::SeqCst);
    }

    #[cfg(target_os = "linux")]
    mod system {
        use rustix::thread::{MembarrierCommand, membarrier};

        pub(super) fn register() -> bool {
            membarrier(MembarrierCommand::RegisterPrivateExpedited).is_ok()
        }

        pub(super) fn fence() -> bool {
            membarrier(MembarrierCommand::PrivateExpedited).is_ok()
        }
    }

    #[cfg(not(target_os = "linux"))]
    mod system {
        pub(super) fn register() -> bool {
            false
        }

        pub(super) fn fence() -> bool {
            false
        }
    }
}

/// The same, where loom tries it in every order of events.
#[cfg(loom)]
mod tried {
    use loom::sync::atomic::{Ordering, fence};

    #[derive(Debug, Clone, Copy)]
    pub(in super::super) struct Barrier;

    impl Barrier {
        pub(in super::super) fn establish() -> Self {
            Self
        }

        pub(in super::super) fn heavy(self) -> bool {
            fence(Ordering::SeqCst);
            true
        }
    }

    pub(in super::super) fn light() {
        fence(Ordering::SeqCst);
    }

    pub(in super::super) fn free() {
        light();
    }
}
