//! Booleans: an octet that is 0 or 1.

use crate::uniform::{Layout, Room, Source, Uniform, write_elements};
use crate::{Decode, Decoder, Encode, Encoder, Result};

impl Encode for bool {
    #[inline]
    fn encode(&self, out: &mut Encoder) -> Result<()> {
        out.write(u8::from(*self));
        Ok(())
    }

    #[inline]
    fn encode_elements(items: &[Self], out: &mut Encoder) -> Result<()> {
        write_elements(items, out)
    }
}

impl<'m> Decode<'m> for bool {
    const MIN_SIZE: usize = 1;

    #[inline]
    fn decode(input: &mut Decoder<'m>) -> Result<Self> {
        input.read_bool()
    }

    crate::uniform_elements! { 'm }
}

impl Uniform for bool {
    const LAYOUT: Layout = Layout::of::<u8>();

    #[inline(always)]
    fn put<const FOREIGN: bool>(&self, room: &mut Room<'_, FOREIGN>) {
        u8::from(*self).put(room);
    }

    #[inline(always)]
    fn get<const FOREIGN: bool>(source: &mut Source<'_, FOREIGN>) -> Self {
        let octet: u8 = Uniform::get(source);
        source.note(octet <= 1);
        octet != 0
    }
}
