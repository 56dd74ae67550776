//! Wide characters and strings, fixed-point numbers and long double, in every
//! mode.

use std::sync::Mutex;

use taut::{
    Any, CompletionStatus, Fixed, LongDouble, SystemException, SystemExceptionKind, Typed as _,
    Version, WChar,
};

use super::wide::wide::*;
use super::{check, serve, serve_in};

/// Returns `a` and the old `b`; the new `b` is `a`.
#[derive(Default)]
struct Echo {
    name: Mutex<String>,
}

impl Peer for Echo {
    echo! {
        f_wchar(WChar, WChar) = |a| a;
        f_wstring(&str, String) = str::to_owned;
        f_brief(&str, String) = str::to_owned;
        f_long_double(LongDouble, LongDouble) = |a| a;
        f_money(Money, Money) = |a| a;
        f_big(Big, Big) = |a| a;
        f_wchars(&[WChar], Vec<WChar>) = <[WChar]>::to_vec;
        f_wtexts(&[String], Vec<String>) = <[String]>::to_vec;
        f_long_doubles(&[LongDouble], Vec<LongDouble>) = <[LongDouble]>::to_vec;
        f_prices(&[Money], Vec<Money>) = <[Money]>::to_vec;
        f_word(&[WChar; 3], [WChar; 3]) = |a| *a;
        f_pair(&[String; 2], [String; 2]) = Clone::clone;
        f_mixed(&Mixed, Mixed) = Clone::clone;
        f_choice(&Choice, Choice) = Clone::clone;
    }

    fn name(&self) -> taut::Result<String> {
        Ok(self.name.lock().unwrap().clone())
    }

    fn set_name(&self, value: &str) -> taut::Result<()> {
        value.clone_into(&mut self.name.lock().unwrap());
        Ok(())
    }
}

#[test]
fn every_type_passes_in_every_mode() {
    every_type_passes_in(Version::V1_1);
    every_type_passes_in(Version::V1_2);
}

#[test]
fn giop_1_0_has_no_wide_characters() {
    let (server, _client, peer) = serve_in(Version::V1_0, PeerSkeleton::new(Echo::default()));
    let refused = peer.set_name("Ω").unwrap_err();
    assert_eq!(
        refused,
        SystemException::omg(SystemExceptionKind::Marshal, 5, CompletionStatus::No)
    );
    // A string that is not wide passes.
    let price: Money = "-12345.67".parse().unwrap();
    check(price, Money::MAX, |a, b| peer.f_money(*a, b));
    server.shutdown(true).unwrap();
}

fn every_type_passes_in(version: Version) {
    let (server, _client, peer) = serve_in(version, PeerSkeleton::new(Echo::default()));
    let euro = WChar::try_from('€').unwrap();
    let text = "Ωmega 𝄞".to_owned();
    let price: Money = "-12345.67".parse().unwrap();
    let third = LongDouble::from_bits(0x3ffd_5555_5555_5555_5555_5555_5555_5555);
    peer.set_name(&text).unwrap();
    assert_eq!(peer.name(), Ok(text.clone()));
    check(euro, LETTER, |a, b| peer.f_wchar(*a, b));
    check(text.clone(), String::new(), |a, b| peer.f_wstring(a, b));
    check("𝄞𝄞".to_owned(), "Ωmeg".to_owned(), |a, b| {
        peer.f_brief(a, b)
    });
    check(third, HALF, |a, b| peer.f_long_double(*a, b));
    check(price, Money::MAX, |a, b| peer.f_money(*a, b));
    check(-Big::MAX, Big::MAX, |a, b| peer.f_big(*a, b));
    check(vec![euro, LETTER], vec![], |a, b| peer.f_wchars(a, b));
    check(vec![text.clone(); 3], vec![], |a, b| peer.f_wtexts(a, b));
    check(vec![third; 100], vec![], |a, b| peer.f_long_doubles(a, b));
    check(vec![price; 9], vec![], |a, b| peer.f_prices(a, b));
    check([euro; 3], Default::default(), |a, b| peer.f_word(a, b));
    let pair = ["a".to_owned(), "Ω".to_owned()];
    check(pair.clone(), Default::default(), |a, b| peer.f_pair(a, b));
    let mixed = Mixed {
        a: euro,
        b: text.clone(),
        c: "four".to_owned(),
        d: third,
        e: price,
        f: LOSS,
        g: [LETTER; 3],
        h: pair,
    };
    check(mixed, Mixed::default(), |a, b| peer.f_mixed(a, b));
    let worth = Choice::new_text_with(euro, text).unwrap();
    check(worth, Choice::Price(price), |a, b| peer.f_choice(a, b));
    check(Choice::new_none(), Choice::default(), |a, b| {
        peer.f_choice(a, b)
    });
    server.shutdown(true).unwrap();
}

#[test]
fn a_union_over_wide_characters_goes_into_an_any() {
    let price = Choice::Price("1.50".parse().unwrap());
    let any = Any::new(&price).unwrap();
    assert_eq!(any.type_code().discriminator_type(), Ok(WChar::type_code()));
    assert_eq!(any.extract::<Choice>(), Ok(price));
}

#[test]
fn constants_have_the_values_of_the_idl() {
    assert_eq!(char::try_from(LETTER), Ok('ä'));
    assert_eq!(TEXT, "Ωmega");
    assert_eq!(RATE, "12.5".parse::<Fixed<3, 1>>().unwrap());
    assert_eq!(LOSS.to_string(), "-0.075");
    assert_eq!((HALF.to_f64(), TENTH.to_f64()), (0.5, -0.1));
}

#[test]
fn broken_bounds_are_refused() {
    let (server, _client, peer) = serve(PeerSkeleton::new(Echo::default()));
    let error = peer.f_brief("12345", &mut String::new()).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::Marshal);
    let four = vec![String::new(); 4];
    let error = peer.f_wtexts(&four, &mut vec![]).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::Marshal);
    server.shutdown(true).unwrap();
}
