//! The service contexts of the up-calls that a thread is in.
//!
//! Nearly no up-call has any. Those that have lie in a stack of the thread, each with the
//! number of its up-call, and a mark in the count of up-calls says that there are some. So
//! an up-call without contexts pays no more than a look at the count, which it changes anyway.
//!
//! | who | does what |
//! |---|---|
//! | the caller of an up-call: the server, or a call within the process | [`admit`]s what the request has, and [`take`]s what goes with the reply |
//! | the servant | [reads](received) what the request has, and [adds](with_reply) to the reply |
//!
//! An up-call whose request tells its quality and nothing else is not among them, and pays
//! less: what it tells is noted ([`admit_told`]), of which contexts are made for who asks.

mod told;

use std::cell::{Cell, RefCell};
use std::mem;
use std::ops::{Deref, DerefMut};

use super::{HAS_CONTEXTS, UPCALLS};
use crate::deadline::{self, Deadline};
use crate::service_contexts::ServiceContextList;
pub(crate) use crate::transport::Source;
use told::{Told, of_quality, push_priority, push_told, told_of};
pub(crate) use told::{admit_told, unfold_told};

/// How many contexts of up-calls a thread keeps for later use.
const MAX_SPARE: usize = 4;

/// Whether user code reads the contexts of requests and adds some to replies.
pub(crate) const OF_USERS: bool = cfg!(feature = "full");

/// The service contexts of an up-call.
#[derive(Debug, Default)]
pub(crate) struct UpcallContexts {
    /// They came with the request.
    pub(crate) received: ServiceContextList,
    /// They go with the reply.
    pub(crate) replied: ServiceContextList,
    /// The name of the peer, where another thread than that of its connection goes on.
    pub(crate) peer: Option<String>,
    /// Where the peer is, likewise.
    pub(crate) source: Option<Source>,
    /// Whether the client of a oneway has been told that it has arrived.
    pub(crate) is_acknowledged: bool,
    /// The deadline of the request, where another thread than that of its connection goes on.
    pub(crate) deadline: Option<Deadline>,
}

/// The contexts of one of the thread's up-calls.
struct Entry {
    /// The number of the up-call within its role.
    upcall: usize,
    /// Whether the up-call's caller takes them, so that they stay when it ends.
    is_awaited: bool,
    /// Whether there are others of the same role below.
    has_others: bool,
    /// The priority that the reply tells by its header.
    told: Option<i16>,
    contexts: UpcallContexts,
}

#[derive(Default)]
struct Stack {
    entries: Vec<Entry>,
    spare: Vec<UpcallContexts>,
}

thread_local! {
    /// The last is that of the innermost up-call that has any.
    static STACK: RefCell<Stack> = RefCell::default();
}

thread_local! {
    /// How many entries there are.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Contexts that were taken from an up-call. Their memory serves the next that has any.
#[derive(Debug)]
pub(crate) struct Taken(UpcallContexts);

/// Gives contexts to the up-call that begins next; `fill` gets them empty. They have to be
/// [taken](take) behind it.
#[cold]
pub(crate) fn admit(fill: impl FnOnce(&mut UpcallContexts)) {
    push(number() + 1, true, fill);
}

/// Whether there may be something to [take].
#[inline(always)]
pub(crate) fn are_there() -> bool {
    UPCALLS.get() & HAS_CONTEXTS != 0
}

/// Takes the contexts of the up-call that has ended, if it has any.
#[cold]
pub(crate) fn take() -> Option<Taken> {
    pop(number() + 1, |_| true)
}

/// Runs `run`, which begins an up-call at once, with contexts that `fill` gets empty. Returns
/// what they are then.
#[cold]
pub(crate) fn with<R>(
    fill: impl FnOnce(&mut UpcallContexts),
    run: impl FnOnce() -> R,
) -> (R, Option<Taken>) {
    admit(fill);
    taking(run, take)
}

/// Runs `run` in the role that the thread has just begun to play, likewise.
#[cold]
pub(crate) fn with_in_role<R>(
    fill: impl FnOnce(&mut UpcallContexts),
    run: impl FnOnce() -> R,
) -> (R, Option<Taken>) {
    push(number(), true, fill);
    taking(run, || pop(number(), |_| true))
}

/// Runs `run`, and then `take`, even if it panics.
fn taking<R>(run: impl FnOnce() -> R, take: impl Fn() -> Option<Taken>) -> (R, Option<Taken>) {
    struct OnPanic<'t>(&'t dyn Fn() -> Option<Taken>);
    impl Drop for OnPanic<'_> {
        fn drop(&mut self) {
            drop((self.0)());
        }
    }
    let on_panic = OnPanic(&take);
    let result = run();
    mem::forget(on_panic);
    (result, take())
}

/// Takes the contexts of the innermost up-call, which another thread goes on with.
#[cold]
pub(crate) fn lift() -> UpcallContexts {
    match pop(number(), |_| true) {
        Some(mut taken) => mem::take(&mut *taken),
        None => of_quality(told_of(number())),
    }
}

/// Copies what the request of the innermost up-call has, and takes what goes with its reply,
/// for a reply that is made when the up-call has ended.
#[cold]
pub(crate) fn copy() -> UpcallContexts {
    let upcall = number();
    STACK.with_borrow_mut(|stack| match stack.entries.last_mut() {
        Some(last) if last.is_of(upcall) => UpcallContexts {
            received: last.contexts.received.clone(),
            replied: {
                let mut replied = ServiceContextList::default();
                push_priority(&mut replied, last.told);
                let added = mem::take(&mut last.contexts.replied);
                for context in added.iter() {
                    replied.push(context.id, context.data);
                }
                replied
            },
            peer: last.contexts.peer.clone(),
            source: last.contexts.source,
            is_acknowledged: last.contexts.is_acknowledged,
            deadline: deadline::of_thread(),
        },
        _ => {
            let told = told_of(upcall);
            let mut contexts = of_quality(told);
            contexts.deadline = deadline::of_thread();
            // The header that tells it is given up with the reply that has been begun.
            let priority = told.and_then(Told::priority);
            push_priority(&mut contexts.replied, priority);
            contexts
        }
    })
}

/// Gives the innermost up-call, which has no contexts, those back that another thread leaves.
/// They are forgotten with the up-call if its caller takes none.
#[cold]
pub(crate) fn put_back(contexts: UpcallContexts) {
    match contexts.received.is_empty() && contexts.replied.is_empty() {
        true => drop(Taken(contexts)),
        false => push(number(), false, |all| *all = contexts),
    }
}

/// Forgets what a servant has added to a reply that does not exist: its up-call has ended,
/// and nobody takes it.
#[cold]
#[inline(never)]
pub(super) fn forget_unawaited() {
    drop(pop(number() + 1, |entry| !entry.is_awaited));
}

/// Runs `action` with what the request of the innermost up-call has.
pub(crate) fn received<R>(action: impl FnOnce(&ServiceContextList) -> R) -> R {
    look(|contexts| match contexts {
        Some(contexts) => action(&contexts.received),
        None => match told_of(number()) {
            None => action(&ServiceContextList::EMPTY),
            told => action(&of_quality(told).received),
        },
    })
}

/// Returns the name of the peer, where the innermost up-call was passed on to this thread.
pub(crate) fn peer() -> Option<String> {
    look(|contexts| contexts?.peer.clone())
}

/// Returns where the peer is, where the innermost up-call was passed on to this thread.
pub(crate) fn source() -> Option<Source> {
    look(|contexts| contexts?.source)
}

/// Whether the innermost up-call is that of a oneway whose client has been told that it has
/// arrived, as far as somebody has noted it.
pub(crate) fn is_acknowledged() -> bool {
    look(|contexts| contexts.is_some_and(|contexts| contexts.is_acknowledged))
}

/// Takes what goes with the reply of the innermost up-call so far.
pub(crate) fn take_replied() -> ServiceContextList {
    let upcall = number();
    STACK.with_borrow_mut(|stack| {
        let last = stack.entries.last_mut().filter(|last| last.is_of(upcall));
        last.map_or_else(ServiceContextList::default, |last| {
            mem::take(&mut last.contexts.replied)
        })
    })
}

/// Runs `action` with the contexts of the innermost up-call, if it has any.
fn look<R>(action: impl FnOnce(Option<&UpcallContexts>) -> R) -> R {
    let upcall = number();
    STACK.with_borrow(|stack| {
        let last = stack.entries.last().filter(|last| last.is_of(upcall));
        action(last.map(|last| &last.contexts))
    })
}

/// Runs `action` with what goes with the reply of the innermost up-call.
pub(crate) fn with_reply<R>(action: impl FnOnce(&mut ServiceContextList) -> R) -> R {
    let upcall = number();
    let has_some = STACK.with_borrow(|stack| {
        let last = stack.entries.last();
        last.is_some_and(|last| last.is_of(upcall))
    });
    if upcall == 0 && !has_some {
        // A reference calls its servant without anybody who would take it.
        return action(&mut ServiceContextList::default());
    }
    if !has_some {
        let told = told_of(upcall);
        push(upcall, false, |all| push_told(&mut all.received, told));
        STACK.with_borrow_mut(|stack| {
            if let Some(last) = stack.entries.last_mut() {
                last.told = told.and_then(Told::priority);
            }
        });
    }
    STACK.with_borrow_mut(|stack| match stack.entries.last_mut() {
        Some(last) => action(&mut last.contexts.replied),
        None => action(&mut ServiceContextList::default()),
    })
}

/// The number of the innermost up-call within the thread's role.
fn number() -> usize {
    UPCALLS.get() & !HAS_CONTEXTS
}

#[inline(always)]
fn mark(holds: bool) {
    UPCALLS.set(number() | if holds { HAS_CONTEXTS } else { 0 });
}

impl Entry {
    /// Whether this is of the up-call with this number in the thread's role.
    fn is_of(&self, upcall: usize) -> bool {
        are_there() && self.upcall == upcall
    }
}

fn push(upcall: usize, is_awaited: bool, fill: impl FnOnce(&mut UpcallContexts)) {
    let spare = STACK.with_borrow_mut(|stack| stack.spare.pop());
    let mut contexts = spare.unwrap_or_default();
    fill(&mut contexts);
    let entry = Entry {
        upcall,
        is_awaited,
        has_others: are_there(),
        told: None,
        contexts,
    };
    STACK.with_borrow_mut(|stack| stack.entries.push(entry));
    DEPTH.set(DEPTH.get() + 1);
    mark(true);
}

/// Takes out the contexts of the up-call with this number, if `is_it`.
fn pop(upcall: usize, is_it: impl FnOnce(&Entry) -> bool) -> Option<Taken> {
    let entry = STACK.with_borrow_mut(|stack| {
        let is_it = |last: &mut Entry| last.is_of(upcall) && is_it(last);
        stack.entries.pop_if(is_it)
    })?;
    DEPTH.set(DEPTH.get() - 1);
    mark(entry.has_others);
    Some(Taken(entry.contexts))
}

impl Deref for Taken {
    type Target = UpcallContexts;

    fn deref(&self) -> &UpcallContexts {
        &self.0
    }
}

impl DerefMut for Taken {
    fn deref_mut(&mut self) -> &mut UpcallContexts {
        &mut self.0
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        let mut contexts = mem::take(&mut self.0);
        contexts.received.clear();
        contexts.replied.clear();
        contexts.peer = None;
        contexts.source = None;
        contexts.is_acknowledged = false;
        contexts.deadline = None;
        // A thread that ends has no further up-call.
        let _ = STACK.try_with(|stack| {
            let spare = &mut stack.borrow_mut().spare;
            if spare.len() < MAX_SPARE {
                spare.push(contexts);
            }
        });
    }
}

#[cfg(all(test, not(loom), feature = "full"))]
mod tests {
    use taut_giop::deadline_context::DeadlineContext;
    use taut_giop::service_context::id;

    use super::*;
    use crate::upcall::{Role, run, run_as, run_request};

    fn ids(list: &ServiceContextList) -> Vec<u32> {
        list.iter().map(|context| context.id).collect()
    }

    fn add(id: u32) {
        with_reply(|list| list.push(id, b""));
    }

    /// The ids that the innermost up-call has received.
    fn seen() -> Vec<u32> {
        received(ids)
    }

    fn admit_one(id: u32) -> impl FnOnce(&mut UpcallContexts) {
        move |contexts| contexts.received.push(id, b"data")
    }

    /// The ids that the up-call that has ended leaves for its reply.
    fn taken() -> Vec<u32> {
        take().map_or_else(Vec::new, |taken| ids(&taken.replied))
    }

    fn nothing_is_left() -> bool {
        UPCALLS.get() == 0 && STACK.with_borrow(|stack| stack.entries.is_empty())
    }

    #[test]
    fn an_up_call_has_what_was_admitted_and_nested_ones_their_own() {
        admit(admit_one(1));
        run_request(|| {
            add(10);
            assert_eq!(seen(), [1]);
            run(|| {
                assert_eq!(seen(), []);
                add(11);
            })
            .unwrap();
            let nested = || {
                run(|| {
                    assert_eq!(seen(), [2]);
                    add(12);
                    add(12);
                })
            };
            let (_, taken) = with(admit_one(2), nested);
            assert_eq!(ids(&taken.unwrap().replied), [12, 12]);
            add(13);
            assert_eq!(seen(), [1]);
        })
        .unwrap();
        assert_eq!(taken(), [10, 13]);
        assert!(nothing_is_left());
    }

    #[test]
    fn what_a_servant_adds_where_no_reply_is_awaited_goes_to_no_later_reply() {
        for _ in 0..2 {
            run(|| add(1)).unwrap();
            run_request(|| assert_eq!(seen(), [])).unwrap();
            assert_eq!(taken(), []);
        }
        run_request(|| add(2)).unwrap();
        assert_eq!(taken(), [2]);
        assert!(nothing_is_left());
    }

    /// Found by review: contexts that were put back stayed behind the up-call of a oneway,
    /// and the next request of the thread, another client's, got them.
    #[test]
    fn contexts_that_are_put_back_end_with_their_up_call() {
        let go_on_elsewhere = |id: Option<u32>| {
            let mut own = lift();
            own.peer = Some("a client".to_owned());
            if let Some(id) = id {
                own.replied.push(id, b"");
            }
            put_back(own);
        };
        for id in [None, Some(1)] {
            run(|| go_on_elsewhere(id)).unwrap();
            assert!(nothing_is_left());
            run_request(|| assert_eq!((peer(), seen()), (None, vec![]))).unwrap();
            assert_eq!(taken(), []);
        }
        admit(admit_one(2));
        run_request(|| go_on_elsewhere(Some(3))).unwrap();
        assert_eq!(taken(), [3]);
        assert!(nothing_is_left());
    }

    #[test]
    fn a_role_has_contexts_of_its_own() {
        admit(admit_one(1));
        run_request(|| {
            run_as(&Role::Outside, || {
                assert_eq!(seen(), []);
                // Nobody takes it.
                add(5);
                run(|| add(6)).unwrap();
                let (_, taken) = with_in_role(admit_one(3), || {
                    add(7);
                    run(|| assert_eq!(seen(), [])).unwrap();
                    assert_eq!(seen(), [3]);
                });
                assert_eq!(ids(&taken.unwrap().replied), [7]);
                assert_eq!(seen(), []);
            });
            assert_eq!(seen(), [1]);
        })
        .unwrap();
        assert_eq!(taken(), []);
        assert!(nothing_is_left());
    }

    /// A request that the main thread did not let in is passed to it once more.
    #[test]
    fn contexts_of_the_request_are_there_when_it_is_passed_on_again() {
        admit(admit_one(1));
        run_request(|| {
            put_back(lift());
            assert_eq!((seen(), ids(&lift().received)), (vec![1], vec![1]));
        })
        .unwrap();
        assert_eq!(taken(), []);
        assert!(nothing_is_left());
    }

    /// A servant in the main thread did not see the context that told the deadline.
    #[test]
    fn a_quality_that_is_told_passes_to_another_thread() {
        let admitted = admit_told(None, Some(DeadlineContext::NONE));
        run_request(|| {
            assert_eq!(seen(), [id::TAUT_DEADLINE]);
            let mut own = lift();
            assert_eq!(ids(&own.received), [id::TAUT_DEADLINE]);
            own.replied.push(1, b"");
            put_back(own);
        })
        .unwrap();
        assert!(admitted.has_others());
        assert_eq!(ids(&admitted.take().unwrap().replied), [1]);
        assert!(nothing_is_left());
    }

    #[test]
    fn nothing_stays_behind_a_panic() {
        let in_role = || with_in_role(admit_one(2), || panic!("of the test"));
        let panicked = run_request(|| run_as(&Role::Outside, in_role));
        assert!(panicked.is_err());
        let inner = || with(admit_one(3), || panic!("of the test"));
        assert!(run_request(inner).is_err());
        admit(admit_one(4));
        let panicked = run_request(|| {
            add(8);
            panic!("of the test")
        });
        assert!(panicked.is_err());
        assert_eq!(taken(), [8]);
        assert!(nothing_is_left());
    }
}
