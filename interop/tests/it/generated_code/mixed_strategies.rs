//! An interface of which some is marshaled by code and some by table, by what
//! the IDL and the options say.

use std::sync::Mutex;

use taut::codegen::{Any, ObjectRef};
use taut::{Reference as _, SystemExceptionKind};

use super::interpretive::tables::desk::HandlesError;
use super::interpretive::tables::drawer::OpenError;
use super::interpretive::tables::{
    Choice, Colour, Desk, DeskRef, Drawer, DrawerSkeleton, Forms, Leaf, Point, Refused, Shelf,
    Written,
};
use super::serve;

const HERE: Point = Point { x: 1.0, y: -2.0 };

/// A servant that keeps the values that it is given, and answers with values made of those
/// that it is asked for.
#[derive(Default)]
struct Cabinet {
    told: Mutex<Vec<String>>,
}

impl Cabinet {
    fn tell(&self, text: &str) {
        self.told.lock().unwrap().push(text.to_owned());
    }
}

fn leaf(number: i32, children: Vec<Leaf>) -> Leaf {
    Leaf {
        r#type: number,
        children,
        code: Written { number },
    }
}

fn refused() -> Refused {
    Refused {
        why: "locked".to_owned(),
    }
}

impl Shelf for Cabinet {
    fn place(&self, r#where: &Point) -> taut::Result<Point> {
        Ok(*r#where)
    }
}

impl Desk for Cabinet {
    fn corner(&self) -> taut::Result<Point> {
        Ok(HERE)
    }

    fn set_corner(&self, value: &Point) -> taut::Result<()> {
        self.tell(&format!("corner {}", value.x));
        Ok(())
    }

    fn nothing(&self) -> taut::Result<()> {
        self.tell("nothing");
        Ok(())
    }

    fn scalars(&self, a: i32, b: Colour, c: &mut u8) -> taut::Result<(i32, bool)> {
        *c += 1;
        Ok((a, b == Colour::Green))
    }

    fn texts(&self, a: &str, b: &str, c: &mut String, d: &str) -> taut::Result<String> {
        c.push_str(b);
        Ok(format!("{a}{d}"))
    }

    fn trees(&self, frame: &Leaf, request: &[Leaf], c: &[Written]) -> taut::Result<Leaf> {
        Ok(leaf(frame.r#type + c[0].number, request.to_vec()))
    }

    fn lists(&self, a: &[i32], b: &[i16], c: &[bool]) -> taut::Result<()> {
        self.tell(&format!("{a:?} {b:?} {c:?}"));
        Ok(())
    }

    fn handles(
        &self,
        a: Option<&DeskRef>,
        b: Option<&ObjectRef>,
        d: &Any,
    ) -> Result<(Option<DeskRef>, Choice), HandlesError> {
        if b.is_none() {
            return Err(refused().into());
        }
        let text = d.extract::<String>().unwrap_or_else(|_| "none".to_owned());
        Ok((a.cloned(), Choice::Text(text)))
    }

    fn tell(&self, a: &str) -> taut::Result<()> {
        Self::tell(self, a);
        Ok(())
    }

    fn quick(&self, a: &Point) -> taut::Result<()> {
        self.tell(&format!("quick {}", a.y));
        Ok(())
    }

    fn also_quick(&self, a: &Point) -> taut::Result<()> {
        self.quick(a)
    }
}

impl Drawer for Cabinet {
    fn open(&self, contents: &Forms) -> Result<(), OpenError> {
        if contents.names.is_empty() {
            return Err(refused().into());
        }
        Ok(())
    }
}

#[test]
fn every_operation_passes_whichever_way_it_is_marshaled() {
    let cabinet = std::sync::Arc::new(Cabinet::default());
    let (_server, _client, peer) = serve(DrawerSkeleton::from_arc(cabinet.clone()));
    assert_eq!(peer.place(&HERE), Ok(HERE));
    assert_eq!(peer.corner(), Ok(HERE));
    peer.set_corner(&HERE).unwrap();
    peer.nothing().unwrap();
    let mut octet = 7;
    assert_eq!(peer.scalars(-5, Colour::Green, &mut octet), Ok((-5, true)));
    assert_eq!(octet, 8);
    let mut text = "c".to_owned();
    assert_eq!(peer.texts("a", "b", &mut text, "ω"), Ok("aω".to_owned()));
    assert_eq!(text, "cb");
    let few = [leaf(1, vec![leaf(2, vec![])]), leaf(3, vec![])];
    let grown = peer.trees(&few[0], &few, &[Written { number: 10 }]);
    assert_eq!(grown, Ok(leaf(11, few.to_vec())));
    peer.lists(&[1, -1], &[4; 4], &[true, false]).unwrap();
    let too_many = peer.lists(&[], &[4; 5], &[]).unwrap_err();
    assert_eq!(too_many.kind, SystemExceptionKind::Marshal);
    peer.quick(&HERE).unwrap();
    peer.also_quick(&HERE).unwrap();
    let told = cabinet.told.lock().unwrap().join(", ");
    let expected = "corner 1, nothing, [1, -1] [4, 4, 4, 4] [true, false], quick -2, quick -2";
    assert_eq!(told, expected);
}

#[test]
fn references_anys_and_exceptions_pass_by_table() {
    let (_server, _client, peer) = serve(DrawerSkeleton::new(Cabinet::default()));
    let desk = DeskRef::from(peer.clone());
    let any = Any::new(&"any".to_owned()).unwrap();
    let (returned, choice) = peer
        .handles(Some(&desk), Some(peer.as_object()), &any)
        .unwrap();
    assert_eq!(choice, Choice::Text("any".to_owned()));
    assert!(returned.is_some());
    let outcome = peer.handles(None, None, &any);
    assert_eq!(outcome.unwrap_err(), HandlesError::Refused(refused()));
    assert_eq!(peer.open(&Forms::default()), Err(refused().into()));
    let named = Forms {
        names: vec!["name".to_owned()],
        ..Forms::default()
    };
    assert_eq!(peer.open(&named), Ok(()));
    let too_long = Forms {
        name: "nine char".to_owned(),
        ..named
    };
    let Err(OpenError::System(error)) = peer.open(&too_long) else {
        panic!("the name is too long");
    };
    assert_eq!(error.kind, SystemExceptionKind::Marshal);
}
