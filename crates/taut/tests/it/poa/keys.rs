//! Forged object keys: whatever they say, nobody is reached but whom they name.

use taut::{
    Current, IdAssignmentPolicy, LifespanPolicy, ObjectId, ObjectRef, Poa, Policy, Reference,
};
use taut_giop::ior::IiopProfile;

use crate::common;
use crate::poa::house::{House, Probe, call, probe, skeleton};

const SLOT: u8 = 1;
const NAMED: u8 = 2;
const PERSISTENT: u8 = 3;

/// An object key, in its parts.
#[derive(Debug, Clone, PartialEq)]
struct Key {
    format: u8,
    incarnation: Vec<u8>,
    poa: Vec<u8>,
    object: Vec<u8>,
    path: Vec<u8>,
    id: Vec<u8>,
}

impl Key {
    fn of(object: &ObjectRef) -> Self {
        let profile = IiopProfile::parse(&object.ior().profiles[0].data).unwrap();
        Self::read(&profile.object_key)
    }

    fn read(octets: &[u8]) -> Self {
        let (head, tail) = octets.split_at(36);
        let length = |octets: &[u8]| usize::from(u16::from_be_bytes([octets[0], octets[1]]));
        let (path, id) = match head[3] {
            PERSISTENT => tail[2..].split_at(length(tail)),
            _ => tail.split_at(0),
        };
        Self {
            format: head[3],
            incarnation: head[4..20].to_vec(),
            poa: head[20..28].to_vec(),
            object: head[28..36].to_vec(),
            path: path.to_vec(),
            id: id.to_vec(),
        }
    }

    fn octets(&self) -> Vec<u8> {
        let mut octets = vec![0, b'T', b'a', self.format];
        octets.extend([&*self.incarnation, &self.poa, &self.object].concat());
        if self.format == PERSISTENT {
            octets.extend((self.path.len() as u16).to_be_bytes());
            octets.extend(&self.path);
        }
        if self.format != SLOT {
            octets.extend(&self.id);
        }
        octets
    }

    /// A reference with this key at the server's address.
    fn reference(&self, house: &House) -> ObjectRef {
        let escaped: String = self
            .octets()
            .iter()
            .map(|octet| format!("%{octet:02x}"))
            .collect();
        let port = house.orb.published_addresses()[0].port().unwrap();
        let url = format!("corbaloc:iiop:1.2@127.0.0.1:{port}/{escaped}");
        house.orb.string_to_object(&url).unwrap()
    }
}

fn hex(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{octet:02x}")).collect()
}

/// A servant that says of which object of which POA it is.
fn teller(place: &str) -> std::sync::Arc<Probe> {
    let place = place.to_owned();
    probe(move |_| {
        Ok(format!(
            "{place} {}",
            hex(Current::object_id()?.as_octets())
        ))
    })
}

/// POAs of all sorts with three objects each, as (POA, key of one of its objects).
fn population(house: &House) -> Vec<(Poa, Key)> {
    let mut keys = Vec::new();
    let mut parent = house.root.clone();
    for lifespan in [LifespanPolicy::Transient, LifespanPolicy::Persistent] {
        for assignment in [IdAssignmentPolicy::SystemId, IdAssignmentPolicy::UserId] {
            for level in 0..2 {
                let name = format!("{lifespan:?} {assignment:?} {level}");
                let policies: [Policy; 2] = [lifespan.into(), assignment.into()];
                let manager = Some(house.root.manager());
                let poa = parent.create_poa(&name, manager, &policies).unwrap();
                let mut ids = (0..3).map(|number| {
                    // As the ids that the POA would assign, among others.
                    ObjectId::new([b"\0\0\0\0\0\0\0\0", b"\0\0\0\x01\0\0\0\0", b"somebody"][number])
                });
                for id in ids.by_ref() {
                    let servant = skeleton(&teller(&name));
                    let object = match assignment {
                        IdAssignmentPolicy::SystemId => poa.activate(servant).unwrap(),
                        IdAssignmentPolicy::UserId => poa.activate_with_id(&id, servant).unwrap(),
                    };
                    keys.push((poa.clone(), Key::of(object.as_object())));
                }
                parent = if level == 0 { poa } else { house.root.clone() };
            }
        }
    }
    keys
}

#[test]
fn nobody_is_reached_but_whom_a_key_names() {
    let house = House::new();
    let keys = population(&house);
    let mut reached = 0;
    let mut check = |key: &Key| {
        let Ok(answer) = call(&key.reference(&house), "") else {
            return;
        };
        reached += 1;
        let (place, id) = answer.rsplit_once(' ').unwrap();
        let mut poas = keys.iter().filter(|(poa, _)| poa.name() == place);
        let (_, own) = poas.next().unwrap();
        match key.format {
            PERSISTENT => {
                assert_eq!(key.path, own.path, "{key:?} reached {answer}");
                assert_eq!(hex(&key.id), id, "{key:?} reached {answer}");
            }
            format => {
                assert_eq!(key.poa, own.poa, "{key:?} reached {answer}");
                assert_eq!(key.incarnation, own.incarnation);
                match format {
                    NAMED => assert_eq!(hex(&key.id), id, "{key:?} reached {answer}"),
                    _ => assert!(id.ends_with(&hex(&key.object)), "{key:?} reached {answer}"),
                }
            }
        }
    };
    for (_, one) in &keys {
        check(one);
        for (_, other) in &keys {
            for mixture in [
                Key {
                    poa: other.poa.clone(),
                    ..one.clone()
                },
                Key {
                    object: other.object.clone(),
                    ..one.clone()
                },
                Key {
                    path: other.path.clone(),
                    ..one.clone()
                },
                Key {
                    id: other.id.clone(),
                    ..one.clone()
                },
                Key {
                    format: other.format,
                    ..one.clone()
                },
                Key {
                    poa: other.poa.clone(),
                    object: other.object.clone(),
                    ..one.clone()
                },
                Key {
                    id: other.object.clone(),
                    format: NAMED,
                    ..one.clone()
                },
            ] {
                check(&mixture);
            }
        }
        for stranger in [vec![0; 16], vec![0xff; 16]] {
            check(&Key {
                incarnation: stranger,
                ..one.clone()
            });
        }
        // One bit of the places.
        for octet in 0..8 {
            let (mut poa, mut object) = (one.poa.clone(), one.object.clone());
            poa[octet] ^= 1;
            object[octet] ^= 1;
            check(&Key { poa, ..one.clone() });
            check(&Key {
                object,
                ..one.clone()
            });
        }
    }
    // The keys that were not forged, at the least.
    assert!(reached >= keys.len());
}

#[test]
fn hints_that_lead_nowhere_do_not_keep_anybody_from_the_object() {
    let house = House::new();
    for (poa, key) in population(&house) {
        let name = poa.name();
        let misleads = |key: &Key| call(&key.reference(&house), "").unwrap();
        for hint in [[0xff; 8], [0; 8], [0, 0, 0, 1, 0, 0, 0, 0]] {
            let hint = hint.to_vec();
            if key.format != SLOT {
                let answer = misleads(&Key {
                    object: hint.clone(),
                    ..key.clone()
                });
                assert!(answer.starts_with(name) && answer.ends_with(&hex(&key.id)));
            }
            if key.format == PERSISTENT {
                let answer = misleads(&Key {
                    poa: hint,
                    ..key.clone()
                });
                assert!(answer.starts_with(name) && answer.ends_with(&hex(&key.id)));
                let incarnation = vec![7; 16];
                let answer = misleads(&Key {
                    incarnation,
                    ..key.clone()
                });
                assert!(answer.starts_with(name) && answer.ends_with(&hex(&key.id)));
            }
        }
    }
}

#[test]
fn broken_keys_are_refused() {
    let house = House::new();
    for (_, key) in population(&house) {
        let whole = key.octets();
        for length in 0..whole.len() {
            let escaped: String = whole[..length]
                .iter()
                .map(|octet| format!("%{octet:02x}"))
                .collect();
            let port = house.orb.published_addresses()[0].port().unwrap();
            let client = common::client(&format!("corbaloc:iiop:1.2@127.0.0.1:{port}/{escaped}"));
            let outcome = common::Echo::echo(&client, "");
            // A shorter id is the id of nobody here.
            assert!(
                outcome.is_err(),
                "{length} octets of {key:?} reached {outcome:?}"
            );
        }
    }
}
