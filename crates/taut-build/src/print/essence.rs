//! That printing loses and changes nothing: tokens compared with their text.
//! The tests of this crate do so for all that they print. Code that was Rust stays Rust,
//! too: a comma that a layout adds is refused in some places, and makes a tuple of an
//! expression in others.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Fails unless the text has the tokens that were emitted, but for what the
/// layout decides and for `attribute`, which the printer adds.
pub(super) fn assert_alike(emitted: &str, text: &str, attribute: &str) {
    let text = match attribute {
        "" => text.to_owned(),
        attribute => text.replace(attribute, ""),
    };
    let parsed = |text: &str| -> TokenStream {
        let parsed = text.parse();
        parsed.unwrap_or_else(|error| panic!("{error}\n{text}"))
    };
    let emitted_text = emitted;
    let (printed, emitted) = (essence(parsed(&text)), essence(parsed(emitted)));
    let alike = printed.iter().zip(&emitted).take_while(|(a, b)| a == b);
    let from = alike.count().saturating_sub(20);
    let around =
        |tokens: &[String]| -> Vec<String> { tokens.iter().skip(from).take(40).cloned().collect() };
    assert_eq!(around(&printed), around(&emitted), "in {text}");
    assert_eq!(printed.len(), emitted.len());
    if let Err(error) = syn::parse_str::<syn::File>(&text)
        && syn::parse_str::<syn::File>(emitted_text).is_ok()
    {
        panic!("no Rust any more: {error}\n{text}");
    }
}

/// Stands for a comma before a closing delimiter that the layout has no say in.
const FIXED_COMMA: &str = ", before the end";

/// Whether a comma at the end of a group means something: where the group is what
/// a macro is given, and where it is the only one in parentheses that are no
/// arguments.
fn is_comma_fixed(before: &[String], group: &proc_macro2::Group) -> bool {
    let last = |back: usize| before.iter().rev().nth(back).map_or("", String::as_str);
    let is_word = |text: &str| text.starts_with(|c: char| c.is_alphabetic() || c == '_');
    if last(0) == "!" && is_word(last(1)) {
        return last(1) != "vec";
    }
    let ends_callee = match last(0) {
        ">" => !matches!(last(1), "-" | "="),
        ")" | "]" | "?" => true,
        "return" | "in" | "match" | "if" | "as" | "mut" | "dyn" | "impl" | "break" => false,
        word => is_word(word),
    };
    let is_comma =
        |tree: &TokenTree| matches!(tree, TokenTree::Punct(mark) if mark.as_char() == ',');
    let commas = group.stream().into_iter().filter(is_comma).count();
    group.delimiter() == Delimiter::Parenthesis && !ends_callee && commas == 1
}

/// The tokens without what the layout decides: commas before closing
/// delimiters and after braces, and braces round one expression.
fn essence(stream: TokenStream) -> Vec<String> {
    let mut essence: Vec<String> = Vec::new();
    for tree in stream {
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::None => ("", ""),
                };
                let is_end =
                    |tree| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == ';');
                let has_statements = group.stream().into_iter().any(is_end);
                let mut inner = self::essence(group.stream());
                if inner.last().is_some_and(|last| last == ",") {
                    inner.pop();
                    if is_comma_fixed(&essence, &group) {
                        inner.push(FIXED_COMMA.to_owned());
                    }
                }
                let is_body = matches!(essence.last().map(String::as_str), Some(">" | "|"));
                let is_single = open == "{" && is_body && !has_statements;
                if open.is_empty() || is_single {
                    let is_arm = essence.ends_with(&["=".to_owned(), ">".to_owned()]);
                    essence.extend(inner);
                    essence.extend((is_single && is_arm).then(|| ",".to_owned()));
                } else {
                    essence.push(open.to_owned());
                    essence.extend(inner);
                    essence.push(close.to_owned());
                }
            }
            TokenTree::Literal(literal) => {
                // Strings of doc comments come back raw.
                essence.push(literal.to_string().trim_start_matches('r').to_owned());
            }
            TokenTree::Punct(punct) if punct.as_char() == ',' => essence.push(",".to_owned()),
            tree => essence.push(tree.to_string()),
        }
    }
    essence.dedup_by(|after, before| matches!(before.as_str(), "}" | ",") && after == ",");
    let ends = |text: Option<&String>| matches!(text.map(String::as_str), Some(">" | ")"));
    let mut at = 0;
    let kept: Vec<bool> = essence
        .iter()
        .map(|text| {
            at += 1;
            text != "," || !ends(essence.get(at))
        })
        .collect();
    let mut kept = kept.iter();
    essence.retain(|_| kept.next().is_some_and(|kept| *kept));
    essence
}
