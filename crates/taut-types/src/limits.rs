//! How much of a TypeCode a peer may make us keep.

use taut_cdr::{Decoder, GraphLimits};

/// Limits for one outermost TypeCode that is read or created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeCodeLimits {
    /// How deeply TypeCodes may nest; 64.
    pub nesting: u16,
    /// How many TypeCodes and enumerators there may be in all; 4,096.
    pub nodes: u32,
    /// How many indirections there may be; 1,024.
    pub indirections: u32,
}

impl TypeCodeLimits {
    /// The limits that a decoder was given.
    pub fn of(input: &Decoder<'_>) -> Self {
        let GraphLimits {
            nodes,
            indirections,
        } = input.graph_limits();
        Self {
            nesting: input.nesting_limit(),
            nodes,
            indirections,
        }
    }

    /// The limits where nothing else is said.
    pub const DEFAULT: Self = Self {
        nesting: 64,
        nodes: GraphLimits::DEFAULT.nodes,
        indirections: GraphLimits::DEFAULT.indirections,
    };
}

impl Default for TypeCodeLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
