//! The arguments of a call that is awaited, in encoded form.

use taut_cdr::{ByteOrder, CharacterForms, Decoder, Encoder, Result as CdrResult};

use crate::buffer_pool;
use crate::invoke::arguments::Arguments;
use crate::object::{Binding, ObjectRef};

/// The arguments of a call, as they stand behind a multiple of eight octets.
pub(super) struct Body {
    octets: CdrResult<Vec<u8>>,
    order: ByteOrder,
    /// The forms of the characters in them.
    characters: CharacterForms,
    rewrite: Rewrite,
}

/// How arguments are encoded again for a server that has characters in another form.
pub(super) enum Rewrite {
    /// They are the same for all servers.
    Never,
    /// They are read, and written again.
    Read(fn(&mut Decoder<'_>, &mut Encoder) -> CdrResult<()>),
    /// They are written again.
    Again(Write),
}

/// The function that writes the arguments of a call.
pub(super) type Write = Box<dyn Fn(&mut Encoder) -> CdrResult<()> + Send>;

impl Rewrite {
    pub(super) fn of(read: Option<fn(&mut Decoder<'_>, &mut Encoder) -> CdrResult<()>>) -> Self {
        read.map_or(Self::Never, Self::Read)
    }
}

impl Body {
    /// Encodes the arguments of a call of this object. Those that `pass` on at once stay in
    /// the thread's buffer.
    pub(super) fn new(object: &ObjectRef, arguments: Arguments<'_>, pass: bool) -> Self {
        let characters = match object.binding().get() {
            Some(binding) => binding.preferred().1.characters,
            None => Binding::foreseen_characters(object.core(), object.ior()),
        };
        let order = object.core().settings.wire.byte_order;
        let write = |out: &mut Encoder| {
            arguments.write(out)?;
            let lent = arguments.lent();
            if !lent.is_empty() {
                out.take_back(lent);
            }
            Ok(())
        };
        Self {
            octets: encode(order, characters, pass, write),
            order,
            characters,
            rewrite: Rewrite::Never,
        }
    }

    /// Says how they are encoded again.
    pub(super) fn rewritten_by(mut self, rewrite: Rewrite) -> Self {
        self.rewrite = rewrite;
        self
    }

    /// Has the arguments in these forms.
    #[inline]
    pub(super) fn adapt(&mut self, characters: CharacterForms) {
        if self.characters != characters {
            self.encode_again(characters);
        }
    }

    #[cold]
    fn encode_again(&mut self, characters: CharacterForms) {
        let order = self.order;
        let octets = match &self.rewrite {
            Rewrite::Never => return,
            Rewrite::Again(write) => encode(order, characters, false, write),
            Rewrite::Read(rewrite) => match &self.octets {
                // They could not be written in the first form.
                Err(_) => return,
                Ok(octets) => {
                    let input = Decoder::new(octets, order);
                    let mut input = input.with_characters(self.characters);
                    encode(order, characters, false, |out| rewrite(&mut input, out))
                }
            },
        };
        (self.octets, self.characters) = (octets, characters);
    }

    /// The octets.
    ///
    /// # Errors
    ///
    /// When they could not be written.
    pub(super) fn octets(&self) -> Result<&[u8], &taut_cdr::Error> {
        self.octets.as_deref()
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        if let Ok(octets) = &mut self.octets {
            buffer_pool::give(std::mem::take(octets));
        }
    }
}

/// Encodes, and gives the octets a buffer of their size unless it is going to be passed on.
fn encode(
    order: ByteOrder,
    characters: CharacterForms,
    pass: bool,
    write: impl FnOnce(&mut Encoder) -> CdrResult<()>,
) -> CdrResult<Vec<u8>> {
    /// With so much to copy, the buffer goes along.
    const LARGE: usize = 64 * 1024;
    let mut out = Encoder::with_buffer(buffer_pool::take(), order);
    out.set_characters(characters);
    let written = write(&mut out);
    let buffer = out.into_buffer();
    match written {
        Ok(()) if pass || buffer.len() > LARGE => Ok(buffer),
        written => {
            let octets = buffer.as_slice().into();
            buffer_pool::give(buffer);
            written.map(|()| octets)
        }
    }
}
