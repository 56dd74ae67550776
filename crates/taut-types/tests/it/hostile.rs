//! The harm that a peer can do with TypeCodes and Anys: little.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use taut_cdr::{ByteOrder, Decode, Decoder, Encode, Encoder, Result};
use taut_types::{Any, TCKind, TypeCode};

type Body<'b> = &'b dyn Fn(&mut Encoder) -> Result<()>;

/// Appends a TypeCode with these parameters in an encapsulation.
fn complex(kind: TCKind, out: &mut Encoder, body: Body<'_>) -> Result<()> {
    out.write(kind as u32);
    out.write_encapsulation(|inner| body(inner))
}

/// Appends a struct's TypeCode.
fn structure(out: &mut Encoder, count: usize, members: Body<'_>) -> Result<()> {
    complex(TCKind::Struct, out, &|out| {
        out.write_string("IDL:S:1.0")?;
        out.write_string("")?;
        out.write_length(count)?;
        members(out)
    })
}

/// TypeCodes nested in each other, the outermost first.
fn nested(
    out: &mut Encoder,
    kind: TCKind,
    levels: u32,
    length: u32,
    inner: Body<'_>,
) -> Result<()> {
    match levels {
        0 => inner(out),
        _ => complex(kind, out, &|out| {
            nested(out, kind, levels - 1, length, inner)?;
            out.write(length);
            Ok(())
        }),
    }
}

fn simple(kind: TCKind, out: &mut Encoder) -> Result<()> {
    out.write(kind as u32);
    Ok(())
}

/// Anys that cost as much as can be thought of, with their names.
fn attacks() -> Vec<(&'static str, Vec<u8>)> {
    let written = |body: Body<'_>| {
        let mut out = Encoder::new(ByteOrder::Big);
        body(&mut out).unwrap();
        out.into_buffer()
    };
    let mut attacks = Vec::new();
    let mut add = |name, body: Body<'_>| attacks.push((name, written(body)));
    add("many enumerators", &|out| {
        complex(TCKind::Enum, out, &|out| {
            out.write_string("IDL:E:1.0")?;
            out.write_string("")?;
            out.write_length(4095)?;
            (0..4095).for_each(|_| out.write(0_u32));
            Ok(())
        })?;
        out.write(0_u32);
        Ok(())
    });
    for count in [1025, 2050, 4090] {
        add("many members", &|out| {
            structure(out, count, &|out| {
                for _ in 0..count {
                    out.write(0_u32);
                    simple(TCKind::Void, out)?;
                }
                Ok(())
            })
        });
        add("many strings", &|out| {
            structure(out, count, &|out| {
                for _ in 0..count {
                    out.write(0_u32);
                    simple(TCKind::String, out)?;
                    out.write(0_u32);
                }
                Ok(())
            })?;
            (0..count).for_each(|_| out.write(0_u32));
            Ok(())
        });
        // A TypeCode alone: no value pays for it.
        add("many strings in a TypeCode alone", &|out| {
            structure(out, count, &|out| {
                for _ in 0..count {
                    out.write(0_u32);
                    simple(TCKind::String, out)?;
                    out.write(0_u32);
                }
                Ok(())
            })
        });
        add("many cases", &|out| {
            complex(TCKind::Union, out, &|out| {
                out.write_string("IDL:U:1.0")?;
                out.write_string("")?;
                simple(TCKind::Long, out)?;
                out.write(-1_i32);
                out.write_length(count)?;
                for label in 0..count as u32 {
                    out.write(label);
                    out.write(0_u32);
                    simple(TCKind::Long, out)?;
                }
                Ok(())
            })?;
            out.write(u32::MAX);
            Ok(())
        });
        add("many sequences", &|out| {
            structure(out, count / 2, &|out| {
                for _ in 0..count / 2 {
                    out.write(0_u32);
                    nested(out, TCKind::Sequence, 1, 0, &|out| {
                        simple(TCKind::Long, out)
                    })?;
                }
                Ok(())
            })?;
            (0..count / 2).for_each(|_| out.write(0_u32));
            Ok(())
        });
    }
    add("counts that lie on every level", &|out| {
        fn level(out: &mut Encoder, levels: u32) -> Result<()> {
            let count = if levels == 0 {
                0
            } else {
                2000 / levels as usize
            };
            structure(out, count, &|out| {
                out.write(0_u32);
                if levels > 0 {
                    level(out, levels - 1)
                } else {
                    Ok(())
                }
            })
        }
        level(out, 60)?;
        out.write_bytes(&[0; 20_000]);
        Ok(())
    });
    add("repeats by indirection", &|out| {
        simple(TCKind::Any, out)?;
        structure(out, 1001, &|out| {
            out.write(0_u32);
            let start = out.len();
            complex(TCKind::ObjectReference, out, &|out| {
                out.write_string(&"x".repeat(10_000))?;
                out.write_string("")
            })?;
            for _ in 0..1000 {
                out.write(0_u32);
                out.align(4);
                out.write(u32::MAX);
                out.write(start as i32 - out.len() as i32);
            }
            Ok(())
        })?;
        (0..1001).for_each(|_| out.write(0_u64));
        Ok(())
    });
    add("doubling on every level", &|out| {
        // Each struct has the one before twice.
        structure(out, 41, &|out| {
            out.write(0_u32);
            let mut before = {
                out.align(4);
                out.len()
            };
            structure(out, 0, &|_| Ok(()))?;
            for _ in 0..40 {
                out.write(0_u32);
                out.align(4);
                let start = out.len();
                structure(out, 2, &|out| {
                    for _ in 0..2 {
                        out.write(0_u32);
                        out.write(u32::MAX);
                        out.write(before as i32 - out.len() as i32);
                    }
                    Ok(())
                })?;
                before = start;
            }
            Ok(())
        })
    });
    add("anys in anys", &|out| {
        (0..60).for_each(|_| out.write(TCKind::Any as u32));
        simple(TCKind::Null, out)
    });
    add("many anys", &|out| {
        nested(out, TCKind::Sequence, 1, 0, &|out| simple(TCKind::Any, out))?;
        out.write(5000_u32);
        for _ in 0..5000 {
            simple(TCKind::String, out)?;
            out.write(0_u64);
        }
        Ok(())
    });
    add("a string that doubles in UTF-8", &|out| {
        simple(TCKind::String, out)?;
        out.write(0_u32);
        out.write(100_001_u32);
        out.write_bytes(&[0xff; 100_000]);
        out.write(0_u8);
        Ok(())
    });
    add(
        "strings without their NUL, which are kept with it",
        &|out| {
            nested(out, TCKind::Sequence, 1, 0, &|out| {
                simple(TCKind::String, out)?;
                out.write(0_u32);
                Ok(())
            })?;
            out.write(100_000_u32);
            out.write_bytes(&[0; 400_000]);
            Ok(())
        },
    );
    add("wide strings that are kept with more alignment", &|out| {
        nested(out, TCKind::Sequence, 1, 0, &|out| {
            structure(out, 2, &|out| {
                out.write(0_u32);
                simple(TCKind::Octet, out)?;
                out.write(0_u32);
                simple(TCKind::WString, out)?;
                out.write(0_u32);
                Ok(())
            })
        })?;
        out.write(50_000_u32);
        (0..50_000).for_each(|_| {
            out.write(0_u8);
            out.write(0_u32);
        });
        Ok(())
    });
    add("elements without octets", &|out| {
        nested(out, TCKind::Array, 50, u32::MAX, &|out| {
            simple(TCKind::Void, out)
        })
    });
    add("a sequence of nothing", &|out| {
        nested(out, TCKind::Sequence, 1, 0, &|out| {
            structure(out, 0, &|_| Ok(()))
        })?;
        out.write(100_000_u32);
        out.write_bytes(&[0; 100_000]);
        Ok(())
    });
    add("an array beyond all memory", &|out| {
        nested(out, TCKind::Array, 50, u32::MAX, &|out| {
            simple(TCKind::Octet, out)
        })
    });
    add("a sequence of itself", &|out| {
        out.write(TCKind::Sequence as u32);
        out.write_encapsulation(|out| {
            out.write(u32::MAX);
            out.write(-(out.len() as i32));
            out.write(0_u32);
            Ok(())
        })?;
        (0..1000).for_each(|_| out.write(1_u32));
        Ok(())
    });
    attacks
}

#[test]
fn attacks_cost_the_attacker() {
    // Memory that is claimed once per process does not count.
    let _ = TypeCode::null();
    let mut refused = Vec::new();
    for (name, octets) in attacks() {
        let taken = counting_allocator::peak(|| {
            let _ = TypeCode::decode(&mut Decoder::new(&octets, ByteOrder::Big));
        });
        let allowed = 4 * octets.len() + 64 * 1024;
        assert!(taken <= allowed, "TypeCode of {name}: {taken} of {allowed}");
        let mut outcome = None;
        let decoding = counting_allocator::peak(|| {
            let input = Decoder::new(&octets, ByteOrder::Big);
            outcome = Some(Any::decode(&mut input.clone()));
        });
        assert!(decoding <= allowed, "{name}: {decoding} of {allowed}");
        if let Some(Err(_)) = outcome
            && !name.ends_with("alone")
        {
            refused.push(name);
        }
        if let Some(Ok(any)) = outcome {
            // An Any that was read can be printed, compared and sent again.
            let printed = format!("{any:?} {}", any.type_code());
            assert!(printed.len() < 64 * octets.len() + 64 * 1024, "{name}");
            assert_eq!(any, any.clone());
            assert!(any.type_code().compact().equivalent(any.type_code()));
            let mut out = Encoder::new(ByteOrder::Little);
            any.encode(&mut out).unwrap();
            assert!(
                out.len() <= 3 * octets.len() + 1024,
                "{name}: {}",
                out.len()
            );
            let mut input = Decoder::new(out.as_bytes(), ByteOrder::Little);
            assert_eq!(Any::decode(&mut input).unwrap(), any);
        }
    }
    // Were all refused, the above would prove little.
    assert_eq!(
        refused,
        [
            "counts that lie on every level",
            "an array beyond all memory",
            "a sequence of itself",
        ]
    );
}
