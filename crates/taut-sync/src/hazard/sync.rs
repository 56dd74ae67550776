//! The primitives that hazard pointers are made of.

#[cfg(not(loom))]
pub(super) use real::*;
#[cfg(loom)]
pub(super) use tried::*;

#[cfg(not(loom))]
mod real {
    pub(in super::super) use std::sync::Arc;
    pub(in super::super) use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

    pub(in super::super) use crate::lock::{Condvar, Mutex, MutexGuard};

    pub(in super::super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock()
    }
}

/// The same, where loom tries it in every order of events.
#[cfg(loom)]
mod tried {
    pub(in super::super) use loom::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
    pub(in super::super) use loom::sync::{Arc, Mutex, MutexGuard};

    pub(in super::super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap()
    }
}
