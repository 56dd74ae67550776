//! The examples of the mapping guide, `docs/mapping.md`: they compile, and do
//! what the guide says.

#![allow(unreachable_pub, reason = "examples are for a library's root")]

include!("../../../crates/taut-build/tests/data/demo.rs");

mod anys {
    use super::demo::{CircleRef, Point, path_type_code};

    use taut::{Any, Orb};

    fn exchange(orb: &Orb, point: Point) -> Result<(), Box<dyn std::error::Error>> {
        let any = Any::new(&point)?;
        let extracted: Point = any.extract()?;
        assert_eq!(extracted, point);
        assert!(orb.extract::<Option<CircleRef>>(&any).is_err());
        let path = vec![point];
        let any = Any::with_type(path_type_code(), &path)?;
        assert_eq!(any.type_code().name(), Ok("Path"));
        assert_eq!(any.extract::<Vec<Point>>()?, path);
        Ok(())
    }

    #[test]
    fn anys_hold_values_with_their_types() {
        let orb = Orb::builder().build().unwrap();
        exchange(&orb, Point { x: 1.0, y: 2.0 }).unwrap();
    }
}

mod values {
    include!("../../../crates/taut-build/tests/data/mapping_values.rs");

    use taut::codegen::CdrResult;
    use taut::value::{CustomMarshal, DataInputStream, DataOutputStream, Value};
    use trees::{
        Leaf, Node, NodeFactory, NodeOperations, Note, Picture, Printable, PrintableAbstract, Text,
    };

    impl NodeOperations for Node {
        fn weight(&self) -> taut::Result<f64> {
            Ok(f64::from(self.id))
        }
    }

    impl NodeFactory for Node {
        fn make(id: i32) -> taut::Result<Self> {
            Ok(Self {
                id,
                ..Self::default()
            })
        }
    }

    impl CustomMarshal for Picture {
        fn marshal(&self, out: &mut DataOutputStream<'_>) -> CdrResult<()> {
            out.write(&self.width)?;
            out.write(&self.pixels)
        }

        fn unmarshal(input: &mut DataInputStream<'_, '_>) -> CdrResult<Self> {
            Ok(Self {
                width: input.read()?,
                pixels: input.read()?,
            })
        }
    }

    impl Printable for Note {
        fn print(&self) -> taut::Result<String> {
            Ok(self.words.clone())
        }
    }

    fn printed(passed: &PrintableAbstract) -> taut::Result<String> {
        Ok(match passed {
            PrintableAbstract::Object(object) => object.print()?,
            PrintableAbstract::Value(value) => match value.downcast::<Note>() {
                Some(note) => note.print()?,
                None => String::new(),
            },
        })
    }

    #[test]
    fn values_are_shared_and_asked_what_they_are() {
        let leaf = Value::new(Leaf {
            base: Node {
                id: 2,
                ..Node::default()
            },
            size: 0.5,
        });
        assert_eq!(leaf.id, 2);
        let node = Value::new(Node {
            id: 1,
            next: Some(leaf.upcast()),
            ..Node::default()
        });
        let next = node.next.as_ref().and_then(|next| next.downcast::<Leaf>());
        assert!(next.is_some_and(|next| next.ptr_eq(&leaf)));
        let mut state = (*node).clone();
        state.id = 3;
        assert_eq!(Value::new(state).weight(), Ok(3.0));
        assert_eq!(Node::make(4).unwrap().id, 4);
        assert_eq!(Value::new(Text("a".to_owned())).0, "a");
        let note = Value::new(Note {
            words: "words".to_owned(),
        });
        let passed = PrintableAbstract::Value(note.upcast());
        assert_eq!(printed(&passed).unwrap(), "words");
    }
}

mod unions {
    include!("../../../crates/taut-build/tests/data/mapping_unions.rs");

    use guide::{Figure, Nickname, Point};

    fn told(figure: &Figure) -> String {
        match figure {
            Figure::Circle(radius) => format!("a circle of {radius}"),
            Figure::Corner { value, .. } => format!("a corner at {value:?}"),
            Figure::Other { value, .. } => value.clone(),
        }
    }

    #[test]
    fn unions_are_made_and_matched() {
        let point = Point { x: 1.0, y: 2.0 };
        assert_eq!(Figure::new_corner(point).discriminator(), 2);
        let corner = Figure::new_corner_with(3, point).unwrap();
        assert_eq!(told(&corner), "a corner at Point { x: 1.0, y: 2.0 }");
        let other = Figure::new_other("text".to_owned());
        assert_eq!(
            (other.discriminator(), told(&other)),
            (0, "text".to_owned())
        );
        assert_eq!(Figure::new_other_with(1, String::new()), None);
        assert_eq!(told(&Figure::default()), "a circle of 0");
        assert_eq!(Nickname::default(), Nickname::Name(String::new()));
        assert!(!Nickname::None.discriminator());
    }
}

mod serving {
    use super::demo;

    use std::sync::{Mutex, MutexGuard, PoisonError};

    use demo::circle::{Broken, OutlineError, SumReply};
    use demo::{Circle, Colour, DivByZero, Path, Point, Shape, ShapeRef};

    pub struct Disc {
        radius: Mutex<f64>,
    }

    impl Disc {
        fn lock(&self) -> MutexGuard<'_, f64> {
            self.radius.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }

    impl Shape for Disc {
        fn name(&self) -> taut::Result<String> {
            Ok("disc".to_owned())
        }
    }

    impl Circle for Disc {
        fn radius(&self) -> taut::Result<f64> {
            Ok(*self.lock())
        }

        fn set_radius(&self, value: f64) -> taut::Result<()> {
            *self.lock() = value;
            Ok(())
        }

        fn outline(&self, n: u32) -> Result<Path, OutlineError> {
            if n == 0 {
                return Err(DivByZero {
                    why: "no points".to_owned(),
                }
                .into());
            }
            let radius = *self.lock();
            if radius < 0.0 {
                return Err(Broken.into());
            }
            let step = std::f64::consts::TAU / f64::from(n);
            let angles = (0..n).map(|i| f64::from(i) * step);
            Ok(angles
                .map(|a| Point {
                    x: radius * a.cos(),
                    y: radius * a.sin(),
                })
                .collect())
        }

        fn move_by(&self, d: &Point, k: &mut f64) -> taut::Result<Point> {
            *k *= 2.0;
            Ok(*d)
        }

        fn feed(&self, samples: &[i32]) -> taut::Result<()> {
            println!("{} samples", samples.len());
            Ok(())
        }

        fn sum(
            &self,
            values: &[i32],
            name: &str,
            other: Option<&ShapeRef>,
        ) -> taut::Result<SumReply> {
            let s = match other {
                Some(other) => format!("{name} and {}", other.name()?),
                None => name.to_owned(),
            };
            Ok(SumReply {
                result: values.iter().sum(),
                s,
                c: Colour::LightGreen,
            })
        }

        fn log(&self, msg: &str) -> taut::Result<()> {
            println!("{msg}");
            Ok(())
        }
    }

    /// Code that a reader of the guide can write.
    pub(super) fn disc() -> Disc {
        Disc {
            radius: Mutex::new(1.0),
        }
    }
}

mod calling {
    use super::demo;

    use demo::circle::OutlineError;
    use demo::{Circle, CircleRef};

    pub fn report(circle: &CircleRef) -> Result<(), OutlineError> {
        circle.set_radius(2.5)?; // a SystemException becomes OutlineError::System
        match circle.outline(12) {
            Ok(points) => println!("{} points", points.len()),
            Err(OutlineError::DivByZero(e)) => println!("it cannot: {}", e.why),
            Err(OutlineError::Broken(_)) => println!("it is broken"),
            Err(OutlineError::System(e)) => println!("the call failed: {e}"),
        }
        Ok(())
    }
}

use demo::circle::OutlineError;
use demo::{Circle, CircleRef, CircleSkeleton, Colour, Point, Shape, ShapeRef};
use taut::{ObjectRef, Orb};

#[test]
fn the_examples_are_those_of_the_guide() {
    let guide = include_str!("../../../docs/mapping.md");
    let this = include_str!("mapping_guide.rs");
    let lines = |text: &str| {
        text.lines()
            .map(|line| format!("{}\n", line.trim()))
            .collect::<String>()
    };
    let mut found = 0;
    for block in guide.split("```rust\n").skip(1) {
        let block = block.split("```").next().unwrap_or_default();
        if block.contains("fn report") || block.contains("impl Circle for Disc") {
            assert!(
                lines(this).contains(lines(block).trim()),
                "not in the test:\n{block}"
            );
            found += 1;
        }
    }
    assert_eq!(found, 2);
}

#[test]
fn the_examples_do_what_the_guide_says() -> Result<(), Box<dyn std::error::Error>> {
    let server = Orb::builder().listen("127.0.0.1:0")?.build()?;
    let poa = server.root_poa()?;
    let served = poa.activate(CircleSkeleton::new(serving::disc()))?;
    poa.manager().activate()?;

    let client = Orb::builder().build()?;
    let ior = server.object_to_string(&served.into());
    let circle: CircleRef = client.string_to_object(&ior)?.narrow()?;
    calling::report(&circle)?;
    assert_eq!(circle.radius(), Ok(2.5));
    assert_eq!(circle.name().as_deref(), Ok("disc"));
    match circle.outline(0) {
        Err(OutlineError::DivByZero(exception)) => assert_eq!(exception.why, "no points"),
        other => panic!("expected DivByZero, got {other:?}"),
    }
    circle.set_radius(-1.0)?;
    assert!(matches!(circle.outline(1), Err(OutlineError::Broken(_))));
    let mut k = 1.5;
    let d = Point { x: 1.0, y: -1.0 };
    assert_eq!(circle.move_by(&d, &mut k), Ok(d));
    assert_eq!(k, 3.0);
    circle.feed(&[1, 2, 3])?;
    circle.log("a message")?;

    // The servant calls back to the object that it is passed: itself.
    let shape: ShapeRef = circle.clone().into();
    let reply = circle.sum(&[1, 2, 3], "this", Some(&shape))?;
    assert_eq!(
        (reply.result, reply.s.as_str(), reply.c),
        (6, "this and disc", Colour::LightGreen)
    );
    assert!(circle.sum(&[0; 9], "too many", None).is_err());

    let object: ObjectRef = shape.into();
    assert!(object.is_a("IDL:example.org/demo/Shape:1.0")?);
    assert_eq!(object.narrow::<CircleRef>()?, circle);
    assert_eq!(object.unchecked_narrow::<CircleRef>(), circle);
    server.shutdown(true)?;
    Ok(())
}

#[test]
fn the_modules_of_the_standard_are_in_taut() {
    use taut::{Any, Typed, corba, time_base};

    let when = time_base::UtcT {
        time: 1,
        ..Default::default()
    };
    assert_eq!(
        time_base::UtcT::type_code().id(),
        Ok("IDL:omg.org/TimeBase/UtcT:1.0")
    );
    assert_eq!(Any::new(&when).unwrap().extract(), Ok(when));
    let names: corba::StringSeq = vec!["name".to_owned()];
    let any = Any::with_type(corba::string_seq_type_code(), &names).unwrap();
    assert_eq!(any.extract::<Vec<String>>(), Ok(names));
}

#[test]
fn contexts_hold_properties() {
    let mut context = taut::Context::new();
    assert_eq!(context.set("user", "Ada"), Ok(None));
    assert_eq!(context.get("user"), Some("Ada"));
    assert!(context.set("no name", "").is_err());
}
