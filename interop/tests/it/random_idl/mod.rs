//! Random IDL, with random values: between dynamic requests and servants, compiled stubs,
//! interpreted stubs, and omniORB.
//!
//! Each interface of each file is the end of chains of objects that pass requests on, and each of its
//! operations is called through each of them: what arrives at the end, and what comes back, are
//! what was sent, and the arguments are octet for octet those that Taut's requests have, but where
//! the standard leaves a choice. Of the first files there are stubs, of all there are dynamic
//! requests and servants, and omniORB's.
//!
//! A failure says how it is made again, and has the IDL of the operation alone.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod chain;
mod end;
mod values;

use std::fs;
use std::process::Command;
use std::sync::Arc;

use taut::{Ior, NarrowError, ObjectRef, Poa, Reference, Skeleton};
use taut_cdr::{ByteOrder, Decoder};
use taut_dynamic::{DynamicServant, InterfaceDescription, Interfaces, Mode, Signature, Value};
use taut_interop::random_idl::{File, Numbers};
use taut_types::{TCKind, TypeCode};
use test_tools::{found_or_left_out, tool};

use self::chain::{Link, Workshop};
use self::end::{Answer, Call, End};
use self::values::Values;

/// Makes an object that passes requests on, by the skeleton that has the stub for its servant.
fn pass_on<N, S, R>(
    poa: &Poa,
    next: Result<N, NarrowError>,
    skeleton: impl FnOnce(N) -> S,
) -> Result<ObjectRef, String>
where
    S: Skeleton<Reference = R>,
    R: Reference,
{
    let next = next.map_err(|error| error.to_string())?;
    let made = poa.activate(skeleton(next));
    let made = made.map_err(|error| error.to_string())?;
    Ok(made.as_object().clone())
}

/// The Rust of the first files, by code.
mod compiled {
    use super::pass_on;

    taut::include_idl!("random_idl");
    include!(concat!(env!("OUT_DIR"), "/random_idl_interfaces.rs"));
}

/// The same by tables.
mod interpretive {
    use super::pass_on;

    taut::include_idl!("random_idl_interpretive");
    include!(concat!(env!("OUT_DIR"), "/random_idl_interfaces.rs"));
}

/// Calls of each operation through each chain.
const CALLS: usize = 2;

/// The fault of an operation.
struct Failure {
    interface: String,
    operation: String,
    text: String,
}

/// The interfaces of the IDL of a file.
fn parsed(file: &File, idl: String) -> Interfaces {
    struct Source(String);
    impl taut_idl::FileLoader for Source {
        fn load(&mut self, _: &std::path::Path, _: usize) -> std::io::Result<Vec<u8>> {
            Ok(self.0.as_bytes().to_vec())
        }
    }
    let options = taut_idl::Options::default();
    let mut source = Source(idl);
    let compilation = taut_idl::compile_with(&["random.idl"], &options, &mut source);
    let faults = compilation.render(false);
    assert!(!compilation.has_errors(), "seed {}: {faults}", file.seed);
    Interfaces::new(&compilation.model)
}

/// The outcome of all calls to an interface, through all chains that there are of it.
fn check_interface(
    workshop: &Workshop,
    file: &File,
    is_compiled: bool,
    interface: &InterfaceDescription,
) -> Result<usize, Failure> {
    let failure = |operation: &str, text: String| Failure {
        interface: interface.name.clone(),
        operation: operation.to_owned(),
        text,
    };
    let end = End::new(&interface.repository_id, &interface.bases);
    let servant = DynamicServant::from(Arc::clone(&end));
    let id = workshop.poa.activate_object(servant).unwrap();
    let reference = workshop.poa.id_to_reference(&id).unwrap();
    let ior: Ior = workshop.orb.object_to_string(&reference).parse().unwrap();

    let mut chains = vec![(vec![], reference)];
    for link in Link::ALL {
        // Stubs pass requests on to the end, and omniORB to whatever came last.
        let place = if link == Link::Omniorb {
            chains.len() - 1
        } else {
            0
        };
        let (links, next) = &chains[place];
        let made = workshop.make(link, interface, next);
        let made = made.map_err(|text| failure("", format!("{link}: {text}")))?;
        if let Some(object) = made {
            chains.push(([&[link], &links[..]].concat(), object));
        }
    }
    // The end itself, and stubs of both kinds.
    if is_compiled && chains.len() < 3 {
        return Err(failure("", "there are no stubs of it".to_owned()));
    }
    let mut numbers = Numbers::new(file.seed);
    let mut calls = 0;
    for (name, signature) in &interface.operations {
        let signature = signature
            .as_ref()
            .map_err(|fault| failure(name, fault.clone()))?;
        for _ in 0..CALLS {
            let call = random_call(signature, &mut numbers, &ior);
            for (links, object) in &chains {
                check_call(&end, object, links, &call).map_err(|text| failure(name, text))?;
                calls += 1;
            }
        }
    }
    workshop.poa.deactivate_object(&id).unwrap();
    Ok(calls)
}

/// A call with random values, which ends with random values or an exception.
fn random_call(signature: &Arc<Signature>, numbers: &mut Numbers, reference: &Ior) -> Call {
    let count = signature.exceptions.len();
    let raised = (count > 0 && numbers.one_in(3)).then(|| numbers.below(count));
    let mut values = Values::new(numbers, reference);
    let parameters = || signature.parameters.iter();
    let sent = parameters().filter(|one| one.is_sent());
    let arguments = sent.map(|one| values.of(&one.type_code)).collect();
    let answer = match raised {
        Some(index) => {
            let exception = &signature.exceptions[index];
            Answer::Raised(exception.clone(), values.of(exception))
        }
        None => {
            let result = values.of(&signature.result);
            let received = parameters().filter(|one| one.is_received());
            Answer::Values(
                result,
                received.map(|one| values.of(&one.type_code)).collect(),
            )
        }
    };
    Call {
        signature: Arc::clone(signature),
        arguments,
        answer,
        octet_for_octet: true,
    }
}

/// Makes a call at the beginning of a chain, and looks at both ends.
fn check_call(end: &End, object: &ObjectRef, links: &[Link], call: &Call) -> Result<(), String> {
    // omniORB leaves in padding whatever was there, and writes references and the types in Anys in
    // its own way.
    let call = Call {
        octet_for_octet: !links.contains(&Link::Omniorb),
        ..call.clone()
    };
    end.expect(&call);
    let began = chain::begin(object, &call);
    let ended = match began.is_err() && !end.has_come() {
        true => Ok(()),
        false => end.outcome(),
    };
    let names: Vec<_> = links.iter().map(ToString::to_string).collect();
    let names = names.join(" and ");
    ended
        .and(began)
        .map_err(|text| format!("through [{names}]: {text}\ncall: {call:#?}"))
}

/// Says how a failure is made again, with the IDL of the operation alone.
fn explain(file: &File, failure: &Failure) -> String {
    let Failure {
        interface,
        operation,
        text,
    } = failure;
    let idl = file
        .only(interface, operation)
        .unwrap_or_else(|| file.idl());
    let seed = file.seed;
    format!(
        "seed {seed}, {interface}::{operation} {text}\n\n{idl}\nAgain: TAUT_RANDOM_IDL_SEED={seed} \
         TAUT_RANDOM_IDL_FILES=1 TAUT_RANDOM_IDL_COMPILED=1 cargo test --package taut-interop \
         --test it random_idl"
    )
}

#[test]
fn values_of_random_idl_pass_through_stubs_tables_dynamic_requests_and_omniorb() {
    let workshop = Workshop::new();
    let files = File::all().unwrap();
    let compiled = File::compiled().unwrap();
    let (mut calls, mut failures) = (0, Vec::new());
    for file in &files {
        let is_compiled = compiled.iter().any(|one| one.seed == file.seed);
        for interface in parsed(file, file.idl()).all() {
            match check_interface(&workshop, file, is_compiled, interface) {
                Ok(made) => calls += made,
                Err(failure) => failures.push(explain(file, &failure)),
            }
        }
    }
    let first = failures.first().map_or("", String::as_str);
    assert!(
        failures.is_empty(),
        "{} interfaces fail. The first: {first}",
        failures.len()
    );
    println!("{} files: {calls} calls", files.len());
    // Fewer would be another generator.
    assert!(calls >= files.len(), "{calls}");
    workshop.orb.shutdown(true).unwrap();
}

/// All files are IDL to a compiler that others wrote.
#[test]
fn omniidl_accepts_random_idl() {
    let Some(omniidl) = found_or_left_out(tool("omniidl"), "omniidl") else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("random.idl");
    let idl: String = File::all().unwrap().iter().map(File::idl).collect();
    fs::write(&file, idl).unwrap();
    let output = Command::new(omniidl)
        .arg("-bdump")
        .arg(&file)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}

/// A seed is all that is needed to have a file again, and an operation brings what it needs.
#[test]
fn an_operation_of_a_file_is_a_file_by_itself() {
    let mut operations = 0;
    for seed in 1..=20 {
        let file = File::new(seed);
        assert_eq!(file.idl(), File::new(seed).idl());
        for interface in parsed(&file, file.idl()).all() {
            for (name, signature) in &interface.operations {
                let idl = file.only(&interface.name, name).unwrap();
                assert!(idl.len() <= file.idl().len());
                let only = parsed(&file, idl);
                let found = only.find(&interface.name).unwrap().signature(name).unwrap();
                assert_eq!(found, signature.as_ref().unwrap());
                operations += 1;
            }
        }
        assert_eq!(file.only(&file.interfaces()[0], "none"), None);
    }
    assert!(operations > 20, "{operations}");
}

/// The test looks at octets, and not only at what they mean.
#[test]
fn an_octet_in_padding_is_seen() {
    let primitive = |kind| TypeCode::primitive(kind).unwrap();
    let signature = Signature::new("op")
        .with(Mode::In, "a", primitive(TCKind::Octet))
        .with(Mode::In, "b", primitive(TCKind::Long));
    let call = Call {
        signature: Arc::new(signature),
        arguments: vec![Value::Octet(1), Value::Long(2)],
        answer: Answer::Values(Value::Nothing, Vec::new()),
        octet_for_octet: true,
    };
    let clean = [1, 0, 0, 0, 2, 0, 0, 0];
    let checked = |octets: &[u8]| end::check(&call, &mut Decoder::new(octets, ByteOrder::Little));
    assert_eq!(checked(&clean), Ok(()));
    for (place, complaint) in [
        (0, "a has come as"),
        (2, "the arguments have come as"),
        (7, "b has come as"),
    ] {
        let mut other = clean;
        other[place] ^= 0x40;
        let error = checked(&other).unwrap_err();
        assert!(error.contains(complaint), "{error}");
    }
    assert!(
        checked(&[&clean[..], &[0]].concat())
            .unwrap_err()
            .contains("1 octets are left")
    );
}
