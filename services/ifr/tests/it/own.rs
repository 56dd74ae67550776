//! Servers that tell of their own interfaces.

use std::sync::Arc;

use taut::{Orb, Reference, SystemExceptionKind, minor};
use taut_ifr::service::OwnInterfaces;
use taut_ifr::{InterfaceDef, InterfaceDefRef, IrObject};

use super::bank::{Printer, PrinterRef, PrinterSkeleton};

struct Teller;

impl Printer for Teller {
    fn print(&self, _text: &str) -> taut::Result<i32> {
        Ok(7)
    }
}

fn printer(orb: &Orb) -> PrinterRef {
    let root = orb.root_poa().unwrap();
    let printer = root
        .activate(PrinterSkeleton::from_arc(Arc::new(Teller)))
        .unwrap();
    root.manager().activate().unwrap();
    printer
}

/// Gives a client's view of an object to `check`.
fn as_client(object: &impl Reference, check: impl FnOnce(&taut::ObjectRef)) {
    let client = Orb::builder().build().unwrap();
    check(
        &client
            .string_to_object(&object.as_object().to_string())
            .unwrap(),
    );
    client.shutdown(true).unwrap();
}

#[test]
fn a_server_tells_of_its_own_interfaces() {
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    let own = OwnInterfaces::new([taut::idl_bundle!("bank")]);
    let server = builder.interface_repository(own).build().unwrap();
    let printer = printer(&server);
    let check = |object: &taut::ObjectRef| {
        for _ in 0..2 {
            let interface = object.get_interface().unwrap().unwrap();
            let interface: InterfaceDefRef = interface.narrow().unwrap();
            let full = interface.describe_interface().unwrap();
            assert_eq!(full.id, "IDL:example.org/Bank/Printer:1.0");
            assert_eq!(full.operations[0].name, "print");
            let refused = interface.destroy().unwrap_err();
            assert_eq!(refused.minor, minor::REPOSITORY_READ_ONLY);
        }
    };
    as_client(&printer, check);
    // A caller of the same process sees the same.
    check(printer.as_object());
    server.shutdown(true).unwrap();
}

#[test]
fn a_server_without_descriptions_says_so() {
    let server = Orb::builder()
        .listen("127.0.0.1:0")
        .unwrap()
        .build()
        .unwrap();
    as_client(&printer(&server), |object| {
        let error = object.get_interface().unwrap_err();
        assert_eq!(
            (error.kind, error.minor),
            (SystemExceptionKind::IntfRepos, minor::omg(1))
        );
    });
    server.shutdown(true).unwrap();

    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    let server = builder
        .interface_repository(OwnInterfaces::new([]))
        .build()
        .unwrap();
    as_client(&printer(&server), |object| {
        let error = object.get_interface().unwrap_err();
        assert_eq!(
            (error.kind, error.minor),
            (SystemExceptionKind::IntfRepos, minor::omg(2))
        );
    });
    server.shutdown(true).unwrap();
}
