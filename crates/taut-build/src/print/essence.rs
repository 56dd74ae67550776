//! That printing loses and changes nothing: tokens compared with their text.
//! The tests of this crate do so for all that they print.

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
    let (printed, emitted) = (essence(parsed(&text)), essence(parsed(emitted)));
    let alike = printed.iter().zip(&emitted).take_while(|(a, b)| a == b);
    let from = alike.count().saturating_sub(20);
    let around =
        |tokens: &[String]| -> Vec<String> { tokens.iter().skip(from).take(40).cloned().collect() };
    assert_eq!(around(&printed), around(&emitted), "in {text}");
    assert_eq!(printed.len(), emitted.len());
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
    let without = |pair: &[String]| pair[0] == "," && (pair[1] == ">" || pair[1] == ")");
    let dropped: Vec<usize> = (1..essence.len())
        .filter(|at| without(&essence[at - 1..=*at]))
        .map(|at| at - 1)
        .collect();
    for at in dropped.into_iter().rev() {
        essence.remove(at);
    }
    essence
}
