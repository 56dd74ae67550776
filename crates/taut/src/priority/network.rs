//! The marks of packets by which networks tell the priorities of calls (TAO's
//! `NetworkPriorityMapping`).

use std::fmt;

use taut_transport::{ConnectionOptions, Dscp};

use super::{Priorities, Priority};

/// A rule by which CORBA priorities become marks of packets, for
/// [`RealTime::network_mapping`](super::RealTime::network_mapping) (TAO's
/// `NetworkPriorityMapping`).
pub trait NetworkPriorityMapping: Send + Sync + fmt::Debug {
    /// Returns the mark of the packets of calls with this priority; none: they are not marked.
    fn to_network(&self, priority: Priority) -> Option<Dscp>;

    /// Returns the CORBA priority that a mark stands for, if there is one.
    fn to_corba(&self, mark: Dscp) -> Option<Priority>;

    /// Returns the queue of the network device for calls with this priority; none: the one that
    /// the system takes. Without this method, the priorities are divided among the queues 0 to
    /// 6, for which no process needs a right.
    fn queue(&self, priority: Priority) -> Option<u32> {
        Some(part_of(priority, QUEUES) as u32)
    }
}

/// How many queues any process may choose among.
const QUEUES: usize = 7;

/// The mapping that divides all CORBA priorities among the classes that networks know: best
/// effort, the four classes of assured forwarding with their three precedences each (RFC 2597),
/// class selector 5, and expedited forwarding (RFC 3246). The two classes of networks' own
/// control are not among them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LinearNetworkMapping;

/// The marks, the least urgent first.
const MARKS: [u8; 15] = [0, 14, 12, 10, 22, 20, 18, 30, 28, 26, 38, 36, 34, 40, 46];

/// How many CORBA priorities there are.
const PRIORITIES: usize = i16::MAX as usize + 1;

/// The part in which a priority lies, where all are divided into so many.
fn part_of(priority: Priority, parts: usize) -> usize {
    usize::from(priority.get().unsigned_abs()) * parts / PRIORITIES
}

impl NetworkPriorityMapping for LinearNetworkMapping {
    fn to_network(&self, priority: Priority) -> Option<Dscp> {
        let mark = MARKS.get(part_of(priority, MARKS.len()))?;
        Dscp::new(*mark)
    }

    /// The least urgent priority that has the mark.
    fn to_corba(&self, mark: Dscp) -> Option<Priority> {
        let place = MARKS.iter().position(|one| *one == mark.get())?;
        let least = (place * PRIORITIES).div_ceil(MARKS.len());
        Priority::new(i16::try_from(least).ok()?).ok()
    }
}

impl Priorities {
    /// Returns the options of connections for calls with this priority, by the ORB's
    /// [`NetworkPriorityMapping`]; none without a priority, or without priorities.
    pub(crate) fn options_for(&self, priority: Option<Priority>) -> ConnectionOptions {
        let mut options = ConnectionOptions::NONE;
        if let Some((mapping, priority)) = self.network_mapping().zip(priority) {
            options.dscp = mapping.to_network(priority);
            options.queue_priority = mapping.queue(priority);
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_queues_rise_with_priorities_and_come_back() {
        let mapping = LinearNetworkMapping;
        let of = |number| Priority::new(number).unwrap();
        assert_eq!(mapping.to_network(Priority::MIN), Some(Dscp::DEFAULT));
        assert_eq!(mapping.to_network(Priority::MAX), Some(Dscp::EXPEDITED));
        assert_eq!(
            (mapping.queue(Priority::MIN), mapping.queue(Priority::MAX)),
            (Some(0), Some(6))
        );
        let (mut place, mut queue) = (0, 0);
        for priority in (0..=i16::MAX).map(of) {
            let mark = mapping.to_network(priority).unwrap();
            let now = MARKS.iter().position(|one| *one == mark.get()).unwrap();
            assert!((place..=place + 1).contains(&now), "{priority:?}");
            if now > place || priority == Priority::MIN {
                assert_eq!(mapping.to_corba(mark), Some(priority));
            }
            place = now;
            let now = mapping.queue(priority).unwrap();
            assert!((queue..=queue + 1).contains(&now), "{priority:?}");
            queue = now;
        }
        assert_eq!(place, MARKS.len() - 1);
        assert_eq!(mapping.to_corba(Dscp::new(1).unwrap()), None);
    }

    #[test]
    fn without_priorities_connections_have_no_marks() {
        let none = Priorities::default();
        assert!(none.options_for(Some(Priority::MAX)).is_empty());
    }
}
