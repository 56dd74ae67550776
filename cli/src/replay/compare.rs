//! Outcomes, compared.

use std::collections::HashMap;

use serde_json::{Map, Value as Json};

use crate::record::line::{self, OCTETS};

/// The most differences of a call that are told.
const TOLD: usize = 10;

/// The members of system exceptions that say nothing about the outcome.
const CIRCUMSTANCES: [&str; 2] = ["$minor", "$completed"];

/// References of the recording, and those that came in their place.
#[derive(Debug, Default)]
pub(super) struct References(HashMap<String, String>);

/// A place where two outcomes differ.
#[derive(Debug, PartialEq)]
pub(super) struct Difference {
    pub(super) place: String,
    pub(super) recorded: Json,
    pub(super) now: Json,
}

/// The outcome of comparing a call.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Comparison {
    /// The first differences.
    pub(super) differences: Vec<Difference>,
    /// How many more there are.
    pub(super) more: usize,
    /// Why the call could not be made.
    pub(super) fault: Option<String>,
    /// Whether there is nothing that could be compared.
    pub(super) is_incomparable: bool,
}

impl References {
    pub(super) fn insert(&mut self, recorded: &str, now: &str) {
        self.0.insert(recorded.to_owned(), now.to_owned());
    }

    /// The JSON with the references that came in the place of recorded ones.
    pub(super) fn replaced(&self, json: &Json) -> Json {
        match json {
            Json::String(text) => self.0.get(text).unwrap_or(text).as_str().into(),
            Json::Array(items) => items.iter().map(|item| self.replaced(item)).collect(),
            Json::Object(members) => {
                let members = members.iter();
                let members = members.map(|(name, json)| (name.clone(), self.replaced(json)));
                Json::Object(members.collect())
            }
            other => other.clone(),
        }
    }
}

impl Comparison {
    /// Compares the outcome of a line with another.
    pub(super) fn compare(
        &mut self,
        recorded: &Json,
        now: Option<&Map<String, Json>>,
        references: &mut References,
    ) {
        let outcome = |name: &str| recorded.get(name).cloned();
        let before = [line::RESULT, line::EXCEPTION].map(|name| (name, outcome(name)));
        let before = before
            .into_iter()
            .find_map(|(name, json)| Some((name, json?)));
        let now = now.and_then(|now| now.iter().next());
        match (before, now) {
            // One of a oneway, or whose reply never came.
            (None, _) | (_, None) => self.is_incomparable = true,
            (Some((name, before)), Some((other, now))) if name == other => {
                self.values(name, &before, now, references);
            }
            (Some((_, before)), Some((_, now))) => self.differ("outcome", &before, now),
        }
    }

    /// Notes that the call could not be made.
    pub(super) fn not_made(&mut self, fault: String) {
        self.fault = Some(fault);
    }

    fn differ(&mut self, place: &str, recorded: &Json, now: &Json) {
        if self.differences.len() == TOLD {
            self.more += 1;
            return;
        }
        self.differences.push(Difference {
            place: place.to_owned(),
            recorded: recorded.clone(),
            now: now.clone(),
        });
    }

    fn values(&mut self, place: &str, recorded: &Json, now: &Json, references: &mut References) {
        match (recorded, now) {
            (Json::Object(one), Json::Object(other)) => self.objects(place, one, other, references),
            (Json::Array(one), Json::Array(other)) if one.len() == other.len() => {
                for (index, (one, other)) in one.iter().zip(other).enumerate() {
                    self.values(&format!("{place}[{index}]"), one, other, references);
                }
            }
            (Json::String(one), Json::String(other))
                if is_reference(one) && is_reference(other) =>
            {
                references.insert(one, other);
            }
            _ if recorded == now => {}
            _ => self.differ(place, recorded, now),
        }
    }

    fn objects(
        &mut self,
        place: &str,
        recorded: &Map<String, Json>,
        now: &Map<String, Json>,
        references: &mut References,
    ) {
        let is_octets = recorded.contains_key(OCTETS);
        let layout =
            |one: &Map<String, Json>| ["$byte_order", "$offset"].map(|name| one.get(name).cloned());
        if is_octets != now.contains_key(OCTETS) || is_octets && layout(recorded) != layout(now) {
            let name = |one: &Map<String, Json>| one.get(line::NAME).cloned();
            match name(recorded) == name(now) {
                true => self.is_incomparable = true,
                false => self.differ(place, &recorded.clone().into(), &now.clone().into()),
            }
            return;
        }
        let further = now.keys().filter(|name| !recorded.contains_key(*name));
        let names = recorded.keys().chain(further);
        for name in names.filter(|name| !CIRCUMSTANCES.contains(&name.as_str())) {
            let null = Json::Null;
            let one = recorded.get(name).unwrap_or(&null);
            let other = now.get(name).unwrap_or(&null);
            self.values(&format!("{place}.{name}"), one, other, references);
        }
    }
}

fn is_reference(text: &str) -> bool {
    text.starts_with("IOR:")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The places of the differences, and whether nothing could be compared.
    fn compared(recorded: &Json, now: &Json) -> (Vec<String>, bool) {
        let mut comparison = Comparison::default();
        let now = now.as_object();
        comparison.compare(recorded, now, &mut References::default());
        let places = comparison.differences.into_iter().map(|one| one.place);
        (places.collect(), comparison.is_incomparable)
    }

    #[test]
    fn each_difference_has_its_place() {
        let octets = |order: &str| json!({"result": {"$octets": "AA==", "$byte_order": order}});
        for (recorded, now, places, is_incomparable) in [
            (json!({"result": 1}), json!({"result": 1}), vec![], false),
            (
                json!({"result": 1}),
                json!({"result": 2}),
                vec!["result"],
                false,
            ),
            (
                json!({"result": {"a": [1, 2], "b": 0}}),
                json!({"result": {"a": [1, 3], "c": 0}}),
                vec!["result.a[1]", "result.b", "result.c"],
                false,
            ),
            (
                json!({"result": 1}),
                json!({"exception": {"$exception": "IDL:X:1.0"}}),
                vec!["outcome"],
                false,
            ),
            (
                json!({"exception": {"$exception": "IDL:X:1.0", "$minor": 1}}),
                json!({"exception": {"$exception": "IDL:X:1.0", "$minor": 2}}),
                vec![],
                false,
            ),
            (
                json!({"result": "IOR:00"}),
                json!({"result": "IOR:01"}),
                vec![],
                false,
            ),
            (
                json!({"result": "IOR:00"}),
                json!({"result": null}),
                vec!["result"],
                false,
            ),
            (octets("big-endian"), octets("big-endian"), vec![], false),
            (octets("big-endian"), octets("little-endian"), vec![], true),
            (json!({}), json!({"result": 1}), vec![], true),
        ] {
            let places = places.into_iter().map(str::to_owned).collect();
            let expected: (Vec<String>, bool) = (places, is_incomparable);
            assert_eq!(compared(&recorded, &now), expected, "{recorded} {now}");
        }
    }

    #[test]
    fn references_that_came_again_stand_for_the_recorded_ones() {
        let mut references = References::default();
        let (recorded, now) = (json!({"result": "IOR:00"}), json!({"result": "IOR:01"}));
        Comparison::default().compare(&recorded, now.as_object(), &mut references);
        let replaced = references.replaced(&json!({"a": ["IOR:00", "IOR:02", 1]}));
        assert_eq!(replaced, json!({"a": ["IOR:01", "IOR:02", 1]}));
    }

    #[test]
    fn many_differences_are_counted() {
        let (recorded, now) = (vec![0; 15], vec![1; 15]);
        let mut comparison = Comparison::default();
        let now = json!({"result": now});
        comparison.compare(
            &json!({"result": recorded}),
            now.as_object(),
            &mut References::default(),
        );
        assert_eq!((comparison.differences.len(), comparison.more), (10, 5));
    }
}
