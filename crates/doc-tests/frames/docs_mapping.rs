taut::include_idl!("demo");

// generated: demo #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
// generated: demo #[derive(Debug, Clone, Copy, PartialEq, Default)]
// generated: guide #[derive(Debug, Clone, PartialEq)]
// generated: demo #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
// generated: demo pub enum OutlineError {
// generated: demo pub trait Shape: Send + Sync {
// generated: demo pub struct SumReply { pub result: i32, pub s: String, pub c: Colour }
// generated: trees pub struct Node { pub id: i32, pub(crate) note: String, pub next: Option<Value<Node>> }
// generated: trees pub type PrintableAbstract = taut::value::Abstract<PrintableRef>;

mod setting_up {
    mod in_the_build_script {
        // page: // build.rs
    }
    mod in_the_program {
        // page: // src/main.rs or src/lib.rs
    }
    mod all_settings {
        // page: fn main() -> Result<(), taut_build::Error> {
    }

    fn views() -> Result<(), taut_build::Error> {
        // page: taut_build::Config::new().views().compile(&["idl/archive.idl"])
    }

    use taut_build::{Config, Marshaling};

    fn strategies() -> Config {
        // page: Config::new()
    }
}

mod unions {
    taut::include_idl!("guide");

    use guide::{Figure, Point};

    fn show(figure: &Figure) {
        // page: match &figure {
    }

    #[test]
    fn they_are_made_with_their_discriminators() {
        let point = Point { x: 1.0, y: 2.0 };
        // page: let corner = Figure::new_corner(point);                // the first label: 2
        show(&other);
        assert_eq!(Figure::new_corner(point).discriminator(), 2);
        assert_eq!(corner.map(|corner| corner.discriminator()), Some(3));
        assert_eq!(other.discriminator(), 0);
        assert_eq!(wrong, None);
    }
}

mod anys {
    use super::demo::{CircleRef, Path, Point, path_type_code};
    use crate::support::Outcome;
    use taut::{Any, Orb};

    fn take_out(orb: &Orb, point: Point) -> Outcome {
        // page: let any = Any::new(&point)?;                // from any type that IDL can name
        Ok(())
    }

    #[test]
    fn they_hold_values_with_their_types() -> Outcome {
        let orb = Orb::builder().build()?;
        let point = Point { x: 1.0, y: 2.0 };
        assert_eq!(Any::new(&point)?.extract::<Point>()?, point);
        assert!(take_out(&orb, point).is_err(), "a point is no circle");
        let path: Path = vec![point];
        // page: let any = Any::with_type(path_type_code(), &path)?;
        assert_eq!(any.type_code().name(), Ok("Path"));
        assert_eq!(any.extract::<Path>()?, path);
        Ok(())
    }
}

mod views {
    taut::include_idl!("archives");

    use crate::support::{Outcome, orb};
    use archives::{Archive, ArchiveRef, ArchiveSkeleton};
    use taut::{Orb, Reference};

    struct Zeroes;

    impl Archive for Zeroes {
        fn read(&self, count: u32) -> taut::Result<Vec<u8>> {
            Ok(vec![0; count as usize])
        }
    }

    fn read(orb: &Orb, url: &str) -> Outcome {
        // page: let archive: ArchiveRef = orb.string_to_object(url)?.narrow()?;
        assert_eq!(block.len(), 1 << 20);
        Ok(())
    }

    #[test]
    fn they_stay_in_the_message() -> Outcome {
        let server = orb();
        let root = server.root_poa()?;
        let archive = root.activate(ArchiveSkeleton::new(Zeroes))?;
        root.manager().activate()?;
        read(&Orb::builder().build()?, &archive.as_object().to_string())
    }
}

mod contexts {
    taut::include_idl!("greeting");

    use crate::support::{Outcome, orb};
    use greeting::{Greeter, GreeterSkeleton};
    use taut::Context;

    struct Polite;

    impl Greeter for Polite {
        fn greet(&self, name: &str, context: &Context) -> taut::Result<String> {
            let user = context.get("user").unwrap_or("nobody");
            Ok(format!("{user} greets {name}"))
        }
    }

    #[test]
    fn they_bring_the_properties_of_the_clause() -> Outcome {
        let server = orb();
        let root = server.root_poa()?;
        let greeter = root.activate(GreeterSkeleton::new(Polite))?;
        root.manager().activate()?;
        // page: let mut context = Context::new();
        assert_eq!(greeting, "Ada greets Bob");
        assert!(context.set("no name", "").is_err());
        Ok(())
    }
}

mod values {
    taut::include_idl!("trees");

    use crate::support::Outcome;
    use taut::codegen::CdrResult;
    use taut::value::{CustomMarshal, DataInputStream, DataOutputStream, Value};
    use trees::{
        Leaf, Node, NodeFactory, NodeOperations, Note, Picture, Printable, PrintableAbstract,
    };

    impl NodeOperations for Node {
        fn weight(&self) -> taut::Result<f64> {
            Ok(f64::from(self.id))
        }
    }

    impl NodeFactory for Node {
        fn make(id: i32) -> taut::Result<Self> {
            Ok(Self { id, ..Self::default() })
        }
    }

    impl Printable for Note {
        fn print(&self) -> taut::Result<String> {
            Ok(self.words.clone())
        }
    }

    // page: impl CustomMarshal for Picture {

    fn printed(passed: &PrintableAbstract) -> taut::Result<String> {
        let text =
            // page: match passed {
        ;
        Ok(text)
    }

    #[test]
    fn they_are_shared_and_asked_what_they_are() -> Outcome {
        // page: let leaf = Value::new(Leaf { base: Node { id: 2, ..Node::default() }, size: 0.5 });
        assert!(next.is_some_and(|next| next.ptr_eq(&leaf)));
        assert_eq!(Node::make(4)?.weight()?, 4.0);
        let note = Value::new(Note { words: "words".to_owned() });
        assert_eq!(printed(&PrintableAbstract::Value(note.upcast()))?, "words");
        Ok(())
    }
}

mod references {
    use super::demo::{CircleRef, ShapeRef};
    use crate::support::Outcome;
    use taut::ObjectRef;

    pub(super) fn convert(circle: &CircleRef) -> Outcome {
        // page: let shape: ShapeRef = circle.clone().into();        // to a base: always works
        Ok(())
    }

    // It asks a host on the network.
    fn find() -> Outcome {
        use super::demo;
        use demo::CircleRef;
        // page: let orb = taut::Orb::init(&mut std::env::args().collect())?;
        Ok(())
    }
}

mod calling {
    use super::demo;

    // page: use demo::circle::OutlineError;
}

mod awaiting {
    use super::demo::{CircleRef, Path};
    use std::error::Error;

    pub(super) async fn outline(circle: &CircleRef) -> Result<Path, Box<dyn Error>> {
        // page: let outline = circle.outline_async(3);   // the arguments are encoded now
        Ok(path)
    }
}

mod serving {
    use super::demo;

    // page: use std::sync::{Mutex, MutexGuard, PoisonError};

    pub(super) fn disc() -> Disc {
        Disc { radius: Mutex::new(1.0) }
    }

    // It serves until its process ends.
    fn serve() -> crate::support::Outcome {
        // page: let orb = taut::Orb::init(&mut std::env::args().collect())?;
        Ok(())
    }
}

#[test]
fn the_interface_does_what_the_guide_says() -> crate::support::Outcome {
    use demo::circle::OutlineError;
    use demo::{Circle, CircleRef, CircleSkeleton, Colour, Point, Shape, ShapeRef};

    let server = crate::support::orb();
    let poa = server.root_poa()?;
    let served = poa.activate(CircleSkeleton::new(serving::disc()))?;
    poa.manager().activate()?;

    let client = taut::Orb::builder().build()?;
    let ior = server.object_to_string(&served.into());
    let circle: CircleRef = client.string_to_object(&ior)?.narrow()?;
    calling::report(&circle)?;
    references::convert(&circle)?;
    let executor = tokio::runtime::Builder::new_current_thread().build()?;
    assert_eq!(executor.block_on(awaiting::outline(&circle))?.len(), 3);
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
    let told = (reply.result, reply.s.as_str(), reply.c);
    assert_eq!(told, (6, "this and disc", Colour::LightGreen));
    assert!(circle.sum(&[0; 9], "too many", None).is_err());
    server.shutdown(true)?;
    Ok(())
}
