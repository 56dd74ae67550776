//! The generated code that pages show is what the generator makes, but for comments,
//! documentation and layout. Where a page leaves out the attributes of an item, so does the
//! comparison.

use std::fs;
use std::path::Path;

use quote::ToTokens;
use syn::{Attribute, Item};

/// Collects the items of a file and of its modules.
fn collect(items: &[Item], found: &mut Vec<Item>) {
    for item in items {
        match item {
            Item::Mod(module) => {
                let (_, inside) = module.content.as_ref().unwrap();
                collect(inside, found);
            }
            _ => found.push(item.clone()),
        }
    }
}

/// The attributes of an item, of its members and of its variants.
fn attributes(item: &mut Item) -> Vec<&mut Vec<Attribute>> {
    fn with_fields<'i>(
        attributes: &'i mut Vec<Attribute>,
        fields: &'i mut syn::Fields,
    ) -> Vec<&'i mut Vec<Attribute>> {
        let fields = fields.iter_mut().map(|field| &mut field.attrs);
        std::iter::once(attributes).chain(fields).collect()
    }
    match item {
        Item::Enum(item) => {
            let variants = item.variants.iter_mut();
            let variants = variants.flat_map(|one| with_fields(&mut one.attrs, &mut one.fields));
            std::iter::once(&mut item.attrs).chain(variants).collect()
        }
        Item::Struct(item) => with_fields(&mut item.attrs, &mut item.fields),
        Item::Trait(item) => {
            let functions = item.items.iter_mut().filter_map(|member| match member {
                syn::TraitItem::Fn(function) => Some(&mut function.attrs),
                _ => None,
            });
            std::iter::once(&mut item.attrs).chain(functions).collect()
        }
        Item::Type(item) => vec![&mut item.attrs],
        _ => Vec::new(),
    }
}

/// The tokens of an item: with the attributes that pages show, those that say what a type can do
/// and how it lies in memory, or with none; without commas in front of closing brackets; with the
/// paths that users write, and without the way to outer modules.
fn plain(mut item: Item, has_attributes: bool) -> String {
    let shown = ["derive", "repr", "default"];
    for attributes in attributes(&mut item) {
        let is_shown = |one: &Attribute| shown.iter().any(|name| one.path().is_ident(name));
        attributes.retain(|one| has_attributes && is_shown(one));
    }
    let tokens = item.to_token_stream().to_string();
    let tokens: String = tokens.split_whitespace().collect();
    let tokens = tokens
        .replace(",}", "}")
        .replace(",)", ")")
        .replace(",>", ">");
    let tokens = tokens
        .replace("codegen::Value", "Value")
        .replace("codegen::Abstract", "taut::value::Abstract")
        .replace("codegen::", "taut::");
    tokens.replace("super::", "")
}

/// The item of the generated code that is nearest to what a page shows, if it is not the same.
fn difference(item: Item, generated: &[Item]) -> Option<(String, Vec<String>)> {
    let has_attributes = !attributes(&mut item.clone())
        .iter()
        .all(|one| one.is_empty());
    let item = plain(item, has_attributes);
    let made = generated
        .iter()
        .map(|made| plain(made.clone(), has_attributes));
    let made: Vec<_> = made.collect();
    let head = item.split(['{', '(', ';', '=']).next().unwrap_or_default();
    let name = head.rsplit(']').next().unwrap_or_default();
    let similar = made.iter().filter(|made| made.contains(name)).cloned();
    (!made.contains(&item)).then(|| (item.clone(), similar.collect()))
}

#[test]
fn what_pages_show_of_generated_code_is_generated() {
    assert!(!crate::page::SHOWN.is_empty());
    for (page, idl, code) in crate::page::SHOWN {
        let file = Path::new(env!("OUT_DIR")).join(format!("{idl}.rs"));
        let generated = syn::parse_file(&fs::read_to_string(file).unwrap()).unwrap();
        let mut made = Vec::new();
        collect(&generated.items, &mut made);
        for item in syn::parse_file(code).unwrap().items {
            assert_eq!(difference(item, &made), None, "{page}");
        }
    }
}

#[test]
fn an_item_with_another_type_or_another_derive_is_told_apart() {
    let item = |code: &str| syn::parse_str::<Item>(code).unwrap();
    let made = [item(
        "/// A point.\n#[must_use]\n#[derive(Debug)]\npub struct P {\n    pub x: f64,\n}",
    )];
    for (shown, is_same) in [
        ("#[derive(Debug)] pub struct P { pub x: f64 }", true),
        ("pub struct P { pub x: f64 }", true),
        ("pub struct P { pub x: f32 }", false),
        ("#[derive(Clone)] pub struct P { pub x: f64 }", false),
        ("pub struct P { pub x: f64, pub y: f64 }", false),
    ] {
        assert_eq!(difference(item(shown), &made).is_none(), is_same, "{shown}");
    }
}
