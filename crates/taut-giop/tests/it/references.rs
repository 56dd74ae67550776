//! References, profiles, components and URLs: to bytes or text and back.

use std::hash::{DefaultHasher, Hasher};

use taut_cdr::{ByteOrder, Encode, Encoder};
use taut_giop::code_set::{CodeSetComponentInfo, id};
use taut_giop::component::{self, AlternateAddress, TaggedComponent, UnixAddress, orb_type, tag};
use taut_giop::ior::{
    IiopProfile, IorParseErrorKind, TaggedProfile, UiopProfile, profile, uiop_object_key,
};
use taut_giop::url::{Corbaloc, CorbalocAddress, ObjectUrl, UrlErrorKind};
use taut_giop::{Ior, Limits, Version, minor};

/// `genior IDL:demo/Circle:1.0 example.org 4711 testkey`, of omniORB 4.
const OF_OMNIORB: &str = "IOR:010000001400000049444c3a64656d6f2f436972636c653a312e3000010000\
    00000000005c000000010102000c0000006578616d706c652e6f7267006712000007000000746573746b65790002\
    00000000000000080000000100000000545441010000001c0000000100000001000100010000000100010509010\
    1000100000009010100";

#[test]
fn a_reference_of_omniorb_is_understood() {
    let ior: Ior = OF_OMNIORB.parse().unwrap();
    assert_eq!(ior.type_id, "IDL:demo/Circle:1.0");
    let profiles: Vec<_> = ior.iiop_profiles().collect();
    let [Ok(iiop)] = profiles.as_slice() else {
        panic!("{profiles:?}");
    };
    assert_eq!(iiop.version, Version::V1_2);
    assert_eq!((iiop.host.as_str(), iiop.port), ("example.org", 4711));
    assert_eq!(iiop.object_key, b"testkey");
    let orb = iiop.component(tag::ORB_TYPE).unwrap().orb_type();
    assert_eq!(orb, Ok(orb_type::OMNIORB));
    let code_sets = iiop.component(tag::CODE_SETS).unwrap();
    let code_sets = CodeSetComponentInfo::from_component(code_sets).unwrap();
    assert_eq!(code_sets.for_char.native, id::ISO_8859_1);
    assert_eq!(code_sets.for_char.conversion, [id::UTF_8]);
    assert_eq!(code_sets.for_wchar.native, id::UTF_16);
    // A reference that was received goes out again octet for octet.
    if ByteOrder::NATIVE == ByteOrder::Little {
        assert_eq!(ior.to_string(), OF_OMNIORB);
    }
    assert_eq!(ior.to_string().to_uppercase().parse(), Ok(ior));
}

/// ORBs leave in padding what was in memory, and write in their own byte order.
#[test]
fn a_reference_means_the_same_whatever_padding_and_byte_order_it_has() {
    let ior: Ior = OF_OMNIORB.parse().unwrap();
    let mut padded = ior.clone();
    let data = &mut padded.profiles[0].data;
    // Behind byte order and version, behind the port and the key, and in ORB_TYPE.
    assert_eq!((data[3], data[22], data[35]), (0, 0, 0));
    (data[3], data[22], data[35]) = (0x55, 0x66, 0x77);
    let orb_type = data
        .windows(4)
        .position(|four| four == [0, 0x54, 0x54, 0x41]);
    data[orb_type.unwrap() - 1] = 0x55;
    assert_ne!(padded, ior);
    assert!(padded.means_same(&ior));
    assert_eq!(hash(&padded), hash(&ior));

    let mut big = Encoder::new(ByteOrder::Big);
    big.write_bytes(&[0, 1, 2]);
    big.write_string("example.org").unwrap();
    big.write(4711_u16);
    b"testkey".as_slice().to_vec().encode(&mut big).unwrap();
    big.write_bytes(&[0x77]);
    let iiop = IiopProfile::parse(&ior.profiles[0].data).unwrap();
    component::write_list(&iiop.components, &mut big).unwrap();
    let mut other = ior.clone();
    other.profiles[0].data = big.into_buffer();
    assert_eq!(
        IiopProfile::parse(&other.profiles[0].data).as_ref(),
        Ok(&iiop)
    );
    assert!(other.means_same(&ior) && other.means_same(&padded));
    assert_eq!(hash(&other), hash(&ior));

    let changed = |change: &dyn Fn(&mut IiopProfile)| {
        let (mut ior, mut iiop) = (ior.clone(), iiop.clone());
        change(&mut iiop);
        ior.profiles[0] = iiop.to_profile().unwrap();
        ior
    };
    assert!(changed(&|_| ()).means_same(&ior));
    let changes: [&dyn Fn(&mut IiopProfile); 7] = [
        &|iiop| iiop.version = Version::V1_1,
        &|iiop| iiop.host.push('x'),
        &|iiop| iiop.port += 1,
        &|iiop| iiop.object_key.push(0),
        &|iiop| iiop.components.truncate(1),
        &|iiop| iiop.components[0] = TaggedComponent::from_orb_type(7),
        // One that is not understood.
        &|iiop| iiop.components[0].tag = 0x7777,
    ];
    for (index, change) in changes.into_iter().enumerate() {
        assert!(!changed(change).means_same(&ior), "{index}");
    }
    let foreign = |data: &[u8]| {
        let mut ior = ior.clone();
        ior.profiles[0] = TaggedProfile {
            tag: 0x7777,
            data: data.to_vec(),
        };
        ior
    };
    assert!(foreign(b"\x01\0\0\0").means_same(&foreign(b"\x01\0\0\0")));
    assert!(!foreign(b"\x01\0\0\0").means_same(&foreign(b"\x01\x01\0\0")));
    // A malformed profile is compared octet for octet.
    let mut cut = ior.clone();
    cut.profiles[0].data.truncate(40);
    assert!(cut.means_same(&cut.clone()) && !cut.means_same(&ior));
    // Another type id is another meaning, of the same object.
    let mut widened = ior.clone();
    widened.type_id.clear();
    assert!(!widened.means_same(&ior) && widened.leads_to_same(&ior));
}

fn hash(ior: &Ior) -> u64 {
    let mut hasher = DefaultHasher::new();
    ior.hash_meaning(&mut hasher);
    hasher.finish()
}

#[test]
fn nil_is_nil() {
    let nil = Ior::nil();
    assert!(nil.is_nil());
    assert_eq!(nil.to_string().parse(), Ok(nil));
}

#[test]
fn what_is_no_reference_is_refused_with_its_place() {
    use IorParseErrorKind::{MissingPrefix, NotHexadecimal, OddLength};
    for (text, kind, position) in [
        ("", MissingPrefix, 0),
        ("  IO", MissingPrefix, 2),
        ("iOr:0", OddLength, 5),
        ("IOR:00zz", NotHexadecimal('z'), 6),
        (" IOR:0 0", NotHexadecimal(' '), 6),
        ("IOR:é", NotHexadecimal('é'), 4),
        ("IOé:00", MissingPrefix, 0),
    ] {
        let error = text.parse::<Ior>().unwrap_err();
        assert_eq!((error.kind, error.position), (kind, position), "{text}");
        assert!(error.to_string().contains(&(position + 1).to_string()));
    }
    for text in [
        "IOR:",
        "IOR:02",
        "IOR:00",
        &OF_OMNIORB[..OF_OMNIORB.len() - 2],
    ] {
        let error = text.parse::<Ior>().unwrap_err();
        assert!(
            matches!(error.kind, IorParseErrorKind::Malformed(_)),
            "{text}"
        );
        assert!(error.position <= text.len());
    }
}

#[test]
fn profiles_of_higher_versions_may_have_more() {
    let profile = IiopProfile {
        version: Version::new(1, 9),
        host: "h".into(),
        port: 0,
        object_key: vec![],
        components: vec![],
    };
    let mut tagged = profile.to_profile().unwrap();
    tagged.data.extend_from_slice(b"more");
    assert_eq!(IiopProfile::parse(&tagged.data), Ok(profile));
    tagged.data[1] = 2;
    assert!(IiopProfile::parse(&tagged.data).is_err());
}

/// The first reference of an omniNames that listens at a Unix-domain socket alone.
const OF_OMNIORB_UNIX: &str = "IOR:010000002b00000049444c3a6f6d672e6f72672f436f734e616d696e672f4e\
    616d696e67436f6e746578744578743a312e3000000100000000000000900000000101020003000000766d00000000\
    00000b0000004e616d6553657276696365000400000000000000080000000100000000545441010000001c00000001\
    000000010001000100000001000105090101000100000009010100025454411d0000000100000003000000766d0000\
    0d0000002f746d702f75696f70782f78000000000354544108000000f485026b01003e29";

#[test]
fn a_unix_domain_socket_of_omniorb_is_understood() {
    let ior: Ior = OF_OMNIORB_UNIX.parse().unwrap();
    let iiop = ior.iiop_profiles().next().unwrap().unwrap();
    assert_eq!((iiop.host.as_str(), iiop.port), ("vm", 0));
    let component = iiop.component(tag::OMNIORB_UNIX_TRANS).unwrap();
    let address = UnixAddress::from_component(component).unwrap();
    assert_eq!(
        (address.host.as_str(), address.path.as_str()),
        ("vm", "/tmp/uiopx/x")
    );
    if ByteOrder::NATIVE == ByteOrder::Little {
        assert_eq!(address.to_component().as_ref(), Ok(component));
    }
}

#[test]
fn a_uiop_profile_is_read_and_written() {
    let mut profile = UiopProfile {
        version: Version::V1_2,
        path: "/tmp/sock".into(),
        object_key: b"key".to_vec(),
        components: vec![TaggedComponent::from_orb_type(orb_type::TAO)],
    };
    let tagged = profile.to_profile().unwrap();
    assert_eq!(tagged.tag, 0x5441_4f00);
    if ByteOrder::NATIVE == ByteOrder::Little {
        let octets = b"\x01\x01\x02\0\x0a\0\0\0/tmp/sock\0\0\0\x03\0\0\0key\0\
            \x01\0\0\0\0\0\0\0\x08\0\0\0\x01\0\0\0\0OAT";
        assert_eq!(tagged.data, octets);
    }
    let limits = &Limits::DEFAULT;
    assert_eq!(
        UiopProfile::parse_within(&tagged.data, limits).as_ref(),
        Ok(&profile)
    );
    assert_eq!(uiop_object_key(&tagged.data), Ok(&b"key"[..]));
    for length in 0..tagged.data.len() {
        assert!(UiopProfile::parse_within(&tagged.data[..length], limits).is_err());
    }
    profile.version = Version::V1_0;
    assert!(profile.to_profile().is_err());
    profile.components.clear();
    let tagged = profile.to_profile().unwrap();
    assert_eq!(UiopProfile::parse_within(&tagged.data, limits), Ok(profile));
}

#[test]
fn iiop_1_0_has_no_components() {
    let mut profile = IiopProfile {
        version: Version::V1_0,
        host: "h".into(),
        port: 5,
        object_key: vec![1],
        components: vec![],
    };
    let data = profile.to_profile().unwrap().data;
    assert_eq!(IiopProfile::parse(&data), Ok(profile.clone()));
    profile.components = vec![TaggedComponent::from_orb_type(orb_type::TAUT)];
    assert!(profile.to_profile().is_err());
}

#[test]
fn lists_have_limits() {
    let component = TaggedComponent::from_orb_type(orb_type::TAUT);
    for (count, allowed) in [(128, true), (129, false)] {
        let profile = IiopProfile {
            version: Version::V1_2,
            host: "h".into(),
            port: 5,
            object_key: vec![],
            components: vec![component.clone(); count],
        };
        let data = profile.to_profile().unwrap().data;
        assert_eq!(IiopProfile::parse(&data).is_ok(), allowed);
    }
    for (count, allowed) in [(32, true), (33, false)] {
        let ior = Ior {
            type_id: String::new(),
            profiles: vec![
                TaggedProfile {
                    tag: 9,
                    data: vec![]
                };
                count
            ],
        };
        let text = ior.to_string();
        assert_eq!(text.parse::<Ior>().is_ok(), allowed);
        let limits = Limits {
            max_profiles: 33,
            ..Limits::DEFAULT
        };
        assert_eq!(Ior::parse_within(&text, &limits), Ok(ior));
    }
}

#[test]
fn components_survive_and_know_their_kind() {
    let component = TaggedComponent::from_orb_type(orb_type::TAUT);
    assert_eq!(component.orb_type(), Ok(0x5441_5554));
    let address = AlternateAddress {
        host: "::1".into(),
        port: 2809,
    };
    let other = address.to_component().unwrap();
    assert_eq!(AlternateAddress::from_component(&other), Ok(address));
    assert!(other.orb_type().is_err());
    assert!(AlternateAddress::from_component(&component).is_err());
    assert_eq!(
        taut_giop::component::tag_name(33),
        Some("TAG_CSI_SEC_MECH_LIST")
    );
    assert_eq!(
        taut_giop::component::orb_type_name(0x5441_4f00),
        Some("TAO")
    );
    assert_eq!(profile::tag_name(0), Some("TAG_INTERNET_IOP"));
    assert_eq!(profile::tag_name(77), None);
}

fn iiop(minor: u8, host: &str, port: u16) -> CorbalocAddress {
    CorbalocAddress::Iiop {
        version: Version::new(1, minor),
        host: host.into(),
        port,
    }
}

fn uiop(minor: u8, path: &str) -> CorbalocAddress {
    CorbalocAddress::Uiop {
        version: Version::new(1, minor),
        path: path.into(),
    }
}

#[test]
fn locations_are_read_and_written() {
    let other = CorbalocAddress::Other {
        protocol: "shmiop".into(),
        address: "sock".into(),
    };
    let rir = CorbalocAddress::Rir;
    let cases = [
        (
            "corbaloc::h",
            vec![iiop(0, "h", 2809)],
            "",
            "corbaloc:iiop:h:2809",
        ),
        (
            "corbaloc:iiop:h:1/k",
            vec![iiop(0, "h", 1)],
            "k",
            "corbaloc:iiop:h:1/k",
        ),
        (
            "CORBALOC:IIOP:1.2@h/a/b",
            vec![iiop(2, "h", 2809)],
            "a/b",
            "corbaloc:iiop:1.2@h:2809/a/b",
        ),
        (
            " corbaloc::[::1],:1.1@[fe80::1]:9/%41%2f%20%FF ",
            vec![iiop(0, "::1", 2809), iiop(1, "fe80::1", 9)],
            "A/ \u{ff}",
            "corbaloc:iiop:[::1]:2809,iiop:1.1@[fe80::1]:9/A/%20%FF",
        ),
        ("corbaloc:rir:", vec![rir.clone()], "", "corbaloc:rir:"),
        ("corbaloc:rir:/Foo", vec![rir], "Foo", "corbaloc:rir:/Foo"),
        (
            "corbaloc:shmiop:sock,:h/k",
            vec![other, iiop(0, "h", 2809)],
            "k",
            "corbaloc:shmiop:sock,iiop:h:2809/k",
        ),
        // As TAO has them: behind a path that is the last, the key needs no slash.
        (
            "corbaloc:uiop:1.2@/tmp/x|Key/a",
            vec![uiop(2, "/tmp/x")],
            "Key/a",
            "corbaloc:uiop:1.2@/tmp/x|/Key/a",
        ),
        (
            "corbaloc:UIOP:/tmp/x|/Key",
            vec![uiop(2, "/tmp/x")],
            "Key",
            "corbaloc:uiop:1.2@/tmp/x|/Key",
        ),
        (
            "corbaloc:uiop:1.1@/a,b@c|,:h,uiop:/x%20%7c%25|",
            vec![uiop(1, "/a,b@c"), iiop(0, "h", 2809), uiop(2, "/x |%")],
            "",
            "corbaloc:uiop:1.1@/a,b@c|,iiop:h:2809,uiop:1.2@/x%20%7C%25|",
        ),
    ];
    for (text, addresses, key, written) in cases {
        // The keys above are written as ISO 8859-1.
        let key = key.chars().map(|octet| octet as u8).collect();
        let expected = ObjectUrl::Corbaloc(Corbaloc { addresses, key });
        assert_eq!(text.parse().as_ref(), Ok(&expected), "{text}");
        assert_eq!(expected.to_string(), written);
        assert_eq!(written.parse(), Ok(expected));
    }
}

#[test]
fn names_in_contexts_are_read_and_written() {
    for (text, key, name, written) in [
        (
            "corbaname::h",
            "NameService",
            "",
            "corbaname:iiop:h:2809/NameService",
        ),
        (
            "corbaname:rir:#a/b.c",
            "NameService",
            "a/b.c",
            "corbaname:rir:/NameService#a/b.c",
        ),
        (
            "corbaname::h:1/NC#%e2%82%ac%5c.x",
            "NC",
            "€\\.x",
            "corbaname:iiop:h:1/NC#%E2%82%AC%5C.x",
        ),
    ] {
        let url: ObjectUrl = text.parse().unwrap();
        assert_eq!(url.to_string(), written);
        let ObjectUrl::Corbaname {
            location,
            name: found,
        } = url
        else {
            panic!("{url:?}");
        };
        assert_eq!((&*location.key, &*found), (key.as_bytes(), name));
    }
}

#[test]
fn malformed_urls_are_refused_with_place_and_minor_code() {
    use UrlErrorKind as Kind;
    for (text, kind, position, code) in [
        ("", Kind::UnknownScheme, 0, 7),
        ("http://h/", Kind::UnknownScheme, 0, 7),
        ("corbaloc", Kind::UnknownScheme, 0, 7),
        ("corbaloc:", Kind::MissingProtocol, 9, 8),
        ("corbaloc:h", Kind::MissingProtocol, 9, 8),
        ("corbaloc:/k", Kind::MissingProtocol, 9, 8),
        ("corbaloc::", Kind::MissingHost, 10, 8),
        ("corbaloc::h,", Kind::MissingProtocol, 12, 8),
        ("corbaloc::h,rir:/k", Kind::RirNotAlone, 9, 8),
        ("corbaloc:rir:h", Kind::RirWithAddress, 13, 8),
        ("corbaloc::2.0@h", Kind::InvalidVersion, 10, 8),
        ("corbaloc::1.256@h", Kind::InvalidVersion, 10, 8),
        ("corbaloc::1@h", Kind::InvalidVersion, 10, 8),
        ("corbaloc::[::1", Kind::UnclosedBracket, 10, 8),
        ("corbaloc::[::1]9", Kind::InvalidPort, 15, 8),
        ("corbaloc::h:", Kind::InvalidPort, 12, 8),
        ("corbaloc::h:+1", Kind::InvalidPort, 12, 8),
        ("corbaloc::h:65536", Kind::InvalidPort, 12, 8),
        ("corbaloc::h h", Kind::InvalidHost, 11, 8),
        ("corbaloc::h\u{202e}moc", Kind::InvalidHost, 11, 8),
        ("corbaloc::h\u{200b}", Kind::InvalidHost, 11, 8),
        ("corbaloc:uiop:/x/k", Kind::UnendedPath, 14, 8),
        ("corbaloc:uiop:|/k", Kind::MissingPath, 14, 8),
        ("corbaloc:uiop:1.2@|/k", Kind::MissingPath, 18, 8),
        ("corbaloc:uiop:2.0@/x|/k", Kind::InvalidVersion, 14, 8),
        ("corbaloc::h,uiop:/%ff|/k", Kind::InvalidPath, 17, 8),
        ("corbaloc:uiop:/%00|/k", Kind::InvalidPath, 14, 8),
        ("corbaloc:uiop:/x|%4", Kind::InvalidEscape, 17, 9),
        ("corbaloc::h/%4", Kind::InvalidEscape, 12, 9),
        ("corbaloc::h/a%zz", Kind::InvalidEscape, 13, 9),
        ("corbaloc::h/%4é", Kind::InvalidEscape, 12, 9),
        ("corbaloc::h/a b", Kind::InvalidCharacter(' '), 13, 9),
        ("corbaloc::h/a#b", Kind::InvalidCharacter('#'), 13, 9),
        ("corbaloc::h/é", Kind::InvalidCharacter('é'), 12, 9),
        ("corbaname::h#%ff", Kind::NameNotUtf8, 13, 9),
        (
            "IOR:0",
            Kind::MalformedIor(IorParseErrorKind::OddLength),
            5,
            10,
        ),
    ] {
        let error = text.parse::<ObjectUrl>().unwrap_err();
        assert_eq!((error.kind, error.position), (kind, position), "{text}");
        assert_eq!(error.minor(), minor::omg(code), "{text}");
    }
    let many = format!("corbaloc:{}", [":h"; 33].join(","));
    assert!(matches!(
        many.parse::<ObjectUrl>().unwrap_err().kind,
        UrlErrorKind::TooManyAddresses { limit: 32 }
    ));
}

#[test]
fn a_location_becomes_a_reference() {
    let url: ObjectUrl = "corbaloc::a,diop:x,:1.2@[::1]:9,uiop:/x|/key"
        .parse()
        .unwrap();
    let ObjectUrl::Corbaloc(location) = url else {
        panic!("{url:?}");
    };
    let ior = location.to_ior().unwrap();
    let profiles: Vec<_> = ior.iiop_profiles().map(Result::unwrap).collect();
    assert_eq!((profiles.len(), ior.profiles.len()), (2, 3));
    let uiop = &ior.profiles[2];
    assert_eq!(uiop.tag, profile::tag::TAO_UIOP);
    let uiop = UiopProfile::parse_within(&uiop.data, &Limits::DEFAULT).unwrap();
    assert_eq!(
        (uiop.path.as_str(), &uiop.object_key[..]),
        ("/x", &b"key"[..])
    );
    assert_eq!(uiop.version, Version::V1_2);
    assert_eq!((profiles[1].host.as_str(), profiles[1].port), ("::1", 9));
    assert_eq!(profiles[0].version, Version::V1_0);
    assert!(profiles.iter().all(|profile| profile.object_key == b"key"));
}

/// At its end, white space was lost when the URL was written and read again.
#[test]
fn addresses_of_other_protocols_had_white_space() {
    for (url, position) in [
        ("corbaloc:diop:so\u{c}/", 16),
        ("corbaloc:diop:a b,:h/k", 15),
        ("corbaloc:diop:\0/k", 14),
        ("corbaloc:uiop:/a b|/k", 16),
    ] {
        let error = url.parse::<ObjectUrl>().unwrap_err();
        assert_eq!(error.position, position, "{url:?}");
        assert!(matches!(error.kind, UrlErrorKind::InvalidCharacter(_)));
    }
    assert!("corbaloc:diop:a%20b/k".parse::<ObjectUrl>().is_ok());
}
