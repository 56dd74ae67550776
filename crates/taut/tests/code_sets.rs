//! Strings in the code set that client and server agree upon.

#![cfg(feature = "code-sets")]
#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

mod common;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use common::{Echo, EchoError, EchoRef, Server};
use taut::{
    CharCodeSet, CompletionStatus, ConvertedCodeSet, Ior, Orb, SystemException, SystemExceptionKind,
};
use taut_cdr::{ByteOrder, Decode as _, Encoder};
use taut_giop::Version;
use taut_giop::code_set::{CodeSetContext, id};
use taut_giop::component::tag::ORB_TYPE;
use taut_giop::ior::IiopProfile;
use taut_giop::message::{
    MessageHeader, MessageType, ReplyHeader, ReplyStatus, RequestHeader, ResponseFlags,
    TargetAddress, begin_message, finish_message,
};
use taut_giop::service_context::id::CODE_SETS;
use taut_giop::service_context::{ServiceContext, ServiceContexts};

const SHIFT_JIS: CharCodeSet = CharCodeSet::Converted(ConvertedCodeSet::ShiftJis);
const EUC_JP: CharCodeSet = CharCodeSet::Converted(ConvertedCodeSet::EucJp);
const LATIN_2: CharCodeSet = CharCodeSet::Converted(ConvertedCodeSet::Iso8859_2);

/// A server whose references call this code set native, and which has others.
fn server(native: CharCodeSet, others: &[CharCodeSet]) -> Server {
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    Server::start_with(builder.settings(|settings| {
        settings.native_char_code_set = native;
        settings.char_code_sets = others.to_vec();
    }))
}

/// A client that takes the server for another ORB; two of Taut have UTF-8.
fn client(server: &Server, code_sets: &[CharCodeSet]) -> EchoRef {
    let orb = Orb::builder()
        .settings(|settings| settings.char_code_sets = code_sets.to_vec())
        .build()
        .unwrap();
    let mut ior: Ior = server.ior().parse().unwrap();
    let mut profile = IiopProfile::parse(&ior.profiles[0].data).unwrap();
    profile
        .components
        .retain(|component| component.tag != ORB_TYPE);
    ior.profiles[0] = profile.to_profile().unwrap();
    let object = orb.string_to_object(&ior.to_string()).unwrap();
    object.unchecked_narrow()
}

#[test]
fn strings_go_in_the_native_code_set_of_the_server() {
    for (native, text) in [
        (SHIFT_JIS, "東京 ﾃﾞｽ"),
        (EUC_JP, "東京"),
        (LATIN_2, "Łódź"),
        (CharCodeSet::Iso8859_1, "é"),
        (CharCodeSet::Utf8, "Łódź 東京 €"),
    ] {
        let server = server(native, &[]);
        let echo = client(&server, &[SHIFT_JIS, EUC_JP, LATIN_2]);
        assert_eq!(echo.echo(text).unwrap(), text, "{native:?}");
    }
}

#[test]
fn what_cannot_be_said_in_the_code_set_is_a_data_conversion() {
    let server = server(LATIN_2, &[]);
    let echo = client(&server, &[LATIN_2]);
    let refusal =
        SystemException::omg(SystemExceptionKind::DataConversion, 1, CompletionStatus::No);
    assert_eq!(echo.echo("Łódź 東京"), Err(EchoError::System(refusal)));
    assert_eq!(echo.echo("Łódź").unwrap(), "Łódź");
    // The same client without that code set falls back to UTF-8.
    let echo = client(&server, &[]);
    assert_eq!(echo.echo("Łódź 東京").unwrap(), "Łódź 東京");
}

/// Wide characters of four octets each would be read as two characters.
#[test]
fn the_code_set_of_wide_characters_was_not_looked_at() {
    let server = server(CharCodeSet::Iso8859_1, &[]);
    let ior: Ior = server.ior().parse().unwrap();
    let profile = IiopProfile::parse(&ior.profiles[0].data).unwrap();
    let answer = |wchar_tcs| {
        let agreed = CodeSetContext {
            char_tcs: id::ISO_8859_1,
            wchar_tcs,
        };
        let contexts = [ServiceContext {
            id: CODE_SETS,
            data: &agreed.to_context_data(),
        }];
        let request = RequestHeader {
            request_id: 1,
            response: ResponseFlags::Expected,
            target: TargetAddress::Key(&profile.object_key),
            operation: b"_non_existent",
            service_contexts: ServiceContexts::new(&contexts),
        };
        let mut out = Encoder::new(ByteOrder::NATIVE);
        begin_message(&mut out, Version::V1_2, MessageType::Request);
        request.encode(Version::V1_2, &mut out).unwrap();
        finish_message(&mut out).unwrap();
        let mut stream = TcpStream::connect(("127.0.0.1", profile.port)).unwrap();
        stream.write_all(out.as_bytes()).unwrap();
        let mut header = [0; 12];
        stream.read_exact(&mut header).unwrap();
        let parsed = MessageHeader::parse(&header).unwrap();
        let mut message = header.to_vec();
        message.resize(parsed.total_size(), 0);
        stream.read_exact(&mut message[12..]).unwrap();
        let mut input = parsed.decoder(&message).unwrap();
        let reply = ReplyHeader::decode(Version::V1_2, &mut input).unwrap();
        match reply.status {
            ReplyStatus::SystemException => Some(SystemException::decode(&mut input).unwrap()),
            _ => None,
        }
    };
    let kind = SystemExceptionKind::CodesetIncompatible;
    let refusal = SystemException::omg(kind, 2, CompletionStatus::No);
    for wchar_tcs in [id::UCS_4_LEVEL_1, id::EUC_JP, 7] {
        assert_eq!(answer(wchar_tcs), Some(refusal), "{wchar_tcs:#x}");
    }
    for wchar_tcs in [0, id::UTF_16, id::UCS_2_LEVEL_1] {
        assert_eq!(answer(wchar_tcs), None, "{wchar_tcs:#x}");
    }
}

#[test]
fn a_code_set_that_was_not_offered_is_refused() {
    let offering = server(SHIFT_JIS, &[]);
    let refusing = server(CharCodeSet::Iso8859_1, &[]);
    // What the first offers is asked of the second.
    let mut ior: Ior = offering.ior().parse().unwrap();
    let other: Ior = refusing.ior().parse().unwrap();
    let mut profile = IiopProfile::parse(&ior.profiles[0].data).unwrap();
    let target = IiopProfile::parse(&other.profiles[0].data).unwrap();
    profile
        .components
        .retain(|component| component.tag != ORB_TYPE);
    (profile.port, profile.object_key) = (target.port, target.object_key);
    ior.profiles[0] = profile.to_profile().unwrap();
    let orb = Orb::builder()
        .settings(|settings| settings.char_code_sets = vec![SHIFT_JIS])
        .build()
        .unwrap();
    let object = orb.string_to_object(&ior.to_string()).unwrap();
    let echo: EchoRef = object.unchecked_narrow();
    let kind = SystemExceptionKind::CodesetIncompatible;
    let refusal = SystemException::omg(kind, 2, CompletionStatus::No);
    assert_eq!(echo.echo("x"), Err(EchoError::System(refusal)));
}
