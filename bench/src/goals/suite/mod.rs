//! The calls of the table: servant, client, and what is sent. It is there twice, in each
//! of the strategies by which stubs and skeletons marshal; who includes it defines
//! `generated!` before.

pub(super) mod caller;
pub(super) mod target;
mod values;

/// The types of `idl/table.idl`.
mod idl {
    generated!();
}
