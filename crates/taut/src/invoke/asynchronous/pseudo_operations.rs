//! The operations that every object has, as futures.

use taut_cdr::{Decode, Encode};
use taut_giop::{SystemException, SystemExceptionKind};

use crate::invoke::NarrowError;
use crate::object::{ObjectRef, Reference};

impl ObjectRef {
    /// [`is_a`](Self::is_a) as a future.
    ///
    /// # Errors
    ///
    /// The future's: the system exception that asking ended with.
    pub fn is_a_async(
        &self,
        repository_id: &str,
    ) -> impl Future<Output = Result<bool, SystemException>> + Send + use<> {
        let is_known = self.type_id() == repository_id;
        let id = repository_id.to_owned();
        let asked = (!is_known).then(|| self.invoke_async("_is_a", move |out| id.encode(out)));
        async move {
            match asked {
                None => Ok(true),
                Some(asked) => asked.await?.results(bool::decode),
            }
        }
    }

    /// [`narrow`](Self::narrow) as a future.
    ///
    /// # Errors
    ///
    /// The future's: [`NarrowError`] when the object is of another interface or cannot be
    /// asked.
    pub fn narrow_async<R: Reference>(
        &self,
    ) -> impl Future<Output = Result<R, NarrowError>> + Send + use<R> {
        let expected = R::INTERFACE.repository_id;
        let asked = self.is_a_async(expected);
        let object = self.clone();
        async move {
            if asked.await? {
                return Ok(object.unchecked_narrow());
            }
            let found = object.type_id().to_owned();
            Err(NarrowError::WrongInterface { expected, found })
        }
    }

    /// [`non_existent`](Self::non_existent) as a future.
    ///
    /// # Errors
    ///
    /// The future's: the system exception that asking ended with, but for OBJECT_NOT_EXIST,
    /// which is the answer `true`.
    pub fn non_existent_async(
        &self,
    ) -> impl Future<Output = Result<bool, SystemException>> + Send + use<> {
        let asked = self.invoke_async("_non_existent", |_| Ok(()));
        async move {
            let answer = asked.await.and_then(|reply| reply.results(bool::decode));
            match answer {
                Err(exception) if exception.kind == SystemExceptionKind::ObjectNotExist => Ok(true),
                answer => answer,
            }
        }
    }
}
