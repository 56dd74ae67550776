//! The seven policies, in every combination.

use taut::{
    IdAssignmentPolicy, IdUniquenessPolicy, ImplicitActivationPolicy, LifespanPolicy, PoaError,
    Policy, RequestProcessingPolicy, ServantRetentionPolicy, ThreadPolicy,
};

use crate::poa::house::House;

/// A value of each policy, named.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Combination {
    pub(crate) thread: ThreadPolicy,
    pub(crate) lifespan: LifespanPolicy,
    pub(crate) uniqueness: IdUniquenessPolicy,
    pub(crate) assignment: IdAssignmentPolicy,
    pub(crate) retention: ServantRetentionPolicy,
    pub(crate) processing: RequestProcessingPolicy,
    pub(crate) implicit: ImplicitActivationPolicy,
}

impl Combination {
    /// All of them, legal or not.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..192).map(|number| Self {
            thread: [ThreadPolicy::OrbControlled, ThreadPolicy::SingleThread][number % 2],
            lifespan: [LifespanPolicy::Transient, LifespanPolicy::Persistent][number / 2 % 2],
            uniqueness: [IdUniquenessPolicy::UniqueId, IdUniquenessPolicy::MultipleId]
                [number / 4 % 2],
            assignment: [IdAssignmentPolicy::SystemId, IdAssignmentPolicy::UserId][number / 8 % 2],
            retention: [
                ServantRetentionPolicy::Retain,
                ServantRetentionPolicy::NonRetain,
            ][number / 16 % 2],
            implicit: [
                ImplicitActivationPolicy::NoImplicitActivation,
                ImplicitActivationPolicy::ImplicitActivation,
            ][number / 32 % 2],
            processing: [
                RequestProcessingPolicy::UseActiveObjectMapOnly,
                RequestProcessingPolicy::UseDefaultServant,
                RequestProcessingPolicy::UseServantManager,
            ][number / 64],
        })
    }

    /// Those that may be together.
    pub(crate) fn legal() -> impl Iterator<Item = Self> {
        Self::all().filter(|combination| combination.conflicts().is_empty())
    }

    pub(crate) fn policies(&self) -> [Policy; 7] {
        [
            self.thread.into(),
            self.lifespan.into(),
            self.uniqueness.into(),
            self.assignment.into(),
            self.retention.into(),
            self.processing.into(),
            self.implicit.into(),
        ]
    }

    pub(crate) fn is_system(&self) -> bool {
        self.assignment == IdAssignmentPolicy::SystemId
    }

    pub(crate) fn is_unique(&self) -> bool {
        self.uniqueness == IdUniquenessPolicy::UniqueId
    }

    pub(crate) fn is_retain(&self) -> bool {
        self.retention == ServantRetentionPolicy::Retain
    }

    pub(crate) fn is_implicit(&self) -> bool {
        self.implicit == ImplicitActivationPolicy::ImplicitActivation
    }

    pub(crate) fn is_default(&self) -> bool {
        self.processing == RequestProcessingPolicy::UseDefaultServant
    }

    pub(crate) fn is_managed(&self) -> bool {
        self.processing == RequestProcessingPolicy::UseServantManager
    }

    /// The pairs of policies here that the standard forbids (15.3.8).
    fn conflicts(&self) -> Vec<[Policy; 2]> {
        let mut conflicts: Vec<[Policy; 2]> = Vec::new();
        if !self.is_retain() && !self.is_default() && !self.is_managed() {
            conflicts.push([self.retention.into(), self.processing.into()]);
        }
        if self.is_default() && self.is_unique() {
            conflicts.push([self.processing.into(), self.uniqueness.into()]);
        }
        if self.is_implicit() && !self.is_system() {
            conflicts.push([self.implicit.into(), self.assignment.into()]);
        }
        if self.is_implicit() && !self.is_retain() {
            conflicts.push([self.implicit.into(), self.retention.into()]);
        }
        conflicts
    }
}

/// The defaults, which need not be said (15.3.8).
fn defaults() -> [Policy; 7] {
    [
        ThreadPolicy::default().into(),
        LifespanPolicy::default().into(),
        IdUniquenessPolicy::default().into(),
        IdAssignmentPolicy::default().into(),
        ServantRetentionPolicy::default().into(),
        RequestProcessingPolicy::default().into(),
        ImplicitActivationPolicy::default().into(),
    ]
}

#[test]
fn policies_that_cannot_be_together_are_refused_with_the_index_of_one_of_them() {
    let house = House::new();
    let (mut legal, mut illegal) = (0, 0);
    for (number, combination) in Combination::all().enumerate() {
        let conflicts = combination.conflicts();
        let all = combination.policies();
        let mut orders: Vec<Vec<Policy>> = (0..7)
            .map(|first| [&all[first..], &all[..first]].concat())
            .collect();
        // Only what is not the default.
        orders.push(
            all.into_iter()
                .filter(|policy| !defaults().contains(policy))
                .collect(),
        );
        for (order, policies) in orders.iter().enumerate() {
            let name = format!("{number}.{order}");
            let created = house.root.create_poa(&name, None, policies);
            if conflicts.is_empty() {
                created.unwrap();
                legal += 1;
                continue;
            }
            let Err(PoaError::InvalidPolicy { index }) = created else {
                panic!("{created:?} for {policies:?}");
            };
            let blamed = policies[usize::from(index)];
            let conflict = conflicts.iter().find(|conflict| conflict.contains(&blamed));
            let conflict = conflict.unwrap_or_else(|| panic!("{blamed:?} of {policies:?}"));
            // The other one came before it, or is a default.
            let [one, two] = *conflict;
            let other = if one == blamed { two } else { one };
            let position = policies.iter().position(|policy| *policy == other);
            assert!(position.is_none_or(|position| position < usize::from(index)));
            let missing = house.root.find_poa(&name, false);
            assert_eq!(missing, Err(PoaError::AdapterNonExistent));
            illegal += 1;
        }
    }
    assert_eq!((legal + illegal) / 8, 192);
    assert_eq!(legal / 8, Combination::legal().count());
    assert!(illegal > legal);
}

#[test]
fn a_policy_that_is_there_twice_is_refused_with_the_index_of_the_second() {
    let house = House::new();
    for combination in [Combination::all().next(), Combination::all().last()] {
        let all = combination.unwrap().policies();
        for (index, policy) in all.into_iter().enumerate() {
            for other in [policy, defaults()[index]] {
                let policies = [&all[..], &[other]].concat();
                let created = house.root.create_poa("twice", None, &policies);
                assert_eq!(created, Err(PoaError::InvalidPolicy { index: 7 }));
                let created = house.root.create_poa("twice", None, &[policy, other]);
                assert_eq!(created, Err(PoaError::InvalidPolicy { index: 1 }));
            }
        }
    }
}

#[test]
fn the_root_poa_and_a_child_without_policies_differ_in_implicit_activation_alone() {
    let house = House::new();
    let child = house.child("plain", &[]);
    let explicit = house.child("explicit", &defaults());
    let shown = |poa: &taut::Poa| {
        let shown = format!("{poa:?}");
        let policies = shown.split("policies: ").nth(1).unwrap();
        policies.split('}').next().unwrap().to_owned()
    };
    assert_eq!(shown(&child), shown(&explicit));
    assert_ne!(shown(&child), shown(&house.root));
    let with_implicit = house.child(
        "implicit",
        &[ImplicitActivationPolicy::ImplicitActivation.into()],
    );
    assert_eq!(shown(&with_implicit), shown(&house.root));
}
