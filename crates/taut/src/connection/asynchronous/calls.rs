//! The calls of futures on one connection: those that wait for a reply, and those that wait
//! for their turn.

use std::collections::VecDeque;
use std::mem;
use std::task::{Poll, Waker};

use taut_giop::message::MessageHeader;

use crate::connection::shared::call_table::{CallPlace, CallTable};
use crate::message::Message;

/// The wakers that are to be woken as soon as no lock is held.
pub(super) type Wakers = Vec<Waker>;

/// The calls on a connection, under its lock. Nothing here wakes a future or drops a waker
/// that has been given to it: that is the code of others, which may come back here.
pub(super) struct Calls {
    table: CallTable<Entry>,
    /// Those whose reply has not come.
    in_flight: usize,
    max: usize,
    max_octets: usize,
    tickets: Tickets,
    /// Futures that wait for their turn, the first first.
    queue: VecDeque<Ticket>,
    /// How many have been given their turn and have not taken it, and the octets that they
    /// are going to send.
    granted: (usize, usize),
    /// Oneways that wait until so many octets have left.
    leaving: VecDeque<(u64, Ticket)>,
    /// How many replies may come that nobody waits for any more.
    forsaken: u64,
    /// How many came beside those, one behind the other.
    strays: usize,
}

/// A call that was sent.
enum Entry {
    /// How many octets were sent before it.
    Waiting(Waker, u64),
    Replied(MessageHeader, Message),
    /// There will be no reply.
    Ended(u64),
}

/// The end of waiting for a reply.
pub(super) enum Reply {
    Come(MessageHeader, Message),
    /// The connection has ended; so many octets were sent before the call.
    Never(u64),
}

/// A place of a future that waits for its turn, or until its octets have left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ticket {
    index: u32,
    number: u64,
}

impl Ticket {
    /// The ticket of nobody.
    pub(super) const NONE: Self = Self {
        index: u32::MAX,
        number: u64::MAX,
    };
}

#[derive(Default)]
struct Tickets {
    slots: Vec<TicketSlot>,
    vacant: Vec<u32>,
    next_number: u64,
}

struct TicketSlot {
    number: u64,
    waker: Option<Waker>,
    octets: usize,
    is_granted: bool,
}

impl Calls {
    /// Of at most `max` calls, while no more than so many octets wait to leave.
    pub(super) fn new(max: usize, max_octets: usize) -> Self {
        Self {
            table: CallTable::new(),
            in_flight: 0,
            max: max.max(1),
            max_octets,
            tickets: Tickets::default(),
            queue: VecDeque::new(),
            granted: (0, 0),
            leaving: VecDeque::new(),
            forsaken: 0,
            strays: 0,
        }
    }

    /// How many calls wait for replies.
    pub(super) fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Whether there is none, nor any that waits for its turn.
    pub(super) fn are_none(&self) -> bool {
        self.table.len() == 0 && self.tickets.is_empty()
    }

    /// Whether a call waits for the reply with this id.
    pub(super) fn await_reply(&self, request_id: u32) -> bool {
        self.table.contains(request_id)
    }

    /// Lets a call be sent, of about so many octets, where so many wait to leave. If not
    /// now, it has a ticket, and is woken when its turn has come. Returns what has to be
    /// dropped outside of the lock.
    pub(super) fn admit(
        &mut self,
        ticket: &mut Option<Ticket>,
        octets: usize,
        waiting: usize,
        waker: &Waker,
    ) -> (bool, Option<Waker>) {
        if let Some(known) = *ticket {
            let Some(slot) = self.tickets.get(known) else {
                *ticket = None; // it ended with the connection
                return (true, None);
            };
            if !slot.is_granted {
                return (false, slot.renew(waker));
            }
            let octets = slot.octets;
            self.granted.0 -= 1;
            self.granted.1 -= octets;
            *ticket = None;
            return (true, self.tickets.remove(known));
        }
        if self.queue.is_empty() && self.has_room(octets, waiting) {
            return (true, None);
        }
        let new = self.tickets.add(octets, waker);
        self.queue.push_back(new);
        *ticket = Some(new);
        (false, None)
    }

    /// Whether one more may be sent, where so many octets wait to leave. One larger than all
    /// that may wait has to be alone.
    fn has_room(&self, octets: usize, waiting: usize) -> bool {
        let waiting = waiting + self.granted.1;
        self.in_flight + self.granted.0 < self.max
            && (waiting == 0 || waiting.saturating_add(octets) <= self.max_octets)
    }

    /// Gives those their turn for whom there is room.
    pub(super) fn grant(&mut self, waiting: usize, wakers: &mut Wakers) {
        while let Some(&first) = self.queue.front() {
            let Some(octets) = self.tickets.get(first).map(|slot| slot.octets) else {
                self.queue.pop_front();
                continue;
            };
            if !self.has_room(octets, waiting) {
                return;
            }
            self.queue.pop_front();
            self.granted.0 += 1;
            self.granted.1 += octets;
            if let Some(slot) = self.tickets.get(first) {
                slot.is_granted = true;
                wakers.extend(slot.waker.take());
            }
        }
    }

    /// Adds a call that is sent behind so many octets. None if one waits that has this id.
    pub(super) fn begin(
        &mut self,
        request_id: u32,
        before: u64,
        waker: Waker,
    ) -> Option<CallPlace> {
        let entry = Entry::Waiting(waker, before);
        let place = self.table.insert(request_id, entry)?;
        self.in_flight += 1;
        Some(place)
    }

    /// Whether a call has this id.
    pub(super) fn has(&self, request_id: u32) -> bool {
        self.table.contains(request_id)
    }

    /// A ticket for a oneway that waits until so many octets have left.
    pub(super) fn leave_by(&mut self, end: u64, waker: &Waker) -> Ticket {
        let ticket = self.tickets.add(0, waker);
        self.leaving.push_back((end, ticket));
        ticket
    }

    /// Whether what the ticket waits for has left.
    pub(super) fn poll_left(&mut self, ticket: Ticket, waker: &Waker) -> (bool, Option<Waker>) {
        match self.tickets.get(ticket) {
            None => (true, None),
            Some(slot) if slot.is_granted => (true, self.tickets.remove(ticket)),
            Some(slot) => (false, slot.renew(waker)),
        }
    }

    /// Notes that so many octets have left.
    pub(super) fn note_left(&mut self, left: u64, wakers: &mut Wakers) {
        while let Some(&(end, ticket)) = self.leaving.front()
            && end <= left
        {
            self.leaving.pop_front();
            if let Some(slot) = self.tickets.get(ticket) {
                slot.is_granted = true;
                wakers.extend(slot.waker.take());
            }
        }
    }

    /// Forgets a ticket.
    pub(super) fn forget(&mut self, ticket: Ticket) -> Option<Waker> {
        let slot = self.tickets.get(ticket)?;
        // Those of oneways that wait until their octets have left have none of their own.
        let (is_granted, octets) = (slot.is_granted, slot.octets);
        let waker = self.tickets.remove(ticket);
        if is_granted && octets > 0 {
            self.granted.0 -= 1;
            self.granted.1 -= octets;
        }
        if self.queue.len() > 2 * self.tickets.len() + 64 {
            let tickets = &mut self.tickets;
            self.queue.retain(|&one| tickets.get(one).is_some());
        }
        if self.leaving.len() > 2 * self.tickets.len() + 64 {
            let tickets = &mut self.tickets;
            self.leaving.retain(|&(_, one)| tickets.get(one).is_some());
        }
        waker
    }

    /// Gives a call its reply. False when nobody waits for it, and nobody ever did.
    pub(super) fn reply(
        &mut self,
        request_id: u32,
        header: MessageHeader,
        message: Message,
        wakers: &mut Wakers,
    ) -> bool {
        if let Some(entry) = self.table.get_id_mut(request_id)
            && matches!(entry, Entry::Waiting(..))
        {
            let replied = Entry::Replied(header, message);
            if let Entry::Waiting(waker, _) = mem::replace(entry, replied) {
                wakers.push(waker);
            }
            self.in_flight -= 1;
            self.strays = 0;
            return true;
        }
        if self.forsaken > 0 {
            self.forsaken -= 1;
            return true;
        }
        self.strays += 1;
        false
    }

    /// How many replies to nobody have come, one behind the other.
    pub(super) fn strays(&self) -> usize {
        self.strays
    }

    /// Notes that a reply may come to a request for which nobody waits.
    pub(super) fn forsake(&mut self) {
        self.forsaken += 1;
    }

    /// The end of a call, if there is one. Returns also what has to be dropped outside of
    /// the lock.
    pub(super) fn poll(&mut self, place: CallPlace, waker: &Waker) -> (Poll<Reply>, Option<Waker>) {
        if let Some(Entry::Waiting(known, _)) = self.table.get_mut(place) {
            let before = match known.will_wake(waker) {
                true => None,
                false => Some(mem::replace(known, waker.clone())),
            };
            return (Poll::Pending, before);
        }
        let reply = match self.table.remove(place) {
            Some(Entry::Replied(header, message)) => Reply::Come(header, message),
            Some(Entry::Ended(before)) => Reply::Never(before),
            // A future takes its reply once.
            Some(Entry::Waiting(_, before)) => Reply::Never(before),
            None => Reply::Never(u64::MAX),
        };
        (Poll::Ready(reply), None)
    }

    /// Takes a call away for which nobody waits any more. True if it might get a reply:
    /// the peer is to be told.
    pub(super) fn abandon(&mut self, place: CallPlace) -> (bool, Abandoned) {
        match self.table.remove(place) {
            Some(Entry::Waiting(waker, _)) => {
                self.in_flight -= 1;
                self.forsaken += 1;
                (true, Abandoned::Waker(waker))
            }
            Some(Entry::Replied(_, message)) => (false, Abandoned::Reply(message)),
            Some(Entry::Ended(_)) | None => (false, Abandoned::Nothing),
        }
    }

    /// Ends all calls, and the waiting of all others.
    pub(super) fn end(&mut self, wakers: &mut Wakers) {
        for entry in self.table.values_mut() {
            if let Entry::Waiting(_, before) = *entry
                && let Entry::Waiting(waker, _) = mem::replace(entry, Entry::Ended(before))
            {
                wakers.push(waker);
            }
        }
        self.in_flight = 0;
        self.granted = (0, 0);
        self.queue.clear();
        self.leaving.clear();
        self.tickets.end(wakers);
    }
}

/// The rest of a call that was abandoned, to be dropped outside of the lock.
pub(super) enum Abandoned {
    Nothing,
    #[expect(dead_code, reason = "it is there to be dropped")]
    Waker(Waker),
    #[expect(dead_code, reason = "it is there to be dropped")]
    Reply(Message),
}

impl Tickets {
    fn len(&self) -> usize {
        self.slots.len() - self.vacant.len()
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn add(&mut self, octets: usize, waker: &Waker) -> Ticket {
        let number = self.next_number;
        self.next_number += 1;
        let slot = TicketSlot {
            number,
            waker: Some(waker.clone()),
            octets,
            is_granted: false,
        };
        let index = match self.vacant.pop() {
            Some(index) => {
                self.slots[index as usize] = slot;
                index
            }
            None => {
                self.slots.push(slot);
                // There are never so many futures.
                (self.slots.len() - 1) as u32
            }
        };
        Ticket { index, number }
    }

    fn get(&mut self, ticket: Ticket) -> Option<&mut TicketSlot> {
        let slot = self.slots.get_mut(ticket.index as usize)?;
        (slot.number == ticket.number).then_some(slot)
    }

    fn remove(&mut self, ticket: Ticket) -> Option<Waker> {
        let slot = self.get(ticket)?;
        slot.number = u64::MAX;
        let waker = slot.waker.take();
        self.vacant.push(ticket.index);
        waker
    }

    /// Takes all away.
    fn end(&mut self, wakers: &mut Wakers) {
        self.vacant.clear();
        for slot in mem::take(&mut self.slots) {
            wakers.extend(slot.waker);
        }
    }
}

impl TicketSlot {
    /// Takes another waker; returns the one before, to be dropped outside of the lock.
    fn renew(&mut self, waker: &Waker) -> Option<Waker> {
        match &mut self.waker {
            Some(known) if known.will_wake(waker) => None,
            known => known.replace(waker.clone()),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use taut_giop::Version;
    use taut_giop::message::MessageType;

    use super::*;

    fn header() -> MessageHeader {
        MessageHeader::bodyless(Version::V1_2, MessageType::Reply)
    }

    fn admit(
        calls: &mut Calls,
        ticket: &mut Option<Ticket>,
        octets: usize,
        waiting: usize,
    ) -> bool {
        calls.admit(ticket, octets, waiting, Waker::noop()).0
    }

    #[test]
    fn calls_beyond_the_limit_wait_and_go_in_the_order_in_which_they_came() {
        let mut calls = Calls::new(1, 1_000);
        let mut wakers = Vec::new();
        assert!(admit(&mut calls, &mut None, 1, 0));
        let place = calls.begin(2, 0, Waker::noop().clone()).unwrap();
        let mut tickets = [None; 3];
        for ticket in &mut tickets {
            assert!(!admit(&mut calls, ticket, 1, 0));
        }
        // The first gives up.
        calls.forget(tickets[0].unwrap());
        calls.grant(0, &mut wakers);
        assert!(wakers.is_empty());
        assert!(calls.reply(2, header(), Message::none(), &mut wakers));
        calls.grant(0, &mut wakers);
        assert_eq!(wakers.len(), 2, "that of the call, and one that waited");
        assert!(!admit(&mut calls, &mut tickets[2], 1, 0));
        // One that comes now does not overtake those that wait.
        assert!(!admit(&mut calls, &mut None, 1, 0));
        assert!(admit(&mut calls, &mut tickets[1], 1, 0));
        assert!(matches!(
            calls.poll(place, Waker::noop()).0,
            Poll::Ready(Reply::Come(..))
        ));
    }

    #[test]
    fn a_turn_that_is_not_taken_goes_to_the_next() {
        let mut calls = Calls::new(10, 100);
        let mut wakers = Vec::new();
        let (mut one, mut two, mut large) = (None, None, None);
        assert!(!admit(&mut calls, &mut one, 50, 90));
        assert!(!admit(&mut calls, &mut two, 50, 90));
        assert!(!admit(&mut calls, &mut large, 500, 90));
        calls.grant(50, &mut wakers);
        assert_eq!(wakers.len(), 1, "there is room for one");
        calls.forget(one.unwrap());
        calls.grant(50, &mut wakers);
        assert_eq!(wakers.len(), 2);
        assert!(admit(&mut calls, &mut two, 50, 50));
        calls.grant(50, &mut wakers);
        assert_eq!(wakers.len(), 2, "a large one waits until nothing else does");
        calls.grant(0, &mut wakers);
        assert_eq!(wakers.len(), 3);
        assert!(admit(&mut calls, &mut large, 500, 0));
        assert!(calls.are_none());
    }

    #[test]
    fn replies_to_abandoned_calls_are_no_strays() {
        let (mut calls, mut wakers) = (Calls::new(10, 100), Vec::new());
        let place = calls.begin(2, 0, Waker::noop().clone()).unwrap();
        assert!(calls.begin(2, 0, Waker::noop().clone()).is_none());
        assert!(calls.abandon(place).0);
        assert!(!calls.abandon(place).0);
        assert!(calls.are_none() && calls.in_flight() == 0);
        assert!(calls.reply(2, header(), Message::none(), &mut wakers));
        assert!(!calls.reply(2, header(), Message::none(), &mut wakers));
        assert_eq!((calls.strays(), wakers.len()), (1, 0));
    }

    #[test]
    fn the_end_leaves_replies_that_have_come() {
        let (mut calls, mut wakers) = (Calls::new(10, 100), Vec::new());
        let replied = calls.begin(2, 0, Waker::noop().clone()).unwrap();
        let waits = calls.begin(4, 70, Waker::noop().clone()).unwrap();
        let leaves = calls.leave_by(100, Waker::noop());
        calls.reply(2, header(), Message::none(), &mut wakers);
        calls.end(&mut wakers);
        assert_eq!(wakers.len(), 3);
        let mut poll = |place| calls.poll(place, Waker::noop()).0;
        assert!(matches!(poll(replied), Poll::Ready(Reply::Come(..))));
        assert!(matches!(poll(waits), Poll::Ready(Reply::Never(70))));
        assert!(calls.poll_left(leaves, Waker::noop()).0);
        assert!(calls.are_none());
    }
}
