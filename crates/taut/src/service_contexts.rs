//! The service contexts that user code sends and receives with calls (CORBA 3.3 part 2,
//! 7.7): octets under a number, beside the arguments and results.

use smallvec::SmallVec;
use taut_giop::service_context::{self, ServiceContext as Borrowed, ServiceContexts};
use taut_giop::{
    CompletionStatus, LimitReached, Limits, SystemException, SystemExceptionKind, minor,
};

/// The service contexts that the ORB sends itself: user code may not.
const RESERVED: [u32; 3] = [
    service_context::id::CODE_SETS,
    service_context::id::BI_DIR_IIOP,
    service_context::id::TAUT_DEADLINE,
];

/// Those that an ORB with priorities sends.
const OF_PRIORITIES: [u32; 2] = [
    service_context::id::RT_CORBA_PRIORITY,
    service_context::id::RT_CORBA_PRIORITY_RANGE,
];

/// How many octets a list keeps for later use.
const MAX_KEPT_OCTETS: usize = 64 * 1024;

/// A service context: octets that go with a request or a reply (`IOP::ServiceContext`).
///
/// An id whose upper 24 bits are 0 belongs to the standard. The OMG gives others to
/// vendors, as it gives them their minor codes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ServiceContext {
    /// The number that says what the data is. Peers that do not know it pass the data over.
    pub id: u32,
    /// The data. Those that the standard defines are encapsulations, which begin with an
    /// octet that tells their byte order.
    pub data: Vec<u8>,
}

/// Service contexts in their order, in two pieces of memory that serve again.
#[derive(Debug, Default)]
pub(crate) struct ServiceContextList {
    /// The data of all, one behind the other.
    octets: Vec<u8>,
    /// The id of each, and where its data ends.
    entries: Vec<(u32, usize)>,
}

impl ServiceContextList {
    pub(crate) const EMPTY: Self = Self {
        octets: Vec::new(),
        entries: Vec::new(),
    };

    /// Appends one.
    pub(crate) fn push(&mut self, id: u32, data: &[u8]) {
        self.octets.extend_from_slice(data);
        self.entries.push((id, self.octets.len()));
    }

    /// Forgets all; most of the memory stays.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.octets.clear();
        self.octets.shrink_to(MAX_KEPT_OCTETS);
    }

    /// Takes what a message has in the place of all.
    pub(crate) fn replace(&mut self, received: &ServiceContexts<'_>) {
        self.clear();
        for context in received {
            self.push(context.id, context.data);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Borrowed<'_>> {
        let mut start = 0;
        self.entries.iter().map(move |&(id, end)| {
            let data = &self.octets[start..end];
            start = end;
            Borrowed { id, data }
        })
    }

    /// The contexts as they are sent, behind those of the ORB.
    pub(crate) fn behind<'a>(
        &'a self,
        own: impl IntoIterator<Item = Borrowed<'a>>,
    ) -> SmallVec<[Borrowed<'a>; 8]> {
        own.into_iter().chain(self.iter()).collect()
    }

    /// Copies for user code.
    pub(crate) fn to_vec(&self) -> Vec<ServiceContext> {
        let own = |context: Borrowed<'_>| ServiceContext {
            id: context.id,
            data: context.data.to_vec(),
        };
        self.iter().map(own).collect()
    }

    /// The data of the first with this id.
    pub(crate) fn find(&self, id: u32) -> Option<&[u8]> {
        let found = self.iter().find(|context| context.id == id);
        found.map(|context| context.data)
    }

    /// The first with this id, for user code.
    pub(crate) fn get(&self, id: u32) -> Option<ServiceContext> {
        let data = self.find(id)?.to_vec();
        Some(ServiceContext { id, data })
    }

    /// Appends one that an interceptor may send, or puts it in the place of those with its id.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER with OMG minor 15 if there is one that is not to be replaced; those of
    /// [`check`](Self::check).
    pub(crate) fn add(
        &mut self,
        context: &ServiceContext,
        replaces: bool,
        limits: &Limits,
    ) -> Result<(), SystemException> {
        if self.find(context.id).is_none() {
            return self.push_checked(context.id, &context.data, limits);
        }
        if !replaces {
            let kind = SystemExceptionKind::BadInvOrder;
            return Err(SystemException::omg(kind, 15, CompletionStatus::No));
        }
        check(context.id, &context.data, limits)?;
        let before = std::mem::take(self);
        let mut replaced = false;
        for one in before.iter() {
            match one.id == context.id {
                true if replaced => {}
                true => {
                    replaced = true;
                    self.push(context.id, &context.data);
                }
                false => self.push(one.id, one.data),
            }
        }
        Ok(())
    }

    /// Checks that user code may send all of them.
    ///
    /// # Errors
    ///
    /// BAD_PARAM with [`minor::RESERVED_SERVICE_CONTEXT`], IMP_LIMIT with
    /// [`minor::SERVICE_CONTEXT_LIMIT`].
    pub(crate) fn check(&self, limits: &Limits) -> Result<(), SystemException> {
        check_count(self.entries.len(), limits)?;
        let mut contexts = self.iter();
        contexts.try_for_each(|context| check(context.id, context.data, limits))
    }

    /// Checks that user code sends none of those by which an ORB tells priorities, and leaves
    /// room for one.
    ///
    /// # Errors
    ///
    /// BAD_PARAM with [`minor::RESERVED_SERVICE_CONTEXT`], IMP_LIMIT with
    /// [`minor::SERVICE_CONTEXT_LIMIT`].
    pub(crate) fn check_priorities(&self, limits: &Limits) -> Result<(), SystemException> {
        if !self.is_empty() {
            check_count(self.entries.len() + 1, limits)?;
        }
        let mut contexts = self.iter();
        match contexts.find(|context| OF_PRIORITIES.contains(&context.id)) {
            Some(context) => Err(reserved(context.id)),
            None => Ok(()),
        }
    }

    /// Appends one that user code may send.
    ///
    /// # Errors
    ///
    /// Those of [`check`](Self::check).
    pub(crate) fn push_checked(
        &mut self,
        id: u32,
        data: &[u8],
        limits: &Limits,
    ) -> Result<(), SystemException> {
        check_count(self.entries.len() + 1, limits)?;
        check(id, data, limits)?;
        self.push(id, data);
        Ok(())
    }
}

impl Clone for ServiceContextList {
    fn clone(&self) -> Self {
        let (octets, entries) = (self.octets.clone(), self.entries.clone());
        Self { octets, entries }
    }

    /// Takes what the other has, in the memory that is there.
    fn clone_from(&mut self, other: &Self) {
        self.octets.clone_from(&other.octets);
        self.entries.clone_from(&other.entries);
    }
}

/// Checks that user code may send so many, beside those of the ORB.
fn check_count(count: usize, limits: &Limits) -> Result<(), SystemException> {
    let limit = limits.max_service_contexts;
    match count > limit.saturating_sub(RESERVED.len()) {
        true => Err(too_many("limits.lists.max_service_contexts", limit, "")),
        false => Ok(()),
    }
}

/// Checks that user code may send this one.
pub(crate) fn check(id: u32, data: &[u8], limits: &Limits) -> Result<(), SystemException> {
    if RESERVED.contains(&id) {
        return Err(reserved(id));
    }
    let limit = limits.max_service_context_octets;
    match data.len() > limit {
        true => Err(too_many(
            "limits.lists.max_service_context_octets",
            limit,
            "octets",
        )),
        false => Ok(()),
    }
}

#[cold]
fn reserved(id: u32) -> SystemException {
    let (kind, minor) = (
        SystemExceptionKind::BadParam,
        minor::RESERVED_SERVICE_CONTEXT,
    );
    let name = service_context::id_name(id).unwrap_or_default();
    let exception = SystemException::new(kind, minor, CompletionStatus::No);
    exception.because(format!("the service context {id}, {name}"))
}

#[cold]
fn too_many(setting: &'static str, limit: usize, unit: &'static str) -> SystemException {
    let (kind, minor) = (SystemExceptionKind::ImpLimit, minor::SERVICE_CONTEXT_LIMIT);
    let mut exception = SystemException::new(kind, minor, CompletionStatus::No);
    exception.report_mut().limit = Some(LimitReached {
        setting,
        value: limit.try_into().unwrap_or(u64::MAX),
        unit,
    });
    exception
}
