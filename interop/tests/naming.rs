//! The naming service's stubs, against omniORB's naming service.

use taut::{Orb, SystemExceptionKind};
use taut_interop::OmniNames;
use taut_naming::naming_context::{BindError, NotFoundReason, ResolveError};
use taut_naming::naming_context_ext::ToNameError;
use taut_naming::{
    BindingIterator, BindingType, NameComponent, NamingContext, NamingContextExt,
    NamingContextExtRef,
};

fn name(steps: &[&str]) -> Vec<NameComponent> {
    let step = |id: &&str| NameComponent {
        id: (*id).to_owned(),
        kind: String::new(),
    };
    steps.iter().map(step).collect()
}

#[test]
fn names_are_bound_resolved_listed_and_unbound() -> Result<(), Box<dyn std::error::Error>> {
    let Some(service) = OmniNames::start()? else {
        return Ok(());
    };
    let orb = Orb::builder().build()?;
    let root: NamingContextExtRef = orb.string_to_object(&service.corbaloc())?.narrow()?;

    let office = root.bind_new_context(&name(&["office"]))?.ok_or("nil")?;
    let object = office.clone().into();
    for id in ["desk", "lamp", "printer"] {
        root.bind(&name(&["office", id]), Some(&object))?;
    }
    assert_eq!(
        root.resolve(&name(&["office", "lamp"]))?.as_ref(),
        Some(&object)
    );
    assert_eq!(root.resolve_str("office/desk")?.as_ref(), Some(&object));

    // The second binding is refused; so is a name that leads nowhere, with the
    // part of it that is left.
    match root.bind(&name(&["office"]), Some(&object)) {
        Err(BindError::AlreadyBound(_)) => {}
        other => return Err(format!("expected AlreadyBound, got {other:?}").into()),
    }
    match root.resolve(&name(&["office", "cellar", "shelf"])) {
        Err(ResolveError::NotFound(exception)) => {
            assert_eq!(exception.why, NotFoundReason::MissingNode);
            assert_eq!(exception.rest_of_name, name(&["cellar", "shelf"]));
        }
        other => return Err(format!("expected NotFound, got {other:?}").into()),
    }

    // Two entries at once, the third from the iterator.
    let (mut bindings, iterator) = office.list(2)?;
    assert_eq!(bindings.len(), 2);
    let iterator = iterator.ok_or("no iterator")?;
    let (found, binding) = iterator.next_one()?;
    assert!(found);
    bindings.push(binding);
    assert!(!iterator.next_one()?.0);
    iterator.destroy()?;
    let mut ids: Vec<_> = bindings
        .iter()
        .map(|binding| binding.binding_name[0].id.as_str())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, ["desk", "lamp", "printer"]);
    assert!(
        bindings
            .iter()
            .all(|binding| binding.binding_type == BindingType::Nobject)
    );

    // A name as text, and back.
    let text = root.to_string(&name(&["office", "a.b/c"]))?;
    assert_eq!(text, "office/a\\.b\\/c");
    assert_eq!(root.to_name(&text)?, name(&["office", "a.b/c"]));
    assert!(matches!(
        root.to_name("//"),
        Err(ToNameError::InvalidName(_))
    ));

    root.unbind(&name(&["office"]))?;
    assert!(matches!(
        root.resolve(&name(&["office"])),
        Err(ResolveError::NotFound(_))
    ));
    for id in ["desk", "lamp", "printer"] {
        office.unbind(&name(&[id]))?;
    }
    office.destroy()?;
    match office.new_context() {
        Err(exception) => assert_eq!(exception.kind, SystemExceptionKind::ObjectNotExist),
        Ok(_) => return Err("a destroyed context answers".into()),
    }
    Ok(())
}
