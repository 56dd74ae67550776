//! Numbers that the machine does not compute with: `fixed` and `long double`.

mod decimal;
mod natural;
mod quad;

pub(crate) use decimal::{Decimal, Unfit};
pub(crate) use quad::Quad;
