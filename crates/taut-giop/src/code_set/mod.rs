//! Code sets: which ones there are, how a server lists its own, and how client
//! and server agree (CORBA 3.3 part 2, 7.10).

mod registry;

use alloc::vec;
use alloc::vec::Vec;

use taut_cdr::{ByteOrder, CharCodeSet, Decode, Decoder, Encode, Encoder, Result};

use crate::component::{TaggedComponent, tag};
use crate::exception::SystemException;
use registry::{character_sets, incompatible};

pub use registry::{char_code_set, char_code_set_id, char_code_set_named, id, name};

/// The code sets of one side for one kind of character.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CodeSetComponent {
    /// The code set it works in; 0 when it has none.
    pub native: u32,
    /// The code sets it can convert to and from, the best first.
    pub conversion: Vec<u32>,
}

/// The code sets of one side: the content of component TAG_CODE_SETS.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CodeSetComponentInfo {
    /// For `char` and `string`.
    pub for_char: CodeSetComponent,
    /// For `wchar` and `wstring`.
    pub for_wchar: CodeSetComponent,
}

impl CodeSetComponentInfo {
    /// Returns the code sets of Taut as a client: its strings are UTF-8, and it writes and
    /// reads ISO 8859-1 where the server prefers that.
    pub fn taut_client() -> Self {
        Self::client(&[])
    }

    /// Returns the code sets of a client that besides reads and writes strings in these,
    /// the best first.
    pub fn client(further: &[CharCodeSet]) -> Self {
        Self::of_char(CharCodeSet::Utf8, further)
    }

    /// Returns the code sets that Taut publishes as a server. ISO 8859-1 is called native,
    /// for that is what clients in C++ have: they then choose it, and keep their `char`
    /// above U+007F, which has no form of one octet in UTF-8. Clients that have UTF-8
    /// choose UTF-8.
    pub fn taut_server() -> Self {
        Self::server(CharCodeSet::Iso8859_1, &[])
    }

    /// Returns the code sets of a server that calls this one native, and besides reads and
    /// writes strings in those, the best first.
    pub fn server(native: CharCodeSet, further: &[CharCodeSet]) -> Self {
        Self::of_char(native, further)
    }

    fn of_char(native: CharCodeSet, further: &[CharCodeSet]) -> Self {
        // UTF-8 before those that cannot say everything.
        let mut conversion = vec![];
        let always = [CharCodeSet::Utf8, CharCodeSet::Iso8859_1];
        for code_set in always.iter().chain(further) {
            let id = char_code_set_id(*code_set);
            if *code_set != native && !conversion.contains(&id) {
                conversion.push(id);
            }
        }
        Self {
            for_char: CodeSetComponent {
                native: char_code_set_id(native),
                conversion,
            },
            for_wchar: CodeSetComponent {
                native: id::UTF_16,
                conversion: Vec::new(),
            },
        }
    }

    /// Reads the component.
    ///
    /// # Errors
    ///
    /// When it is malformed, or of another kind.
    pub fn from_component(component: &TaggedComponent) -> Result<Self> {
        Self::decode(&mut component.decoder(tag::CODE_SETS)?)
    }

    /// The component.
    ///
    /// # Errors
    ///
    /// When there are more than 2³² code sets.
    pub fn to_component(&self) -> Result<TaggedComponent> {
        TaggedComponent::encapsulated(tag::CODE_SETS, |out| self.encode(out))
    }
}

impl Encode for CodeSetComponent {
    fn encode(&self, out: &mut Encoder) -> Result<()> {
        out.write(self.native);
        self.conversion.encode(out)
    }
}

impl<'m> Decode<'m> for CodeSetComponent {
    const MIN_SIZE: usize = 8;

    fn decode(input: &mut Decoder<'m>) -> Result<Self> {
        Ok(Self {
            native: input.read()?,
            conversion: Vec::decode(input)?,
        })
    }
}

impl Encode for CodeSetComponentInfo {
    fn encode(&self, out: &mut Encoder) -> Result<()> {
        self.for_char.encode(out)?;
        self.for_wchar.encode(out)
    }
}

impl<'m> Decode<'m> for CodeSetComponentInfo {
    const MIN_SIZE: usize = 16;

    fn decode(input: &mut Decoder<'m>) -> Result<Self> {
        Ok(Self {
            for_char: CodeSetComponent::decode(input)?,
            for_wchar: CodeSetComponent::decode(input)?,
        })
    }
}

/// The code sets of a connection: the data of service context
/// [`CODE_SETS`](crate::service_context::id::CODE_SETS). The client chooses them
/// and sends them with its first requests; they hold until the connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CodeSetContext {
    /// Of `char` and `string`.
    pub char_tcs: u32,
    /// Of `wchar` and `wstring`; 0 when none is agreed.
    pub wchar_tcs: u32,
}

impl CodeSetContext {
    /// The code sets in force when nothing was negotiated: ISO 8859-1, and no wide
    /// characters.
    pub const DEFAULT: Self = Self {
        char_tcs: id::ISO_8859_1,
        wchar_tcs: 0,
    };

    /// The code sets between two ORBs of Taut: nothing that a string can hold is lost, and
    /// a `char` is one octet as it is in memory.
    pub const TAUT: Self = Self {
        char_tcs: id::UTF_8,
        wchar_tcs: id::UTF_16,
    };

    /// Chooses the code sets for a connection from what client and server can
    /// do. A reference without the component (`server` is `None`), or without
    /// a usable code set for wide characters, allows no wide characters.
    ///
    /// # Errors
    ///
    /// CODESET_INCOMPATIBLE, OMG minor 1, when there is no code set for `char`.
    pub fn negotiate(
        client: &CodeSetComponentInfo,
        server: Option<&CodeSetComponentInfo>,
    ) -> core::result::Result<Self, SystemException> {
        let Some(server) = server else {
            return Ok(Self::DEFAULT);
        };
        let char_tcs = negotiate(&client.for_char, &server.for_char, id::UTF_8)
            .ok_or_else(|| incompatible(1))?;
        let wchar_tcs =
            negotiate(&client.for_wchar, &server.for_wchar, id::UTF_16).unwrap_or_default();
        Ok(Self {
            char_tcs,
            wchar_tcs,
        })
    }

    /// Reads the data of the service context.
    ///
    /// # Errors
    ///
    /// When it is malformed.
    pub fn from_context_data(data: &[u8]) -> Result<Self> {
        let mut input = Decoder::encapsulated(data)?;
        Ok(Self {
            char_tcs: input.read()?,
            wchar_tcs: input.read()?,
        })
    }

    /// The data of the service context.
    pub const fn to_context_data(&self) -> [u8; 12] {
        let [c0, c1, c2, c3] = self.char_tcs.to_ne_bytes();
        let [w0, w1, w2, w3] = self.wchar_tcs.to_ne_bytes();
        let order = ByteOrder::NATIVE.flag();
        [order, 0, 0, 0, c0, c1, c2, c3, w0, w1, w2, w3]
    }

    /// The code set of strings for encoders and decoders.
    ///
    /// # Errors
    ///
    /// CODESET_INCOMPATIBLE, OMG minor 2, when Taut has no such code set.
    pub fn char_code_set(&self) -> core::result::Result<CharCodeSet, SystemException> {
        char_code_set(self.char_tcs)
    }

    /// Makes sure that wide characters are what Taut reads and writes: UTF-16, or
    /// UCS-2, which is the same without pairs of surrogates; or none.
    ///
    /// # Errors
    ///
    /// CODESET_INCOMPATIBLE, OMG minor 2, when it is another code set.
    pub const fn check_wchar_code_set(&self) -> core::result::Result<(), SystemException> {
        match self.wchar_tcs {
            0 | id::UTF_16 | id::UCS_2_LEVEL_1 | id::UCS_2_LEVEL_2 | id::UCS_2_LEVEL_3 => Ok(()),
            _ => Err(incompatible(2)),
        }
    }
}

/// Chooses the transmission code set for one kind of character
/// (CORBA 3.3 part 2, 7.10.2.6). `fallback` is what two sides use that can
/// convert nothing but work in code sets that overlap. `None`: they cannot talk.
pub fn negotiate(
    client: &CodeSetComponent,
    server: &CodeSetComponent,
    fallback: u32,
) -> Option<u32> {
    if client.native == 0 || server.native == 0 {
        return None;
    }
    if client.native == server.native || client.conversion.contains(&server.native) {
        return Some(server.native);
    }
    if server.conversion.contains(&client.native) {
        return Some(client.native);
    }
    let in_common = server
        .conversion
        .iter()
        .find(|code_set| client.conversion.contains(code_set));
    if let Some(code_set) = in_common {
        return Some(*code_set);
    }
    let overlap = character_sets(client.native)
        .iter()
        .any(|character_set| character_sets(server.native).contains(character_set));
    overlap.then_some(fallback)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exception::{SystemExceptionKind, minor};

    fn component(native: u32, conversion: &[u32]) -> CodeSetComponent {
        CodeSetComponent {
            native,
            conversion: conversion.to_vec(),
        }
    }

    #[test]
    fn the_code_set_is_chosen_by_the_standard_s_order() {
        let (latin, utf8, sjis, euc) = (id::ISO_8859_1, id::UTF_8, id::SJIS, id::EUC_JP);
        let cases = [
            (component(utf8, &[]), component(utf8, &[]), Some(utf8)),
            // The server's native code set goes before the client's.
            (
                component(utf8, &[latin]),
                component(latin, &[utf8]),
                Some(latin),
            ),
            (component(utf8, &[]), component(latin, &[utf8]), Some(utf8)),
            // In the server's order.
            (
                component(sjis, &[utf8, latin]),
                component(euc, &[latin, utf8]),
                Some(latin),
            ),
            // They overlap.
            (component(sjis, &[]), component(euc, &[]), Some(utf8)),
            (component(sjis, &[]), component(id::UTF_16, &[]), None),
            (component(0, &[]), component(utf8, &[utf8]), None),
            (component(utf8, &[0]), component(0, &[]), None),
        ];
        for (client, server, expected) in &cases {
            let chosen = negotiate(client, server, utf8);
            assert_eq!(chosen, *expected, "{client:?} {server:?}");
        }
    }

    #[test]
    fn without_a_component_strings_are_latin_1() {
        let context =
            CodeSetContext::negotiate(&CodeSetComponentInfo::taut_client(), None).unwrap();
        assert_eq!(context, CodeSetContext::DEFAULT);
        assert_eq!(context.char_code_set(), Ok(CharCodeSet::Iso8859_1));
    }

    #[test]
    fn each_client_of_taut_gets_what_its_char_can_hold() {
        let server = CodeSetComponentInfo::taut_server();
        let component_of = |native| CodeSetComponentInfo {
            for_char: component(native, &[id::UTF_8]),
            ..CodeSetComponentInfo::taut_client()
        };
        for (client, char_tcs) in [
            (component_of(id::ISO_8859_1), id::ISO_8859_1),
            (component_of(id::UTF_8), id::UTF_8),
            (component_of(id::SJIS), id::UTF_8),
        ] {
            let context = CodeSetContext::negotiate(&client, Some(&server)).unwrap();
            assert_eq!(
                (context.char_tcs, context.wchar_tcs),
                (char_tcs, id::UTF_16)
            );
        }
    }

    #[test]
    fn what_is_published_and_sent_can_be_read() {
        assert_eq!(CodeSetContext::TAUT.char_code_set(), Ok(CharCodeSet::Utf8));
        let data = CodeSetContext::TAUT.to_context_data();
        assert_eq!(
            CodeSetContext::from_context_data(&data),
            Ok(CodeSetContext::TAUT)
        );
        let taut = CodeSetComponentInfo::taut_server();
        let component = taut.to_component().unwrap();
        assert_eq!(CodeSetComponentInfo::from_component(&component), Ok(taut));
    }

    #[test]
    fn code_sets_that_do_not_meet_are_an_exception() {
        let mut server = CodeSetComponentInfo::taut_server();
        server.for_char = component(id::EBCDIC_037, &[]);
        let mut client = CodeSetComponentInfo::taut_client();
        client.for_char.conversion.clear();
        let error = CodeSetContext::negotiate(&client, Some(&server)).unwrap_err();
        assert_eq!(error.kind, SystemExceptionKind::CodesetIncompatible);
        assert_eq!(error.minor, minor::omg(1));
        assert_eq!(
            char_code_set(id::EBCDIC_500).map_err(|error| error.minor),
            Err(minor::omg(2))
        );
    }
}
