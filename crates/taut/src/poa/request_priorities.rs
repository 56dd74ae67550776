//! The priorities at which a POA carries requests out (Real-time CORBA 1.2, 4.7 and 4.8).

use taut_cdr::ByteOrder;
use taut_giop::component::TaggedComponent;
use taut_giop::service_context;
use taut_giop::{SystemException, SystemExceptionKind, minor};

use super::active_object_map::{ActiveObjectMap, FoundObject};
use super::error::{own_refusal, refusal};
use super::object_key::ObjectKey;
use super::policy::{ToldPolicies, component};
use super::{ObjectId, Poa, PoaError, Shared};
use crate::core::OrbCore;
use crate::policy::{
    Policy, PolicyLevels, PolicySet, PriorityBandedConnectionPolicy, PriorityModel,
    PriorityModelPolicy, ServerProtocolPolicy, SetOverrideType,
};
use crate::priority::{self, AtOnce, AtPriority, Priority, not_real_time};
use crate::server::SentPriority;
use crate::shared_lock::SharedLock;
use crate::sorted_map::SortedMap;
use crate::upcall::contexts;
use taut_giop::message::priority_context;
use taut_sync::slot_table::SlotId;

/// The priorities of a POA that has a [`PriorityModelPolicy`].
pub(super) struct RequestPriorities {
    policy: PriorityModelPolicy,
    /// All policies that its references tell.
    told: PolicySet,
    /// Those of objects that references have been made to before they were active. They
    /// stay as long as the POA.
    announced: SharedLock<SortedMap<ObjectId, Priority>>,
}

impl RequestPriorities {
    /// Those of a POA whose references tell these policies; none without a model.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER with [`minor::NOT_REAL_TIME`] for a model where the ORB has no priorities;
    /// DATA_CONVERSION, OMG minor 2, for a priority that has no native one; BAD_PARAM with
    /// [`minor::OBJECT_PRIORITY_IN_NO_BAND`] for one that is in no band.
    pub(super) fn of(told: &PolicySet, core: &OrbCore) -> Result<Option<Self>, SystemException> {
        let Some(policy) = told.find::<PriorityModelPolicy>() else {
            return Ok(None);
        };
        if !core.priorities.is_real_time() {
            return Err(not_real_time());
        }
        let this = Self {
            policy: *policy,
            told: told.clone(),
            announced: SharedLock::default(),
        };
        this.check(core, policy.server_priority)?;
        Ok(Some(this))
    }

    /// Whether requests have the priorities of those who send them.
    #[inline]
    pub(super) fn are_of_clients(&self) -> bool {
        self.policy.priority_model == PriorityModel::ClientPropagated
    }

    /// Checks that an object may have this priority.
    ///
    /// # Errors
    ///
    /// As [`of`](Self::of).
    fn check(&self, core: &OrbCore, priority: Priority) -> Result<(), SystemException> {
        core.priorities.to_native(priority)?;
        let bands = self.told.find::<PriorityBandedConnectionPolicy>();
        let bands = bands.filter(|bands| !bands.0.is_empty());
        match bands.is_some_and(|bands| bands.band_of(priority).is_none()) {
            true => Err(own_refusal(
                SystemExceptionKind::BadParam,
                minor::OBJECT_PRIORITY_IN_NO_BAND,
            )),
            false => Ok(()),
        }
    }

    /// The priority at which a request for an object is carried out that its sender has sent
    /// with this one, where the object has `own` or none.
    #[inline]
    fn of_request(
        &self,
        core: &OrbCore,
        sent: SentPriority,
        own: Option<Priority>,
        key: &ObjectKey<'_>,
        map: &ActiveObjectMap,
    ) -> Result<Priority, SystemException> {
        if let SentPriority::Known(priority) = sent {
            return Ok(priority);
        }
        if !self.are_of_clients() {
            return Ok(own.unwrap_or(self.policy.server_priority));
        }
        Ok(match sent {
            SentPriority::Context(priority) if core.priorities.has_transform() => {
                with_id(key, map, |id| core.priorities.inbound(priority, id))?
            }
            SentPriority::Context(priority) | SentPriority::OfThread(priority) => priority,
            SentPriority::None | SentPriority::Known(_) => self.policy.server_priority,
        })
    }
}

impl Poa {
    /// Gives the calling thread the priority of a request for the object with this key, as long
    /// as the value lives that is returned, and has the reply tell it that of a client. None in
    /// a POA without priorities.
    ///
    /// # Errors
    ///
    /// DATA_CONVERSION or NO_PERMISSION, where the thread cannot have it.
    pub(super) fn at_priority(
        &self,
        key: &ObjectKey<'_>,
        sent: SentPriority,
    ) -> Result<Option<AtPriority>, SystemException> {
        let Some(priorities) = &self.shared.priorities else {
            return Ok(None);
        };
        if let SentPriority::Context(priority) = sent
            && priorities.are_of_clients()
        {
            let data = priority_context(ByteOrder::NATIVE, priority.get());
            let id = service_context::id::RT_CORBA_PRIORITY;
            contexts::with_reply(|list| list.push(id, &data));
        }
        let priority = self.priority_of_request(priorities, key, sent)?;
        self.at(key, priority).map(Some)
    }

    fn priority_of_request(
        &self,
        priorities: &RequestPriorities,
        key: &ObjectKey<'_>,
        sent: SentPriority,
    ) -> Result<Priority, SystemException> {
        let shared = &self.shared;
        let own = match priorities.are_of_clients() {
            true => None,
            false => shared.priority_of(key.object, key.name.id()),
        };
        priorities.of_request(&shared.table.core, sent, own, key, &shared.map)
    }

    /// [`at_priority_of`](Self::at_priority_of) for a request without a priority of its sender,
    /// where the thread has the native priority already and no transform takes part; none where it
    /// is not so.
    #[inline(always)]
    pub(super) fn at_once(&self, found: &FoundObject) -> Option<AtOnce> {
        let policy = self.shared.priorities.as_ref()?.policy;
        self.at_once_as(match policy.priority_model {
            PriorityModel::ClientPropagated => policy.server_priority,
            PriorityModel::ServerDeclared => found.priority().unwrap_or(policy.server_priority),
        })
    }

    /// Gives the calling thread this priority, likewise.
    #[inline(always)]
    pub(super) fn at_once_as(&self, priority: Priority) -> Option<AtOnce> {
        priority::at_once(&self.shared.table.core.priorities, priority)
    }

    /// [`at_priority`](Self::at_priority) for an object that was found at once, where the reply
    /// tells the priority already.
    #[cold]
    #[inline(never)]
    pub(super) fn at_priority_of(
        &self,
        found: &FoundObject,
        key: &ObjectKey<'_>,
        sent: SentPriority,
    ) -> Result<Option<AtPriority>, SystemException> {
        let shared = &self.shared;
        let Some(priorities) = &shared.priorities else {
            return Ok(None);
        };
        let core = &shared.table.core;
        let priority = priorities.of_request(core, sent, found.priority(), key, &shared.map)?;
        self.at(key, priority).map(Some)
    }

    /// Gives the calling thread a priority for a request for the object with this key.
    #[inline]
    fn at(&self, key: &ObjectKey<'_>, priority: Priority) -> Result<AtPriority, SystemException> {
        let Shared { table, map, .. } = &*self.shared;
        let priorities = &table.core.priorities;
        let at = priority::at(priorities, priority)?;
        match priorities.has_transform() {
            false => Ok(at),
            true => Ok(with_id(key, map, |id| at.for_object(id))),
        }
    }

    /// Whether requests have priorities.
    pub(super) fn has_priorities(&self) -> bool {
        self.shared.priorities.is_some()
    }

    /// Whether requests have the priorities of those who send them.
    #[inline]
    pub(super) fn has_priorities_of_clients(&self) -> bool {
        let priorities = &self.shared.priorities;
        priorities.as_ref().is_some_and(|all| all.are_of_clients())
    }

    /// Checks that an object of this POA may have a priority of its own.
    ///
    /// # Errors
    ///
    /// [`PoaError::WrongPolicy`] without SERVER_DECLARED; those of [`RequestPriorities::of`];
    /// BAD_INV_ORDER with OMG minor 18 if a reference has told another one.
    pub(super) fn check_priority(
        &self,
        id: Option<&ObjectId>,
        priority: Priority,
    ) -> Result<(), PoaError> {
        let shared = &self.shared;
        let priorities = shared
            .priorities
            .as_ref()
            .filter(|all| !all.are_of_clients());
        let priorities = priorities.ok_or(PoaError::WrongPolicy)?;
        priorities.check(&shared.table.core, priority)?;
        let Some(id) = id else { return Ok(()) };
        let announced = priorities.announced.read().get(id).copied();
        is_same(announced, priority)
    }

    /// Checks that an object, if it is active, has this priority.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER with OMG minor 18 if it has another one.
    pub(super) fn check_priority_of_active(
        &self,
        id: &ObjectId,
        priority: Priority,
    ) -> Result<(), PoaError> {
        let Some(priorities) = &self.shared.priorities else {
            return Ok(());
        };
        let found = self.shared.map.find_id(id);
        let of_poa = priorities.policy.server_priority;
        is_same(
            found.map(|found| found.priority().unwrap_or(of_poa)),
            priority,
        )
    }

    /// Notes the priority of an object that need not be active yet.
    pub(super) fn announce_priority(&self, id: &ObjectId, priority: Priority) {
        if let Some(priorities) = &self.shared.priorities {
            priorities.announced.write().insert(id.clone(), priority);
        }
    }

    /// The priority that has been noted for an object with this id.
    pub(super) fn announced_priority(&self, id: Option<&ObjectId>) -> Option<Priority> {
        let priorities = self.shared.priorities.as_ref()?;
        priorities.announced.read().get(id?).copied()
    }
}

/// Runs `run` with the id of the object that a key names.
#[cold]
fn with_id<R>(key: &ObjectKey<'_>, map: &ActiveObjectMap, run: impl FnOnce(&[u8]) -> R) -> R {
    match key.name.id() {
        Some(id) => run(id),
        None => run(map.assigned_id(key.object).as_octets()),
    }
}

/// Checks that a priority is not assigned anew.
fn is_same(before: Option<Priority>, priority: Priority) -> Result<(), PoaError> {
    match before {
        Some(before) if before != priority => {
            Err(refusal(SystemExceptionKind::BadInvOrder, 18).into())
        }
        _ => Ok(()),
    }
}

impl Shared {
    /// The priority that an object has for itself, whether it is active or not.
    fn priority_of(&self, slot: SlotId, id: Option<&[u8]>) -> Option<Priority> {
        let priorities = self.priorities.as_ref()?;
        if let Some(found) = self.map.find(slot, id) {
            return found.priority();
        }
        let announced = priorities.announced.read();
        match id {
            Some(id) => announced.get(&ObjectId::new(id)).copied(),
            None => announced.get(&self.map.assigned_id(slot)).copied(),
        }
    }

    /// The component of the policies that a reference to an object tells, if that has a priority
    /// for itself.
    pub(super) fn told_of(&self, slot: SlotId, id: Option<&ObjectId>) -> Option<TaggedComponent> {
        let priorities = self.priorities.as_ref()?;
        let own = self.priority_of(slot, id.map(ObjectId::as_octets))?;
        if own == priorities.policy.server_priority {
            return None;
        }
        let policy: Policy = PriorityModelPolicy {
            server_priority: own,
            ..priorities.policy
        }
        .into();
        let (policy, how) = (std::slice::from_ref(&policy), SetOverrideType::Add);
        let told = priorities.told.with(policy, how, PolicyLevels::EXPOSED);
        // Its value has a form on the wire, for that of the POA has.
        component(&told.ok()?).ok().flatten()
    }
}

impl ToldPolicies {
    /// Those of a set, and what they mean to the POA.
    ///
    /// # Errors
    ///
    /// MARSHAL for one that has no form on the wire; those of [`RequestPriorities::of`].
    pub(super) fn new(told: &PolicySet, core: &OrbCore) -> Result<Self, PoaError> {
        Ok(Self {
            component: component(told)?,
            protocols: told
                .find::<ServerProtocolPolicy>()
                .map(|policy| policy.protocol_types().into()),
            priorities: RequestPriorities::of(told, core)?.map(Box::new),
        })
    }
}
