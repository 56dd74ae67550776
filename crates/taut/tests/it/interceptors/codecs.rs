//! Values as octets.

use taut::interceptors::{CodecError, CodecFactory, Encoding, EncodingFormat, UnknownEncoding};
use taut::{Any, ByteOrder, TypeCode, Typed, WChar};

use super::generated::demo::{Colour, Point};

fn encoding(minor: u8) -> Encoding {
    Encoding {
        minor_version: minor,
        ..Encoding::CDR_1_2
    }
}

#[test]
fn values_come_back_with_and_without_their_types() {
    for minor in 0..=2 {
        let codec = CodecFactory::new().create_codec(encoding(minor)).unwrap();
        let point = Any::new(&Point { x: 1.0, y: -2.5 }).unwrap();
        let values = [
            Any::new(&7_i32).unwrap(),
            Any::new("Ada").unwrap(),
            Any::new(&Colour::LightGreen).unwrap(),
            Any::new(&vec![1_i16, 2, 3]).unwrap(),
            Any::new(&point).unwrap(),
            point,
        ];
        for value in values {
            let octets = codec.encode(&value).unwrap();
            assert_eq!(octets[0], ByteOrder::NATIVE.flag());
            assert_eq!(codec.decode(&octets).unwrap(), value);
            let octets = codec.encode_value(&value).unwrap();
            let found = codec.decode_value(&octets, value.type_code()).unwrap();
            assert_eq!(found, value);
        }
    }
}

/// The octets of a long and of a string in both orders, as any ORB writes them.
#[test]
fn encapsulations_of_other_machines_are_read() {
    let codec = CodecFactory::new().create_codec(Encoding::CDR_1_2).unwrap();
    for octets in [[0, 0, 0, 0, 0, 0, 1, 2], [1, 0, 0, 0, 2, 1, 0, 0]] {
        let value = codec.decode_value(&octets, &i32::type_code()).unwrap();
        assert_eq!(value.extract::<i32>(), Ok(0x102));
    }
    // tk_long, then the value.
    let any = [0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 9];
    assert_eq!(codec.decode(&any).unwrap().extract::<i32>(), Ok(9));
}

#[test]
fn what_an_encoding_cannot_say_is_refused_with_the_standards_names() {
    let factory = CodecFactory::new();
    for encoding in [
        encoding(3),
        Encoding {
            major_version: 2,
            ..Encoding::CDR_1_2
        },
        Encoding {
            format: EncodingFormat(1),
            ..Encoding::CDR_1_2
        },
    ] {
        assert_eq!(
            factory.create_codec(encoding).unwrap_err(),
            UnknownEncoding(encoding)
        );
        assert!(UnknownEncoding(encoding).to_string().contains("1.0 to 1.2"));
    }
    let wide = Any::new(&WChar(65)).unwrap();
    let oldest = factory.create_codec(encoding(0)).unwrap();
    let refused = oldest.encode_value(&wide).unwrap_err();
    assert!(
        matches!(refused, CodecError::InvalidTypeForEncoding(_)),
        "{refused}"
    );
    let codec = factory.create_codec(encoding(1)).unwrap();
    let octets = codec.encode_value(&wide).unwrap();
    assert_eq!(codec.decode_value(&octets, wide.type_code()).unwrap(), wide);
    for octets in [&[][..], &[1], &[1, 0, 0, 0, 99, 99, 99, 99]] {
        let refused = codec.decode(octets).unwrap_err();
        assert!(
            matches!(refused, CodecError::FormatMismatch(_)),
            "{octets:?}: {refused}"
        );
    }
    let refused = codec
        .decode_value(&[1, 0, 0], &TypeCode::string(0))
        .unwrap_err();
    assert!(matches!(refused, CodecError::TypeMismatch(_)), "{refused}");
    let refused = codec.decode_value(&[], &TypeCode::string(0)).unwrap_err();
    assert!(
        matches!(refused, CodecError::FormatMismatch(_)),
        "{refused}"
    );
}
