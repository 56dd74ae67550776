//! The connections by their sources, and which of them can give way to another.

use std::sync::Arc;

use crate::server::peer::{Idleness, Peer};
use crate::sorted_map::SortedMap;
use crate::transport::Source;

/// Of so many connections at most the one is found that has been idle for longest, so
/// that what a newcomer costs does not depend on their number.
const SAMPLE: usize = 512;

/// All open connections, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Peers {
    open: Open,
    by_source: SortedMap<Source, OfSource>,
    /// Those that give way to others, and still are open; they do not count.
    leaving: Vec<u64>,
    /// Where the next idle connection is looked for.
    next_looked_at: u64,
    next_id: u64,
    /// How many have been removed.
    gone: u64,
}

/// The connections from one source.
#[derive(Debug, Default)]
struct OfSource {
    /// In the order in which they came.
    ids: Vec<u64>,
    /// How many of them give way to others.
    leaving: usize,
}

/// The open connections by their numbers, which grow. The place of one that has been removed
/// is kept until there are as many of these as of others.
#[derive(Debug, Default)]
struct Open {
    places: Vec<(u64, Option<Arc<Peer>>)>,
    gone: usize,
}

impl Open {
    fn len(&self) -> usize {
        self.places.len() - self.gone
    }

    /// The place of the first connection with this number or a higher one.
    fn place(&self, id: u64) -> usize {
        self.places.partition_point(|(other, _)| *other < id)
    }

    fn get(&self, id: u64) -> Option<&Arc<Peer>> {
        let (found, peer) = self.places.get(self.place(id))?;
        peer.as_ref().filter(|_| *found == id)
    }

    fn remove(&mut self, id: u64) -> Option<Arc<Peer>> {
        let place = self.place(id);
        let (found, peer) = self.places.get_mut(place)?;
        let peer = match *found == id {
            true => peer.take()?,
            false => return None,
        };
        self.gone += 1;
        if self.gone > self.places.len() / 2 {
            self.places.retain(|(_, peer)| peer.is_some());
            self.gone = 0;
        }
        Some(peer)
    }
}

impl Peers {
    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<Peer>> {
        self.open
            .places
            .iter()
            .filter_map(|(_, peer)| peer.as_ref())
    }

    /// How many there are, without those that give way to others.
    pub(super) fn count(&self) -> usize {
        self.open.len() - self.leaving.len()
    }

    /// How many of them come from a source.
    pub(super) fn count_of(&self, source: Source) -> usize {
        let of_source = self.by_source.get(&source);
        of_source.map_or(0, |of_source| of_source.ids.len() - of_source.leaving)
    }

    /// How many have been removed so far.
    pub(super) fn gone(&self) -> u64 {
        self.gone
    }

    /// Adds a connection, and gives it a number.
    pub(super) fn add(&mut self, peer: &Arc<Peer>) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.open.places.push((id, Some(Arc::clone(peer))));
        if let Some(source) = peer.source() {
            let of_source = self.by_source.get_or_insert_with(source, OfSource::default);
            of_source.ids.push(id);
        }
        id
    }

    /// Removes a connection.
    pub(super) fn remove(&mut self, id: u64) -> Option<Arc<Peer>> {
        let peer = self.open.remove(id)?;
        self.gone += 1;
        let place = self.leaving.iter().position(|leaving| *leaving == id);
        if let Some(place) = place {
            self.leaving.remove(place);
        }
        if let Some(source) = peer.source()
            && let Some(of_source) = self.by_source.get_mut(&source)
        {
            if let Ok(place) = of_source.ids.binary_search(&id) {
                of_source.ids.remove(place);
            }
            of_source.leaving -= usize::from(peer.gives_way());
            if of_source.ids.is_empty() {
                self.by_source.remove(&source);
            }
        }
        Some(peer)
    }

    /// The connection that has been idle for longest, which gives way to another from
    /// here on; if there are many, of a part of them.
    pub(super) fn idlest(&mut self) -> Option<Arc<Peer>> {
        let places = &self.open.places;
        let (before, behind) = places.split_at(self.open.place(self.next_looked_at));
        let all = behind.iter().chain(before);
        let sample = all.filter(|(_, peer)| peer.is_some()).take(SAMPLE);
        let mut last = None;
        let ids = sample.map(|(id, _)| *id).inspect(|id| last = Some(*id));
        let idlest = idlest_of(&self.open, ids);
        self.next_looked_at = last.map_or(0, |last| last.wrapping_add(1));
        self.let_go(idlest?)
    }

    /// The connection from one source that has been idle for longest.
    pub(super) fn idlest_of(&mut self, source: Source) -> Option<Arc<Peer>> {
        let ids = self.by_source.get(&source)?.ids.iter();
        let idlest = idlest_of(&self.open, ids.copied().take(SAMPLE));
        self.let_go(idlest?)
    }

    fn let_go(&mut self, id: u64) -> Option<Arc<Peer>> {
        let peer = self.open.get(id)?;
        peer.set_gives_way();
        self.leaving.push(id);
        if let Some(source) = peer.source()
            && let Some(of_source) = self.by_source.get_mut(&source)
        {
            of_source.leaving += 1;
        }
        Some(Arc::clone(peer))
    }

    /// The connections that have given way longest ago, as far as there are more than
    /// `most`. They are to be cut off.
    pub(super) fn leaving_beyond(&self, most: usize) -> Vec<Arc<Peer>> {
        let beyond = self.leaving.len().saturating_sub(most);
        let ids = self.leaving.iter().take(beyond);
        ids.filter_map(|id| self.open.get(*id).cloned()).collect()
    }
}

/// The one among these that has been idle for longest, and among equals has come first.
fn idlest_of(open: &Open, ids: impl Iterator<Item = u64>) -> Option<u64> {
    let idle = |id| {
        let idleness = open.get(id)?.idleness()?;
        Some((idleness, id))
    };
    let ranked: Option<(Idleness, u64)> = ids.filter_map(idle).min();
    ranked.map(|(_, id)| id)
}
