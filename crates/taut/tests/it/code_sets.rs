//! Strings in the code set that client and server agree upon.

#![cfg(feature = "code-sets")]
#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

use crate::common::raw::{RawClient, Request};
use crate::common::{Echo, EchoError, EchoRef, Server, client_with};
use taut::{
    CharCodeSet, CompletionStatus, ConvertedCodeSet, Ior, Reference, SystemException,
    SystemExceptionKind,
};
use taut_cdr::Decode as _;
use taut_giop::code_set::{CodeSetContext, id};
use taut_giop::component::tag::ORB_TYPE;
use taut_giop::ior::IiopProfile;
use taut_giop::message::ReplyStatus;
use taut_giop::service_context::ServiceContext;
use taut_giop::service_context::id::CODE_SETS;

const SHIFT_JIS: CharCodeSet = CharCodeSet::Converted(ConvertedCodeSet::ShiftJis);
const EUC_JP: CharCodeSet = CharCodeSet::Converted(ConvertedCodeSet::EucJp);
const LATIN_2: CharCodeSet = CharCodeSet::Converted(ConvertedCodeSet::Iso8859_2);

/// A server whose references call this code set native, and which has others.
fn server(native: CharCodeSet, others: &[CharCodeSet]) -> Server {
    Server::with(|settings| {
        settings.wire.native_char_code_set = native;
        settings.wire.char_code_sets = others.to_vec();
    })
}

/// A client that takes the server for another ORB; two of Taut have UTF-8.
fn client(server: &Server, code_sets: &[CharCodeSet]) -> EchoRef {
    let mut ior: Ior = server.ior().parse().unwrap();
    let mut profile = IiopProfile::parse(&ior.profiles[0].data).unwrap();
    profile
        .components
        .retain(|component| component.tag != ORB_TYPE);
    ior.profiles[0] = profile.to_profile().unwrap();
    client_with(&ior.to_string(), |settings| {
        settings.wire.char_code_sets = code_sets.to_vec();
    })
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
    let answer = |wchar_tcs| {
        let agreed = CodeSetContext {
            char_tcs: id::ISO_8859_1,
            wchar_tcs,
        };
        let contexts = [ServiceContext {
            id: CODE_SETS,
            data: &agreed.to_context_data(),
        }];
        let request = Request {
            contexts: &contexts,
            ..Request::new(1, "_non_existent")
        };
        let mut raw = RawClient::connect(&server.orb);
        raw.send(&request.to(server.echo.as_object(), |_| ()));
        let reply = raw.receive_reply(1);
        let (status, mut results) = reply.outcome();
        match status {
            ReplyStatus::SystemException => Some(SystemException::decode(&mut results).unwrap()),
            _ => None,
        }
    };
    let kind = SystemExceptionKind::CodesetIncompatible;
    let refusal = SystemException::omg(kind, 2, CompletionStatus::No);
    for wchar_tcs in [id::UCS_4_LEVEL_1, id::EUC_JP, 7] {
        assert_eq!(answer(wchar_tcs), Some(refusal.clone()), "{wchar_tcs:#x}");
    }
    for wchar_tcs in [0, id::UTF_16, id::UCS_2_LEVEL_1] {
        assert_eq!(answer(wchar_tcs), None, "{wchar_tcs:#x}");
    }
}

#[test]
fn a_code_set_that_was_not_offered_is_refused() {
    let offering = server(SHIFT_JIS, &[]);
    let refusing = server(CharCodeSet::Iso8859_1, &[]);
    // A code set that the first server offers is asked of the second.
    let mut ior: Ior = offering.ior().parse().unwrap();
    let other: Ior = refusing.ior().parse().unwrap();
    let mut profile = IiopProfile::parse(&ior.profiles[0].data).unwrap();
    let target = IiopProfile::parse(&other.profiles[0].data).unwrap();
    profile
        .components
        .retain(|component| component.tag != ORB_TYPE);
    (profile.port, profile.object_key) = (target.port, target.object_key);
    ior.profiles[0] = profile.to_profile().unwrap();
    let echo = client_with(&ior.to_string(), |settings| {
        settings.wire.char_code_sets = vec![SHIFT_JIS];
    });
    let kind = SystemExceptionKind::CodesetIncompatible;
    let refusal = SystemException::omg(kind, 2, CompletionStatus::No);
    assert_eq!(echo.echo("x"), Err(EchoError::System(refusal)));
}
