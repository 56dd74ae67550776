//! An object that is served and called without generated code.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use parking_lot::Mutex;
use taut::{Interface, ObjectRef, Orb, SystemException};
use taut_dynamic::{DynamicImplementation, DynamicRequest, DynamicServant, Mode, Signature, Value};
use taut_types::{TCKind, TypeCode};

use super::primitive;

pub(crate) const ID: &str = "IDL:Calculator:1.0";

/// The exception of a division by nothing.
pub(crate) fn division() -> TypeCode {
    let members = [("dividend", primitive(TCKind::Long))];
    TypeCode::create_exception("IDL:Division:1.0", "Division", &members).unwrap()
}

/// `long divide(in long dividend, in long divisor, out long remainder) raises (Division)`
pub(crate) fn divide() -> Signature {
    let long = primitive(TCKind::Long);
    Signature::new("divide")
        .with(Mode::In, "dividend", long.clone())
        .with(Mode::In, "divisor", long.clone())
        .with(Mode::Out, "remainder", long.clone())
        .returning(long)
        .raising(division())
}

/// `any echo(inout any value)`
pub(crate) fn echo() -> Signature {
    let any = primitive(TCKind::Any);
    Signature::new("echo")
        .with(Mode::InOut, "value", any.clone())
        .returning(any)
}

/// `oneway void note(in string text)`
pub(crate) fn note() -> Signature {
    Signature::new("note")
        .with(Mode::In, "text", TypeCode::string(0))
        .oneway()
}

/// `void wait()`, which returns once somebody lets it.
pub(crate) fn pause() -> Signature {
    Signature::new("pause")
}

pub(crate) struct Calculator {
    pub(crate) calls: AtomicUsize,
    noted: Mutex<mpsc::Sender<String>>,
    pub(crate) may_go_on: Mutex<mpsc::Receiver<()>>,
}

impl DynamicImplementation for Calculator {
    fn primary_interface(&self) -> &'static Interface {
        Interface::dynamic(ID, &["IDL:Machine:1.0"])
    }

    fn invoke(&self, request: &mut DynamicRequest<'_, '_>) -> Result<(), SystemException> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        match &*request.operation() {
            "divide" => {
                let signature = divide();
                let values = request.arguments(&signature)?;
                let [Value::Long(dividend), Value::Long(divisor)] = values[..] else {
                    return Err(request.unknown_operation());
                };
                if divisor == 0 {
                    let members = Value::Members(vec![Value::Long(dividend)]);
                    return request.set_exception(&division(), &members);
                }
                let result = Value::Long(dividend / divisor);
                request.set_result(&signature, &result, &[Value::Long(dividend % divisor)])
            }
            "echo" => {
                let signature = echo();
                let values = request.arguments(&signature)?;
                request.set_result(&signature, &values[0], &values)
            }
            "note" => {
                let values = request.arguments(&note())?;
                if let [Value::String(text)] = &values[..] {
                    let _ = self.noted.lock().send(text.clone());
                }
                Ok(())
            }
            "pause" => {
                let _ = self.may_go_on.lock().recv();
                Ok(())
            }
            _ => Err(request.unknown_operation()),
        }
    }
}

/// A server with a calculator, and a client's reference to it.
pub(crate) struct Setting {
    pub(crate) server: Orb,
    pub(crate) client: Orb,
    pub(crate) object: ObjectRef,
    pub(crate) calculator: Arc<Calculator>,
    pub(crate) noted: mpsc::Receiver<String>,
    pub(crate) go_on: mpsc::Sender<()>,
}

impl Setting {
    pub(crate) fn new() -> Self {
        let (note, noted) = mpsc::channel();
        let (go_on, may_go_on) = mpsc::channel();
        let calculator = Arc::new(Calculator {
            calls: AtomicUsize::new(0),
            noted: Mutex::new(note),
            may_go_on: Mutex::new(may_go_on),
        });
        let server = Orb::builder()
            .listen("127.0.0.1:0")
            .unwrap()
            .build()
            .unwrap();
        let poa = server.root_poa().unwrap();
        let servant = DynamicServant::from(Arc::clone(&calculator));
        let id = poa.activate_object(servant).unwrap();
        let reference = poa.id_to_reference(&id).unwrap().to_string();
        poa.manager().activate().unwrap();
        let client = Orb::builder().build().unwrap();
        let object = client.string_to_object(&reference).unwrap();
        Self {
            server,
            client,
            object,
            calculator,
            noted,
            go_on,
        }
    }
}

impl Drop for Setting {
    fn drop(&mut self) {
        let _ = self.client.shutdown(true);
        let _ = self.server.shutdown(false);
    }
}
