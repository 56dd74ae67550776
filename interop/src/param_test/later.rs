//! A servant of `Param_Test` that answers later: by futures that wait first, and by responders
//! in other threads.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::thread;

use taut::{Char, Orb, Responder};

use super::for_each_value_operation;
use super::interop::{
    AsyncParamTest, AsyncParamTestSkeleton, CallbackRef, ParamTest, ParamTestRef,
};
use super::param_test::*;
use super::servant::{ParamTestServant, active_root_poa};
use super::values::Value;
use crate::HarnessError;

/// The servant of `Param_Test` whose answers come later; they are those of the other.
#[derive(Debug)]
pub struct LaterParamTestServant(ParamTestServant);

/// Makes an ORB serve a `Param_Test` whose answers come later, and gives the reference to it.
///
/// # Errors
///
/// [`HarnessError::Orb`] when the ORB cannot be a server.
pub fn serve_later(orb: &Orb) -> Result<ParamTestRef, HarnessError> {
    let poa = active_root_poa(orb)?;
    let servant = Arc::new(LaterParamTestServant(ParamTestServant::new(orb.clone())));
    let skeleton = AsyncParamTestSkeleton::from_arc(Arc::clone(&servant));
    let reference = poa.activate(skeleton).map_err(HarnessError::orb)?;
    servant.0.set_own_reference(reference.clone());
    Ok(reference)
}

/// Has a future be polled once more, by another thread.
async fn wait() {
    let mut has_waited = false;
    poll_fn(|context| {
        if has_waited {
            return Poll::Ready(());
        }
        has_waited = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

macro_rules! implement_later {
    ($($operation:ident: $type:ty, $table:ident;)*) => {
        impl AsyncParamTest for LaterParamTestServant {
            $(
                async fn $operation(
                    self: Arc<Self>,
                    s1: $type,
                    mut s2: $type,
                ) -> taut::Result<(($type, $type), $type)> {
                    wait().await;
                    let s1 = <$type as Value>::as_in(&s1);
                    let returned = self.0.$operation(s1, &mut s2)?;
                    Ok((returned, s2))
                }
            )*

            async fn test_objref(
                self: Arc<Self>,
                s1: Option<ParamTestRef>,
                mut s2: Option<ParamTestRef>,
            ) -> taut::Result<(
                (Option<ParamTestRef>, Option<ParamTestRef>),
                Option<ParamTestRef>,
            )> {
                wait().await;
                let returned = self.0.test_objref(s1.as_ref(), &mut s2)?;
                Ok((returned, s2))
            }

            async fn greeting(self: Arc<Self>) -> taut::Result<String> {
                wait().await;
                self.0.greeting()
            }

            async fn level(self: Arc<Self>) -> taut::Result<i32> {
                self.0.level()
            }

            async fn set_level(self: Arc<Self>, value: i32) -> taut::Result<()> {
                wait().await;
                self.0.set_level(value)
            }

            fn raise_user(self: Arc<Self>, which: u32, responder: Responder<(), RaiseUserError>) {
                thread::spawn(move || responder.answer(self.0.raise_user(which)));
            }

            async fn raise_system(self: Arc<Self>) -> taut::Result<()> {
                wait().await;
                self.0.raise_system()
            }

            async fn notify(self: Arc<Self>, message: String) -> taut::Result<()> {
                wait().await;
                self.0.notify(&message)
            }

            async fn notified(self: Arc<Self>) -> taut::Result<u32> {
                wait().await;
                self.0.notified()
            }

            fn call_back(&self, c: Option<&CallbackRef>, n: i32) -> taut::Result<i32> {
                self.0.call_back(c, n)
            }

            fn echo(self: Arc<Self>, data: OctetSeq, responder: Responder<OctetSeq>) {
                thread::spawn(move || responder.answer(self.0.echo(&data)));
            }

            async fn shutdown(self: Arc<Self>) -> taut::Result<()> {
                wait().await;
                self.0.shutdown()
            }
        }
    };
}

for_each_value_operation!(implement_later);
