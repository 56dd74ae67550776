//! The eight stages of a request's latency, of which each wants a rule and a bound where there are
//! priorities.

use super::Step;

/// A stage on the way of a request from the caller to the servant's method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// 1: marshaling at the client, with the choice of a connection.
    Marshaling,
    /// 2: queueing in the client's protocols.
    ClientQueueing,
    /// 3 to 5: the network, queueing in the server's protocols, and dispatching a thread. No probe
    /// lies between them: together they are what the client waits longer than the server works.
    Transit,
    /// 6: dispatching the request: the POA, the object and the operation.
    RequestDispatching,
    /// 7: demarshaling at the server.
    Demarshaling,
    /// 8: the servant's method.
    Method,
    /// The way back: marshaling, sending and demarshaling of the reply.
    Reply,
}

impl Stage {
    /// All stages, in the order of the way.
    pub const ALL: [Self; 7] = [
        Self::Marshaling,
        Self::ClientQueueing,
        Self::Transit,
        Self::RequestDispatching,
        Self::Demarshaling,
        Self::Method,
        Self::Reply,
    ];

    /// In words, with the number of the stage: `1 marshaling`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Marshaling => "1 marshaling",
            Self::ClientQueueing => "2 queueing at the client",
            Self::Transit => "3-5 network, queueing at the server, dispatching a thread",
            Self::RequestDispatching => "6 dispatching the request",
            Self::Demarshaling => "7 demarshaling",
            Self::Method => "8 the method",
            Self::Reply => "the reply",
        }
    }
}

impl Step {
    /// The stage that a step is a part of. None for the waits, of which [`Stage::Transit`] is the
    /// difference, and for all steps together.
    pub fn stage(self) -> Option<Stage> {
        Some(match self {
            Self::ConnectionLeased | Self::RequestWritten => Stage::Marshaling,
            Self::RequestSent => Stage::ClientQueueing,
            Self::RequestFramed | Self::ObjectFound | Self::OperationFound => {
                Stage::RequestDispatching
            }
            Self::ArgumentsDecoded => Stage::Demarshaling,
            Self::ServantReturned => Stage::Method,
            Self::ReplyWritten
            | Self::ReplySent
            | Self::ReplyChecked
            | Self::ResultDecoded
            | Self::CallReturned => Stage::Reply,
            Self::ReplyReceived | Self::RequestReceived | Self::Call | Self::Request => {
                return None;
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probes::Kind;

    #[test]
    fn each_step_but_the_waits_and_the_sums_is_a_part_of_a_stage() {
        let without = Step::ALL.into_iter().filter(|step| step.stage().is_none());
        let without: Vec<_> = without.collect();
        let expected = [
            Step::ReplyReceived,
            Step::Call,
            Step::RequestReceived,
            Step::Request,
        ];
        assert_eq!(without, expected);
        for stage in Stage::ALL {
            let has_step = Step::ALL
                .into_iter()
                .any(|step| step.stage() == Some(stage));
            assert_eq!(has_step, stage != Stage::Transit, "{stage:?}");
        }
        let method = Step::ALL
            .into_iter()
            .filter(|step| step.kind() == Kind::Servant);
        assert!(
            method
                .into_iter()
                .all(|step| step.stage() == Some(Stage::Method))
        );
        assert!(Stage::ALL.is_sorted());
    }
}
