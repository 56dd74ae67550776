//! Up-calls whose request tells its quality and nothing else: numbers in the place of contexts.

use std::cell::Cell;

use taut_cdr::ByteOrder;
use taut_giop::deadline_context::DeadlineContext;
use taut_giop::message::priority_context;
use taut_giop::service_context::id;

use super::{DEPTH, Taken, UpcallContexts, are_there, mark, number, push, take};
use crate::service_contexts::ServiceContextList;
use crate::upcall::{HAS_CONTEXTS, UPCALLS};

/// The quality that the request of an up-call tells, in the place of contexts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Told {
    /// The number of the up-call within its role.
    upcall: u32,
    /// How many up-calls had contexts when it began.
    depth: u32,
    /// Negative: none.
    priority: i16,
    /// Whether it also tells its deadline.
    has_deadline: bool,
}

impl Told {
    const NOTHING: Self = Self {
        upcall: 0,
        depth: 0,
        priority: -1,
        has_deadline: false,
    };

    pub(super) fn priority(self) -> Option<i16> {
        (self.priority >= 0).then_some(self.priority)
    }
}

thread_local! {
    /// That of the last up-call that has any; of which it is, is to be compared.
    static TOLD: Cell<Told> = const { Cell::new(Told::NOTHING) };

    /// The deadline that goes with it.
    static TOLD_DEADLINE: Cell<DeadlineContext> = const { Cell::new(DeadlineContext::NONE) };
}

/// The time in which the quality of a request is told in the place of contexts.
#[derive(Debug)]
#[must_use = "it has to be taken back"]
pub(crate) struct AdmittedQuality {
    depth: u32,
    had_others: bool,
}

/// Notes that the request of the up-call which begins next tells this and nothing else; its
/// reply tells the priority, too. It has to be ended behind it, and no other such up-call begins
/// before: only a thread that reads requests does this, and that is in none.
#[inline(always)]
pub(crate) fn admit_told(
    priority: Option<i16>,
    deadline: Option<DeadlineContext>,
) -> AdmittedQuality {
    let (count, depth) = (UPCALLS.get(), DEPTH.get());
    if let Some(deadline) = deadline {
        TOLD_DEADLINE.set(deadline);
    }
    TOLD.set(Told {
        upcall: (count & !HAS_CONTEXTS) as u32 + 1,
        depth,
        priority: priority.unwrap_or(-1),
        has_deadline: deadline.is_some(),
    });
    UPCALLS.set(count | HAS_CONTEXTS);
    let had_others = count & HAS_CONTEXTS != 0;
    AdmittedQuality { depth, had_others }
}

impl AdmittedQuality {
    /// Whether the up-call has contexts beside its quality.
    #[inline(always)]
    pub(crate) fn has_others(&self) -> bool {
        DEPTH.get() != self.depth
    }

    /// Ends it where the up-call [has no others](Self::has_others).
    #[inline(always)]
    pub(crate) fn end(self) {
        mark(self.had_others);
    }

    /// Ends it, and takes the contexts that the up-call has beside its quality, if it has any.
    #[cold]
    pub(crate) fn take(self) -> Option<Taken> {
        let taken = take();
        mark(self.had_others);
        taken
    }
}

/// The quality that the up-call with this number has in the place of contexts.
pub(super) fn told_of(upcall: usize) -> Option<Told> {
    let told = TOLD.get();
    let is_it = are_there() && told.upcall as usize == upcall && told.depth == DEPTH.get();
    is_it.then_some(told)
}

/// Appends the contexts that tell a quality.
pub(super) fn push_told(list: &mut ServiceContextList, told: Option<Told>) {
    let Some(told) = told else { return };
    push_priority(list, told.priority());
    if told.has_deadline {
        list.push(id::TAUT_DEADLINE, &TOLD_DEADLINE.get().to_context_data());
    }
}

/// Appends the context that tells a priority.
pub(super) fn push_priority(list: &mut ServiceContextList, priority: Option<i16>) {
    if let Some(priority) = priority {
        let data = priority_context(ByteOrder::NATIVE, priority);
        list.push(id::RT_CORBA_PRIORITY, &data);
    }
}

/// Makes contexts of the quality that the innermost up-call has in the place of contexts: its
/// reply is begun anew and does not tell the priority by itself.
#[cold]
pub(crate) fn unfold_told() {
    let upcall = number();
    let told = told_of(upcall);
    push(upcall, true, |all| push_told(&mut all.received, told));
}

/// Contexts that tell this quality, which came with the request.
pub(super) fn of_quality(told: Option<Told>) -> UpcallContexts {
    let mut contexts = UpcallContexts::default();
    push_told(&mut contexts.received, told);
    contexts
}
