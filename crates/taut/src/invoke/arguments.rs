//! The arguments of a call, as closures that write them.

use std::cell::Cell;

use taut_cdr::{Encoder, Lent, Result as CdrResult};

/// The arguments of a call.
#[derive(Clone, Copy)]
pub struct Arguments<'a> {
    /// Writes them. It may run more than once: a request that is forwarded is
    /// marshaled again for its new target.
    write: &'a dyn Fn(&mut Encoder) -> CdrResult<()>,
    /// Where `write` leaves the elements of the last argument that are to be sent from where
    /// they lie; none if it writes all.
    lent: Option<&'a Cell<&'a [u8]>>,
}

impl<'a> Arguments<'a> {
    /// Those that `write` writes in full.
    #[inline(always)]
    pub(super) fn whole(write: &'a dyn Fn(&mut Encoder) -> CdrResult<()>) -> Self {
        Self { write, lent: None }
    }

    /// Those that `write` writes by [`write_lending`].
    #[inline(always)]
    pub(super) fn lending(
        write: &'a dyn Fn(&mut Encoder) -> CdrResult<()>,
        lent: &'a Cell<&'a [u8]>,
    ) -> Self {
        let lent = Some(lent);
        Self { write, lent }
    }

    /// Writes the arguments, unless the end of the last stays where it lies.
    #[inline(always)]
    pub(super) fn write(self, out: &mut Encoder) -> CdrResult<()> {
        (self.write)(out)
    }

    /// The octets that were not written, and are to be sent behind those that were.
    #[inline(always)]
    pub(super) fn lent(self) -> &'a [u8] {
        match self.lent {
            Some(lent) => lent.get(),
            None => &[],
        }
    }
}

/// Writes arguments of which the last may be lent, and leaves in `lent` what is not written.
#[inline(always)]
pub(super) fn write_lending<'a>(
    out: &mut Encoder,
    lent: &Cell<&'a [u8]>,
    write: impl FnOnce(&mut Encoder) -> CdrResult<Option<Lent<'a>>>,
) -> CdrResult<()> {
    out.want_tail();
    let octets = match write(out)? {
        Some(last) => out.end_with(last),
        None => &[],
    };
    lent.set(octets);
    Ok(())
}

/// The result of a stub's closure that has written the arguments: nothing, or the last of
/// them, which it has lent.
pub trait Written: sealed::Sealed + Sized {
    /// Runs `call` with the closure as [`Arguments`].
    fn erased<R>(
        write: impl Fn(&mut Encoder) -> CdrResult<Self>,
        call: impl FnOnce(Arguments<'_>) -> R,
    ) -> R;
}

/// Keeps other types from being [`Written`].
mod sealed {
    pub trait Sealed {}
    impl Sealed for () {}
    impl Sealed for taut_cdr::Lent<'_> {}
}

impl Written for () {
    #[inline(always)]
    fn erased<R>(
        write: impl Fn(&mut Encoder) -> CdrResult<Self>,
        call: impl FnOnce(Arguments<'_>) -> R,
    ) -> R {
        call(Arguments::whole(&write))
    }
}

impl Written for Lent<'_> {
    #[inline(always)]
    fn erased<R>(
        write: impl Fn(&mut Encoder) -> CdrResult<Self>,
        call: impl FnOnce(Arguments<'_>) -> R,
    ) -> R {
        let lent = Cell::new(&[][..]);
        let write = |out: &mut Encoder| write_lending(out, &lent, |out| write(out).map(Some));
        call(Arguments::lending(&write, &lent))
    }
}
