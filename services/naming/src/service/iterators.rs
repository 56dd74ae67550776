//! Binding iterators: places in contexts from which lists go on.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use taut::{Current, ObjectId, Poa, Reference, SystemException, SystemExceptionKind, minor};

use super::counters;
use super::faults::refused;
use super::keeper::Keeper;
use super::settings::ServiceSettings;
use crate::store::{ContextId, Entry, Key, View};
use crate::{Binding, BindingIterator, BindingIteratorRef, BindingList, BindingType};

/// Some entries of a context.
pub(super) struct Page {
    pub(super) entries: Vec<Entry>,
    /// The last entry that has been given, here or before.
    pub(super) last: Option<Key>,
    pub(super) has_more: bool,
}

impl Keeper {
    /// The entries of a context behind `after`, at most `how_many` and as many as the settings
    /// allow.
    ///
    /// # Errors
    ///
    /// OBJECT_NOT_EXIST when there is no such context, PERSIST_STORE.
    pub(super) fn page(
        &self,
        context: ContextId,
        after: Option<Key>,
        how_many: u32,
    ) -> Result<Page, SystemException> {
        let settings = self.settings();
        let most = usize::try_from(how_many).unwrap_or(usize::MAX);
        let most = most.min(settings.max_list_entries);
        let max_octets = settings.max_list_octets;
        let read = |view: &dyn View| {
            if !view.has_context(context)? {
                return Ok(None);
            }
            let entries = view.entries(context, after.as_ref(), most, max_octets)?;
            let last = entries.last().map(|entry| entry.key.clone());
            let last = last.or_else(|| after.clone());
            let has_more = !view.entries(context, last.as_ref(), 1, 1)?.is_empty();
            Ok(Some(Page {
                entries,
                last,
                has_more,
            }))
        };
        self.read(read)?
            .ok_or_else(super::faults::context_destroyed)
    }
}

/// Entries as clients see them.
pub(super) fn bindings(entries: Vec<Entry>) -> BindingList {
    entries.into_iter().map(binding).collect()
}

fn binding(entry: Entry) -> Binding {
    Binding {
        binding_name: vec![entry.key.component()],
        binding_type: match entry.is_context {
            true => BindingType::Ncontext,
            false => BindingType::Nobject,
        },
    }
}

/// The place of one iterator. Names that are bound or unbound behind it are seen, and nothing is shown
/// twice.
#[derive(Debug, Clone)]
struct Place {
    context: ContextId,
    after: Option<Key>,
    last_used: Instant,
}

/// The iterators of a service.
pub(super) struct Iterators {
    poa: Poa,
    settings: Arc<ServiceSettings>,
    places: Mutex<Places>,
}

#[derive(Default)]
struct Places {
    last_number: u64,
    by_number: HashMap<u64, Place>,
    /// The numbers in the order in which they have last been used.
    by_use: BTreeSet<(Instant, u64)>,
}

impl Places {
    fn remove(&mut self, number: u64) -> Option<Place> {
        let place = self.by_number.remove(&number)?;
        self.by_use.remove(&(place.last_used, number));
        Some(place)
    }

    fn insert(&mut self, number: u64, place: Place) {
        self.by_use.insert((place.last_used, number));
        self.by_number.insert(number, place);
    }

    /// Ends those that have not been used for too long, and enough of the others that there is
    /// room for one more.
    fn make_room(&mut self, settings: &ServiceSettings) {
        let now = Instant::now();
        while let Some((last_used, number)) = self.by_use.first().copied() {
            let is_late = now.duration_since(last_used) >= settings.iterator_timeout;
            if !is_late && self.by_number.len() < settings.max_iterators.max(1) {
                return;
            }
            counters::iterator_ended(match is_late {
                true => "iterator_timeout",
                false => "max_iterators",
            });
            self.remove(number);
        }
    }
}

impl Iterators {
    pub(super) fn new(poa: Poa, settings: Arc<ServiceSettings>) -> Self {
        Self {
            poa,
            settings,
            places: Mutex::default(),
        }
    }

    /// Starts an iterator behind an entry of a context.
    ///
    /// # Errors
    ///
    /// Those of a POA that is being destroyed.
    pub(super) fn start(
        &self,
        context: ContextId,
        after: Option<Key>,
    ) -> Result<BindingIteratorRef, SystemException> {
        let number = {
            let mut places = self.places.lock();
            places.make_room(&self.settings);
            places.last_number += 1;
            let number = places.last_number;
            let last_used = Instant::now();
            places.insert(
                number,
                Place {
                    context,
                    after,
                    last_used,
                },
            );
            number
        };
        let id = ObjectId::new(number.to_be_bytes());
        let repository_id = BindingIteratorRef::INTERFACE.repository_id;
        let reference = self.poa.create_reference_with_id(&id, repository_id)?;
        Ok(reference.unchecked_narrow())
    }

    /// Whether there is an iterator with this object id.
    pub(super) fn has(&self, id: &ObjectId) -> bool {
        let mut places = self.places.lock();
        let Some(number) = number(id) else {
            return false;
        };
        let Some(place) = places.by_number.get(&number) else {
            return false;
        };
        let is_late = place.last_used.elapsed() >= self.settings.iterator_timeout;
        if is_late {
            counters::iterator_ended("iterator_timeout");
            places.remove(number);
        }
        !is_late
    }

    /// Moves the iterator that is called: `step` is given its context and the last entry that it
    /// has shown, and returns the last one that it has shown now. Two calls of one iterator at the same
    /// time show the same entries.
    fn step<T>(
        &self,
        step: impl FnOnce(ContextId, Option<Key>) -> Result<(T, Option<Key>), SystemException>,
    ) -> Result<T, SystemException> {
        let id = Current::object_id()?;
        let number = number(&id).ok_or_else(ended)?;
        let place = self.places.lock().by_number.get(&number).cloned();
        let place = place.ok_or_else(ended)?;
        let (result, after) = step(place.context, place.after)?;
        let mut places = self.places.lock();
        // It may have been destroyed meanwhile.
        if places.remove(number).is_some() {
            let last_used = Instant::now();
            let context = place.context;
            places.insert(
                number,
                Place {
                    context,
                    after,
                    last_used,
                },
            );
        }
        Ok(result)
    }

    fn end(&self) -> Result<(), SystemException> {
        let id = Current::object_id()?;
        let ended_now = number(&id).and_then(|number| self.places.lock().remove(number));
        ended_now.map(drop).ok_or_else(ended)
    }
}

fn number(id: &ObjectId) -> Option<u64> {
    id.as_octets().try_into().ok().map(u64::from_be_bytes)
}

/// The exception for an iterator that is not there.
pub(super) fn ended() -> SystemException {
    refused(SystemExceptionKind::ObjectNotExist, minor::ITERATOR_ENDED)
}

/// The servant of all iterators.
pub(super) struct IteratorServant {
    keeper: Arc<Keeper>,
    iterators: Arc<Iterators>,
}

impl IteratorServant {
    pub(super) fn new(keeper: Arc<Keeper>, iterators: Arc<Iterators>) -> Self {
        Self { keeper, iterators }
    }

    fn next(&self, how_many: u32) -> Result<Vec<Entry>, SystemException> {
        self.iterators.step(|context, after| {
            let page = self.keeper.page(context, after, how_many)?;
            Ok((page.entries, page.last))
        })
    }
}

impl BindingIterator for IteratorServant {
    fn next_one(&self) -> taut::Result<(bool, Binding)> {
        let next = self.next(1)?.into_iter().next();
        Ok(match next {
            Some(entry) => (true, binding(entry)),
            None => (false, Binding::default()),
        })
    }

    fn next_n(&self, how_many: u32) -> taut::Result<(bool, BindingList)> {
        if how_many == 0 {
            return Err(refused(SystemExceptionKind::BadParam, 0));
        }
        let entries = self.next(how_many)?;
        Ok((!entries.is_empty(), bindings(entries)))
    }

    fn destroy(&self) -> taut::Result<()> {
        self.iterators.end()
    }
}
