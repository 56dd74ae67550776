//! The client without stubs.

use std::sync::Arc;

use clap::ValueEnum;
use taut::{ObjectRef, Orb};
use taut_dynamic::{Request, Value};

use super::operation::{self, Operation, PARAMETER};
use crate::error::BenchError;
use crate::goals::Kind;
use crate::protocol::Calls;

/// How requests are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Way {
    /// One for all calls.
    Reuse,
    /// One for each call, with its signature and a copy of the value.
    Anew,
    /// One for all calls: it is sent, and its response fetched then.
    Deferred,
}

crate::options::display_as_option!(Way);

/// Makes calls of one kind.
pub(super) struct Caller {
    object: ObjectRef,
    way: Way,
    operation: Operation,
    value: Option<Value>,
    /// That of all calls.
    request: Request,
    /// How many one-way calls are a sample, and the call that waits until all have arrived.
    flood: Option<(u32, Request)>,
}

impl Caller {
    /// Of the object with this stringified reference.
    ///
    /// # Errors
    ///
    /// [`BenchError::Orb`] when the reference is none.
    pub(super) fn connect(reference: &str, way: Way) -> Result<Self, BenchError> {
        let orb = Orb::builder().build().map_err(BenchError::orb)?;
        let object = orb.string_to_object(reference).map_err(BenchError::orb)?;
        Ok(Self::new(object, way))
    }

    pub(super) fn new(object: ObjectRef, way: Way) -> Self {
        let operation = Operation::nothing();
        Self {
            request: Request::new(&object, Arc::new(operation.signature())),
            object,
            way,
            operation,
            value: None,
            flood: None,
        }
    }

    /// Makes a request with all that is in it.
    fn make(&self) -> Result<Request, BenchError> {
        let mut request = Request::new(&self.object, Arc::new(self.operation.signature()));
        if let Some(value) = &self.value {
            let is_set = request.set(PARAMETER, value.clone());
            is_set.map_err(BenchError::call)?;
        }
        Ok(request)
    }

    fn call_once(&mut self) -> Result<(), BenchError> {
        let called = match self.way {
            Way::Reuse => self.request.invoke(),
            Way::Anew => self.make()?.invoke(),
            Way::Deferred if self.operation.is_oneway => self.request.send_oneway(),
            Way::Deferred => {
                let sent = self.request.send_deferred();
                sent.and_then(|()| self.request.get_response())
            }
        };
        called.map_err(BenchError::call)
    }
}

impl Calls for Caller {
    fn select(&mut self, kind: &str) -> Result<(), BenchError> {
        let kind: Kind = kind.parse()?;
        let (value, expected) = operation::values(kind)?;
        (self.operation, self.value) = (Operation::of(kind)?, value);
        self.flood = None;
        self.request = self.make()?;
        if let Kind::Flood { messages, .. } = kind {
            let nothing = Operation::nothing().signature();
            self.flood = Some((messages, Request::new(&self.object, Arc::new(nothing))));
        }
        self.request.invoke().map_err(BenchError::call)?;
        match *self.request.result() == expected {
            true => Ok(()),
            false => Err(BenchError::call(format!(
                "{kind}: something else comes back than should"
            ))),
        }
    }

    fn call(&mut self) -> Result<(), BenchError> {
        let Some(messages) = self.flood.as_ref().map(|(messages, _)| *messages) else {
            return self.call_once();
        };
        (0..messages).try_for_each(|_| self.call_once())?;
        match &mut self.flood {
            Some((_, nothing)) => nothing.invoke().map_err(BenchError::call),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{row, servant};
    use super::*;
    use crate::taut::LOOPBACK;

    #[test]
    fn calls_of_every_row_arrive_at_a_dynamic_servant() {
        let (server, object) = servant::activate(LOOPBACK).unwrap();
        let client = Orb::builder().build().unwrap();
        let reference = server.object_to_string(&object);
        let object = client.string_to_object(&reference).unwrap();
        for way in [Way::Reuse, Way::Anew, Way::Deferred] {
            let mut caller = Caller::new(object.clone(), way);
            for row in row::all(64 << 10) {
                caller.select(&row.kind.to_string()).unwrap();
                caller.call().unwrap();
            }
            assert!(caller.select("cube union").is_err());
        }
        client.shutdown(true).unwrap();
        server.shutdown(true).unwrap();
    }
}
