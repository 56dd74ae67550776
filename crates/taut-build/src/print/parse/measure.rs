//! How wide an expression is on one line, and whether it may stand on one.
//!
//! The limits are those of rustfmt's defaults.

use super::super::tree::{Expr, ExprKind, List};

/// Arguments, where there are several, and the elements of an array.
pub(in super::super) const CALL_MAX: u32 = 60;
/// A chain of two links or more.
pub(in super::super) const CHAIN_MAX: u32 = 60;
/// The fields of a struct expression.
pub(in super::super) const STRUCT_MAX: u32 = 18;
/// An `if` that is a value, with both branches.
const IF_MAX: u32 = 50;

/// An expression with its width.
pub(super) fn measured(kind: ExprKind) -> Expr {
    let flat = flat(&kind);
    Expr { kind, flat }
}

/// The width of a list, its callee included.
pub(super) fn list(list: &List) -> Option<u32> {
    let callee = match &list.callee {
        Some(callee) => callee.flat?,
        None => 0,
    };
    Some(callee + arguments(list)?)
}

/// The width of a list without its callee.
pub(in super::super) fn arguments(list: &List) -> Option<u32> {
    let mut inner = 0;
    for item in &list.items {
        inner += item.flat? + 2;
    }
    inner = inner.saturating_sub(2);
    let is_limited = match list.items.as_slice() {
        [] => false,
        [item] => list.is_call && is_call(item),
        _ => true,
    };
    let fits = !is_limited || inner <= CALL_MAX;
    fits.then_some(inner + 2 + u32::from(list.comma))
}

/// Whether an expression is a call of a function or a macro.
pub(in super::super) fn is_call(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::List(list) if list.callee.is_some())
}

fn flat(kind: &ExprKind) -> Option<u32> {
    match kind {
        ExprKind::Run(run) => Some(run.width),
        ExprKind::List(all) => list(all),
        ExprKind::Chain { head, tries, links } => {
            let mut sum = head.flat? + tries;
            for link in links {
                sum += link.flat?;
            }
            // The `?` of the last link counts twice.
            let last = links.last().map_or(0, |link| link.tries);
            (links.len() < 2 || sum + last <= CHAIN_MAX).then_some(sum)
        }
        ExprKind::Struct { path, fields } => {
            if fields.is_empty() {
                return Some(path.width + 3);
            }
            let mut inner = 0;
            for field in fields {
                if !field.attributes.is_empty() {
                    return None;
                }
                let value = match &field.value {
                    Some(value) => value.flat? + 1,
                    None => 0,
                };
                inner += field.head.width + value + 2;
            }
            let inner = inner - 2;
            (inner <= STRUCT_MAX).then_some(path.width + inner + 5)
        }
        ExprKind::Unary { operator, operand } => Some(operator.width + operand.flat?),
        ExprKind::Binary { operands, tight } => {
            let blanks = if *tight { 0 } else { 2 };
            let mut sum = 0;
            for (operator, operand) in operands {
                let operator = operator.map_or(0, |operator| operator.width + blanks);
                sum += operator + operand.flat?;
            }
            Some(sum)
        }
        ExprKind::Cast { value, ty } => Some(value.flat? + 4 + ty.width),
        ExprKind::Closure {
            moves,
            parameters,
            body,
        } => Some(u32::from(*moves) * 5 + parameters.width + 3 + body.flat?),
        ExprKind::Match { .. } => None,
        ExprKind::If { .. } => flat_if(kind).filter(|width| *width <= IF_MAX),
        ExprKind::Block { head, statements } => {
            let head = head.map_or(0, |head| head.width + 1);
            statements.is_empty().then_some(head + 2)
        }
        ExprKind::Assign { head, value } => Some(head.width + 1 + value.flat?),
    }
}

fn flat_if(kind: &ExprKind) -> Option<u32> {
    use super::super::tree::Statement;
    let ExprKind::If {
        condition,
        then,
        otherwise,
    } = kind
    else {
        return None;
    };
    let single = |statements: &[Statement]| match statements {
        [
            Statement::Expr {
                expr,
                semicolon: false,
            },
        ] => expr.flat,
        _ => None,
    };
    let ExprKind::Block {
        head: None,
        statements,
    } = &otherwise.as_ref()?.kind
    else {
        return None;
    };
    // `if a { b } else { c }`
    Some(condition.flat? + single(then)? + single(statements)? + 18)
}
