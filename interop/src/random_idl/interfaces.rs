//! Random interfaces.

use super::definitions::{Place, type_in};
use super::{Definition, File, Kind, Numbers, Operation};

/// Adds an interface with operations and attributes, which may inherit from those before.
pub(super) fn add(file: &mut File, numbers: &mut Numbers) {
    let name = format!("I{}", file.definitions.len());
    let mut needs = Vec::new();
    for _ in 0..numbers.below(3) {
        let base = file.any_of(numbers, |kind| kind == Kind::Interface);
        if let Some(base) = base.filter(|base| !needs.contains(base)) {
            needs.push(base);
        }
    }
    // A base of a base is no base by itself: the order of inheritance stays plain.
    let indirect: Vec<_> = needs
        .iter()
        .flat_map(|&base| all_bases(file, base))
        .collect();
    needs.retain(|base| !indirect.contains(base));
    let bases: Vec<_> = needs.iter().map(|&base| file.named(base)).collect();
    let text = match bases.is_empty() {
        true => format!("interface {name}"),
        false => format!("interface {name} : {}", bases.join(", ")),
    };
    let mut definition = Definition::new(name.clone(), Kind::Interface, text, needs);
    for index in 0..numbers.between(1, 4) {
        let operation = operation(file, numbers, format!("op_{}_{index}", name.to_lowercase()));
        definition.operations.push(operation);
    }
    for index in 0..numbers.below(3) {
        let attribute = attribute(file, numbers, format!("at_{}_{index}", name.to_lowercase()));
        definition.operations.push(attribute);
    }
    file.push(numbers, definition);
}

/// All interfaces that one inherits from.
fn all_bases(file: &File, place: usize) -> Vec<usize> {
    let direct = &file.definitions[place].needs;
    let further = direct.iter().flat_map(|&base| all_bases(file, base));
    direct.iter().copied().chain(further).collect()
}

fn attribute(file: &File, numbers: &mut Numbers, name: String) -> Operation {
    let mut needs = Vec::new();
    let of = type_in(Place::Parameter, file, numbers, &mut needs);
    let readonly = if numbers.one_in(3) { "readonly " } else { "" };
    Operation {
        text: format!("{readonly}attribute {of} {name};"),
        name,
        needs,
    }
}

fn operation(file: &File, numbers: &mut Numbers, name: String) -> Operation {
    let mut needs = Vec::new();
    let is_oneway = numbers.one_in(6);
    let mut parameters = Vec::new();
    for index in 0..numbers.below(5) {
        let mode = match is_oneway {
            true => "in",
            false => numbers.choose(&["in", "in", "out", "inout"]),
        };
        let of = type_in(Place::Parameter, file, numbers, &mut needs);
        parameters.push(format!("{mode} {of} p{index}"));
    }
    let parameters = parameters.join(", ");
    if is_oneway {
        let text = format!("oneway void {name} ({parameters});");
        return Operation { name, text, needs };
    }
    let result = match numbers.one_in(3) {
        true => "void".to_owned(),
        false => type_in(Place::Parameter, file, numbers, &mut needs),
    };
    let mut raised = Vec::new();
    for _ in 0..numbers.below(3) {
        let exception = file.any_of(numbers, |kind| kind == Kind::Exception);
        if let Some(exception) = exception.filter(|it| !raised.contains(it)) {
            raised.push(exception);
        }
    }
    let names: Vec<_> = raised.iter().map(|&place| file.named(place)).collect();
    let raises = match names.is_empty() {
        true => String::new(),
        false => format!(" raises ({})", names.join(", ")),
    };
    needs.extend(raised);
    Operation {
        text: format!("{result} {name} ({parameters}){raises};"),
        name,
        needs,
    }
}
