//! Where generated code has to ask clippy for leave, because the IDL's names
//! and shapes are not ours to change.

use taut_idl::model::{Model, Type};

use crate::code::{Code, quote};
use crate::keywords::unraw;
use crate::method::Method;
use crate::names::Case;
use crate::values::is_value_definition;

/// Clippy's limit on the parameters of a function.
const PARAMETERS_MAX: usize = 7;
/// Clippy's limit on the size of an error, less what an enum adds to it.
const ERROR_SIZE_MAX: u64 = 112;
/// Clippy's limit on how much larger a variant may be than the next.
const VARIANT_EXCESS_MAX: u64 = 184;

/// For the method of a trait; `error_size` is that of its error type, if it
/// raises user exceptions.
pub(super) fn method(model: &Model, method: &Method, error_size: u64) -> Code {
    allow(&of_method(model, method, error_size, 1))
}

/// For the method of a trait of servants that answer later: it has a receiver of another kind,
/// and perhaps a further parameter.
pub(super) fn later_method(model: &Model, method: &Method, error_size: u64) -> Code {
    let mut allows = of_method(model, method, error_size, 2);
    // Several values and their exceptions, in a future.
    let several = method.reply_items().len() > 1;
    if several && !returns_two_values(model, method) {
        allows.push(quote!(clippy::type_complexity));
    }
    allow(&allows)
}

/// For the method of a reference that returns a future, which yields values of these types;
/// `error_size` as for [`method`].
pub(super) fn future(model: &Model, method: &Method, error_size: u64, yielded: &[&Type]) -> Code {
    let name = unraw(&method.name);
    let mut allows = Vec::new();
    let context = usize::from(!method.context.is_empty());
    if method.arguments().count() + context + 1 > PARAMETERS_MAX {
        allows.push(quote!(clippy::too_many_arguments));
    }
    if error_size > ERROR_SIZE_MAX {
        allows.push(quote!(clippy::result_large_err));
    }
    if ["from_", "into_"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
    {
        allows.push(quote!(clippy::wrong_self_convention));
    }
    if yielded.iter().filter(|ty| is_of_values(model, ty)).count() > 1 {
        allows.push(quote!(clippy::type_complexity));
    }
    allow(&allows)
}

/// For the method of a reference that is called asynchronously, with so many parameters beside
/// those of the operation.
pub(super) fn asynchronous(method: &Method, others: usize) -> Code {
    let context = usize::from(!method.context.is_empty());
    if method.arguments().count() + context + others > PARAMETERS_MAX {
        return allow(&[quote!(clippy::too_many_arguments)]);
    }
    Code::new()
}

/// For the method of a poller, which yields values of these types.
pub(super) fn polling(model: &Model, name: &str, error_size: u64, yielded: &[&Type]) -> Code {
    let mut allows = Vec::new();
    if error_size > ERROR_SIZE_MAX {
        allows.push(quote!(clippy::result_large_err));
    }
    let is_conversion = |prefix: &&str| name.starts_with(prefix);
    if ["from_", "into_"].iter().any(is_conversion) || name == "new" {
        allows.push(quote!(clippy::wrong_self_convention));
    }
    if name == "new" {
        allows.push(quote!(clippy::new_ret_no_self));
    }
    if ["cmp", "eq", "hash", "index"].contains(&name) {
        allows.push(quote!(clippy::should_implement_trait));
    }
    if yielded.iter().filter(|ty| is_of_values(model, ty)).count() > 1 {
        allows.push(quote!(clippy::type_complexity));
    }
    allow(&allows)
}

fn of_method(model: &Model, method: &Method, error_size: u64, others: usize) -> Vec<Code> {
    let name = unraw(&method.name);
    let mut allows = Vec::new();
    let context = usize::from(!method.context.is_empty());
    if method.parameters.len() + context + others > PARAMETERS_MAX {
        allows.push(quote!(clippy::too_many_arguments));
    }
    if error_size > ERROR_SIZE_MAX {
        allows.push(quote!(clippy::result_large_err));
    }
    let conversion = ["from_", "into_"]
        .iter()
        .any(|prefix| name.starts_with(prefix));
    let mutation = name.starts_with("to_") && name.ends_with("_mut");
    if conversion || mutation || name == "new" {
        allows.push(quote!(clippy::wrong_self_convention));
    }
    if name == "new" {
        allows.push(quote!(clippy::new_ret_no_self));
    }
    if returns_two_values(model, method) {
        allows.push(quote!(clippy::type_complexity));
    }
    allows
}

/// Whether a method returns a pair of values of value types, perhaps in
/// sequences; clippy finds that hard to read.
fn returns_two_values(model: &Model, method: &Method) -> bool {
    match method.values().as_slice() {
        [one, two] => is_of_values(model, one.ty) && is_of_values(model, two.ty),
        _ => false,
    }
}

/// Whether a type is that of values, perhaps in sequences.
fn is_of_values(model: &Model, ty: &Type) -> bool {
    match ty {
        Type::Sequence { element, .. } | Type::Array { element, .. } => {
            is_of_values(model, element)
        }
        Type::ValueBase => true,
        Type::Named(id) => is_value_definition(model, *id),
        _ => false,
    }
}

/// For a trait with these methods.
pub(super) fn interface(methods: &[Method]) -> Code {
    let has = |name: &str| {
        methods
            .iter()
            .any(|method| method.name == name && method.parameters.is_empty())
    };
    if has("len") && !has("is_empty") {
        return allow(&[quote!(clippy::len_without_is_empty)]);
    }
    Code::new()
}

/// For an enum whose variants' names have a part in common.
pub(super) fn variant_names(name: &str, variants: &[String]) -> Code {
    let words = |text: &str| -> Vec<String> {
        Case::Snake
            .apply(unraw(text))
            .split('_')
            .map(str::to_owned)
            .collect()
    };
    let enum_words = words(name);
    let variants: Vec<_> = variants.iter().map(|variant| words(variant)).collect();
    let alike = |word: fn(&Vec<String>) -> Option<&String>| {
        variants
            .windows(2)
            .all(|pair| word(&pair[0]) == word(&pair[1]))
    };
    let repeats =
        variants.len() >= 3 && (alike(|words| words.first()) || alike(|words| words.last()));
    let stutters = variants
        .iter()
        .any(|variant| variant.starts_with(&enum_words) || variant.ends_with(&enum_words));
    if repeats || stutters {
        return allow(&[quote!(clippy::enum_variant_names)]);
    }
    Code::new()
}

/// For an enum whose variants have these sizes.
pub(super) fn variant_sizes(sizes: &[u64]) -> Code {
    let mut sizes = sizes.to_vec();
    sizes.sort_unstable();
    if let [.., second, largest] = sizes.as_slice()
        && largest - second > VARIANT_EXCESS_MAX
    {
        return allow(&[quote!(clippy::large_enum_variant)]);
    }
    Code::new()
}

fn allow(lints: &[Code]) -> Code {
    if lints.is_empty() {
        Code::new()
    } else {
        quote!(#[allow(#(#lints),*)])
    }
}
