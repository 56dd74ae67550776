//! Pictures and pages: elements, and the places of values on axes.

pub(crate) mod markup;
pub(crate) mod scale;
