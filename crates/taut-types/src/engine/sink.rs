//! Where the engine's values go: into an encoder, or nowhere.

use std::collections::HashMap;
use std::sync::Arc;

use taut_cdr::codec::check_bound;
use taut_cdr::{Decoder, Encoder, ErrorKind, Isolation, LongDouble, Result};

use crate::layout::Run;
use crate::type_code::wire::write_label;
use crate::value::{self, Ids, ValueDescriptor};
use crate::{TCKind, TypeCode};

/// Where what is walked over goes.
pub(super) trait Sink: Sized {
    fn run(&mut self, run: Run, times: usize, input: &mut Decoder<'_>) -> Result<()>;
    fn length(&mut self, length: u32);
    fn flag(&mut self, flag: bool);
    fn label(&mut self, kind: TCKind, label: i64) -> Result<()>;
    fn octets(&mut self, octets: &[u8]);
    fn string(&mut self, bound: u32, input: &mut Decoder<'_>) -> Result<()>;
    fn wide_string(&mut self, bound: u32, input: &mut Decoder<'_>) -> Result<()>;
    fn wide_character(&mut self, input: &mut Decoder<'_>) -> Result<()>;
    fn type_code(&mut self, type_code: &TypeCode) -> Result<()>;
    /// An object reference.
    fn reference(&mut self, input: &mut Decoder<'_>) -> Result<()> {
        super::copy_reference(input, self)
    }
    /// A value that begins, with these ids. Its place, to lead back to.
    fn begin_value(&mut self, ids: &Ids, is_chunked: bool) -> Result<usize>;
    /// The end of what [`begin_value`](Self::begin_value) has begun.
    fn end_value(&mut self) -> Result<()>;
    /// The state of a value that its user marshals; what is left of it is
    /// skipped.
    fn custom(&mut self, descriptor: &ValueDescriptor, input: &mut Decoder<'_>) -> Result<()>;
    fn led_back(&mut self, place: usize) -> Result<()>;
    /// An Any that begins: nothing leads out of it.
    fn begin_any(&mut self);
    /// The end of what [`begin_any`](Self::begin_any) has begun.
    fn end_any(&mut self);
}

/// Copies into an encoder.
pub(super) struct Copy<'o> {
    out: &'o mut Encoder,
    written: Written,
    /// The states of the messages around the Anys that are being written, the innermost
    /// last.
    outside: Vec<(Written, Isolation)>,
    /// Which of the values around what is written are chunked.
    chunked: Vec<bool>,
}

/// Where ids have been written.
#[derive(Default)]
struct Written {
    texts: HashMap<Arc<str>, usize>,
    lists: HashMap<Ids, usize>,
}

impl<'o> Copy<'o> {
    pub(super) fn new(out: &'o mut Encoder) -> Self {
        Self {
            out,
            written: Written::default(),
            outside: Vec::new(),
            chunked: Vec::new(),
        }
    }

    fn write_text(&mut self, text: &Arc<str>) -> Result<()> {
        if let Some(&place) = self.written.texts.get(text) {
            return self.out.write_indirection(place);
        }
        self.out.align(4);
        self.written.texts.insert(Arc::clone(text), self.out.len());
        self.out.write_length(text.len() + 1)?;
        self.out.write_bytes(text.as_bytes());
        self.out.write_bytes(&[0]);
        Ok(())
    }
}

impl Sink for Copy<'_> {
    fn run(&mut self, run: Run, times: usize, input: &mut Decoder<'_>) -> Result<()> {
        let count = total(run, times, input)?;
        match run.width {
            1 => input.copy_elements::<u8>(count, self.out),
            2 => input.copy_elements::<u16>(count, self.out),
            4 => input.copy_elements::<u32>(count, self.out),
            8 => input.copy_elements::<u64>(count, self.out),
            _ => input.copy_elements::<LongDouble>(count, self.out),
        }
    }

    fn length(&mut self, length: u32) {
        self.out.write(length);
    }

    fn flag(&mut self, flag: bool) {
        self.out.write(u8::from(flag));
    }

    fn label(&mut self, kind: TCKind, label: i64) -> Result<()> {
        write_label(kind, label, self.out)
    }

    fn octets(&mut self, octets: &[u8]) {
        self.out.write_bytes(octets);
    }

    fn string(&mut self, bound: u32, input: &mut Decoder<'_>) -> Result<()> {
        let start = input.position();
        let text = input.read_string()?;
        check_length(bound, text.len(), || text.chars().count(), start)?;
        self.out.write_string(&text)
    }

    fn wide_string(&mut self, bound: u32, input: &mut Decoder<'_>) -> Result<()> {
        let start = input.position();
        let text = input.read_wstring()?;
        check_length(bound, text.len(), || text.encode_utf16().count(), start)?;
        self.out.write_wstring(&text)
    }

    fn wide_character(&mut self, input: &mut Decoder<'_>) -> Result<()> {
        self.out.write_wchar(input.read_wchar()?)
    }

    fn type_code(&mut self, type_code: &TypeCode) -> Result<()> {
        taut_cdr::Encode::encode(type_code, self.out)
    }

    fn begin_value(&mut self, ids: &Ids, is_chunked: bool) -> Result<usize> {
        self.out.suspend_chunk()?;
        let is_chunked = is_chunked || self.out.chunk_level() > 0;
        self.out.align(4);
        let place = self.out.len();
        self.out.write(value::tag(ids.len() > 1, is_chunked));
        match (&**ids, self.written.lists.get(ids)) {
            ([id], _) => self.write_text(id)?,
            (_, Some(&place)) => self.out.write_indirection(place)?,
            (many, None) => {
                self.written.lists.insert(Arc::clone(ids), self.out.len());
                self.out.write_length(many.len())?;
                many.iter().try_for_each(|id| self.write_text(id))?;
            }
        }
        if is_chunked {
            self.out.enter_chunks();
        }
        self.chunked.push(is_chunked);
        Ok(place)
    }

    fn end_value(&mut self) -> Result<()> {
        if self.chunked.pop() == Some(true) {
            self.out.leave_chunks()?;
            self.out.resume_chunk();
        }
        Ok(())
    }

    fn custom(&mut self, descriptor: &ValueDescriptor, input: &mut Decoder<'_>) -> Result<()> {
        let object = descriptor.make();
        object.decode_state(input)?;
        object.encode_state(self.out)
    }

    fn led_back(&mut self, place: usize) -> Result<()> {
        self.out.write_indirection(place)
    }

    fn begin_any(&mut self) {
        let isolation = self.out.isolate();
        self.outside
            .push((std::mem::take(&mut self.written), isolation));
    }

    fn end_any(&mut self) {
        if let Some((written, isolation)) = self.outside.pop() {
            self.written = written;
            self.out.restore(isolation);
        }
    }
}

/// Leads nowhere.
#[derive(Default)]
pub(super) struct Skip {
    /// Octets by which values grow when they are copied to an Any.
    pub(super) growth: usize,
}

impl Skip {
    /// Notes that what was read since `start` may take `size` octets.
    fn note(&mut self, size: usize, start: usize, input: &Decoder<'_>) {
        let read = input.position() - start;
        self.growth = self.growth.saturating_add(size.saturating_sub(read));
    }
}

impl Sink for Skip {
    fn run(&mut self, run: Run, times: usize, input: &mut Decoder<'_>) -> Result<()> {
        let count = total(run, times, input)?;
        match run.width {
            1 => input.skip_elements::<u8>(count),
            2 => input.skip_elements::<u16>(count),
            4 => input.skip_elements::<u32>(count),
            8 => input.skip_elements::<u64>(count),
            _ => input.skip_elements::<LongDouble>(count),
        }
    }

    fn length(&mut self, _: u32) {}

    fn flag(&mut self, _: bool) {}

    fn label(&mut self, kind: TCKind, _: i64) -> Result<()> {
        if kind == TCKind::WChar {
            // In GIOP 1.1 it has two octets, where it is kept three.
            self.growth = self.growth.saturating_add(1);
        }
        Ok(())
    }

    fn octets(&mut self, _: &[u8]) {}

    fn string(&mut self, bound: u32, input: &mut Decoder<'_>) -> Result<()> {
        let start = input.position();
        let text = input.read_string()?;
        // Length and NUL, and the padding behind.
        self.note(text.len() + 8, start, input);
        check_length(bound, text.len(), || text.chars().count(), start)
    }

    fn wide_string(&mut self, bound: u32, input: &mut Decoder<'_>) -> Result<()> {
        let start = input.position();
        let text = input.read_wstring()?;
        check_length(bound, text.len(), || text.encode_utf16().count(), start)
    }

    fn wide_character(&mut self, input: &mut Decoder<'_>) -> Result<()> {
        let start = input.position();
        input.read_wchar()?;
        self.note(3, start, input);
        Ok(())
    }

    fn type_code(&mut self, _: &TypeCode) -> Result<()> {
        Ok(())
    }

    fn begin_value(&mut self, ids: &Ids, _: bool) -> Result<usize> {
        // A tag, a size and an end; the ids may be written for the first time.
        let ids = ids.iter().map(|id| id.len() + 8).sum::<usize>();
        self.growth = self.growth.saturating_add(ids + 16);
        Ok(0)
    }

    fn end_value(&mut self) -> Result<()> {
        Ok(())
    }

    fn custom(&mut self, _: &ValueDescriptor, _: &mut Decoder<'_>) -> Result<()> {
        Ok(())
    }

    fn led_back(&mut self, _: usize) -> Result<()> {
        Ok(())
    }

    fn begin_any(&mut self) {}

    fn end_any(&mut self) {}
}

/// How many primitives there are in `times` runs.
pub(super) fn total(run: Run, times: usize, input: &Decoder<'_>) -> Result<usize> {
    (run.count as usize).checked_mul(times).ok_or_else(|| {
        input.error(ErrorKind::Truncated {
            needed: usize::MAX,
            remaining: input.remaining(),
        })
    })
}

/// Checks a bound that counts units of which none takes less than an octet.
fn check_length(
    bound: u32,
    octets: usize,
    units: impl FnOnce() -> usize,
    offset: usize,
) -> Result<()> {
    let bound = bound as usize;
    if bound == 0 || octets <= bound {
        return Ok(());
    }
    check_bound(units(), bound, offset)
}
