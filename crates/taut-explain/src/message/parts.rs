//! The parts that several kinds of messages have: targets, service contexts, references.

use alloc::format;
use alloc::vec::Vec;

use taut_cdr::Result;

use super::reader::Reader;
use super::{Rule, exception};
use crate::{Content, Fact, Tagged, Value, object_key, profile, reference, service_context};
use taut_giop::ior::{Ior, TaggedProfile};
use taut_giop::service_context::{ServiceContext, id};

impl Reader<'_, '_> {
    pub(super) fn system_exception(&mut self) -> Result<()> {
        let exception = exception::read(&mut self.walk)?;
        self.fact("system exception", Value::Facts(exception));
        self.end();
        Ok(())
    }

    pub(super) fn forward(&mut self) -> Result<()> {
        let ior = Ior::decode_within(&mut self.walk.input, self.limits)?;
        let at = self.walk.position();
        let facts = reference(&ior);
        self.mark_malformed(&facts, at);
        self.fact("forward to", Value::Facts(facts));
        self.end();
        Ok(())
    }

    pub(super) fn addressing_mode(&mut self) -> Result<()> {
        let mode: i16 = self.walk.read()?;
        match mode_name(mode) {
            Some(name) => self.facts.push(Fact::text("wanted target", name)),
            None => self.no_such_mode(mode),
        }
        self.end();
        Ok(())
    }

    fn no_such_mode(&mut self, mode: i16) {
        let what = format!("the addressing mode is {mode}, none of 0, 1 and 2");
        let offset = self.walk.position() - 2;
        self.walk.mark(Rule::Target, offset, what);
    }

    pub(super) fn target(&mut self) -> Result<()> {
        let mode = match self.version.has_layout_1_2() {
            true => self.walk.read::<i16>()?,
            false => 0,
        };
        let facts = match mode {
            0 => object_key(self.walk.octets()?, None),
            1 => {
                let tag = self.walk.read()?;
                let data = self.walk.octets()?.to_vec();
                let profile = profile(&TaggedProfile { tag, data });
                alloc::vec![Fact::new("profile", Value::Tagged(profile))]
            }
            2 => {
                let index: u32 = self.walk.read()?;
                let ior = Ior::decode_within(&mut self.walk.input, self.limits)?;
                let mut facts = alloc::vec![Fact::number("selected profile", index)];
                facts.extend(reference(&ior));
                facts
            }
            _ => {
                // Nobody knows what follows.
                self.no_such_mode(mode);
                self.is_marked = true;
                let kind = taut_cdr::ErrorKind::Invalid("the form of the target is not known");
                return Err(self.walk.input.error(kind));
            }
        };
        let at = self.walk.position();
        self.mark_malformed(&facts, at);
        self.fact("target", Value::Facts(facts));
        Ok(())
    }

    pub(super) fn service_contexts(&mut self) -> Result<()> {
        let offset = self.walk.position();
        let count: u32 = self.walk.read()?;
        if count as usize > self.walk.input.remaining() / 8 {
            let kind = taut_cdr::ErrorKind::LengthBeyondMessage { length: count };
            return Err(taut_cdr::Error::new(kind, self.walk.position() - 4));
        }
        let mut contexts = Vec::new();
        for index in 0..count {
            let id = self.walk.read()?;
            let at = self.walk.position();
            let data = self.walk.octets()?;
            if index as usize == self.limits.max_service_contexts {
                let what =
                    format!("{count} service contexts, of which the first {index} are explained");
                self.walk.mark(Rule::ServiceContext, offset, what);
            }
            if index as usize >= self.limits.max_service_contexts {
                continue;
            }
            let explained = service_context(&ServiceContext { id, data });
            self.context(&explained, at);
            contexts.push(Value::Tagged(explained));
        }
        if !contexts.is_empty() {
            self.fact("service contexts", Value::List(contexts));
        }
        Ok(())
    }

    fn context(&mut self, context: &Tagged, offset: usize) {
        match &context.content {
            Content::Malformed(error) => {
                let name = context.name.unwrap_or("a service context");
                let what = format!("{name} is malformed: {error} of its data");
                self.walk.mark(Rule::ServiceContext, offset + 4, what);
            }
            Content::Known(facts) if context.tag == id::CODE_SETS => {
                let number = |index: usize| match facts.get(index).map(|fact| &fact.value) {
                    Some(Value::Code { number, .. }) => *number,
                    _ => 0,
                };
                self.code_sets = Some((number(0), number(1)));
            }
            Content::Known(_) | Content::Unknown => {}
        }
    }

    /// Marks the malformed profiles and components of a reference.
    fn mark_malformed(&mut self, facts: &[Fact], end: usize) {
        for fact in facts {
            let values = match &fact.value {
                Value::List(values) => &values[..],
                value => core::slice::from_ref(value),
            };
            for value in values {
                match value {
                    Value::Facts(facts) => self.mark_malformed(facts, end),
                    Value::Tagged(tagged) => match &tagged.content {
                        Content::Known(facts) => self.mark_malformed(facts, end),
                        Content::Unknown => {}
                        Content::Malformed(error) => {
                            let name = tagged.name.unwrap_or("a profile");
                            let what = format!(
                                "{name} of the reference that ends here is malformed: \
                                 {error} of its data"
                            );
                            self.walk.mark(Rule::Value, end, what);
                        }
                    },
                    _ => {}
                }
            }
        }
    }
}

/// Returns the standard's name of an addressing mode.
fn mode_name(mode: i16) -> Option<&'static str> {
    Some(match mode {
        0 => "KeyAddr",
        1 => "ProfileAddr",
        2 => "ReferenceAddr",
        _ => return None,
    })
}
