//! A server, and a client that makes so many calls with large sequences, for tests that
//! count what both of them do for one.
//!
//! ```text
//! bulk_calls server                             prints its reference
//! bulk_calls client CALL REFERENCE CALLS COUNT  calls so many times with so many
//!                                               numbers, prints "done"
//! ```
//!
//! CALL is `put`, which sends them; `get`, which brings a vector of them; `view`, which
//! brings them and leaves them in the message; `samples`, which brings a vector of structs
//! of as many octets; or `none`, where the client calls nothing and copies them instead.
//!
//! Both then do nothing more, until their input ends and they end without taking leave:
//! how they part is not the same each time.

use std::error::Error;
use std::hint::black_box;
use std::io::Read;
use std::{env, io, process};

use bulk::{Sample, Store, StoreRef, StoreSkeleton};
use taut::{Orb, Reference};

taut::include_idl!("bulk_test");

type Outcome<T> = Result<T, Box<dyn Error>>;

struct Servant;

impl Store for Servant {
    fn put(&self, values: &[i32]) -> taut::Result<()> {
        black_box(values);
        Ok(())
    }

    /// Each time anew, which is one copy, the servant's own.
    fn get(&self, count: u32) -> taut::Result<Vec<i32>> {
        static NUMBERS: [i32; 1 << 16] = [1; 1 << 16];
        Ok(NUMBERS[..count as usize].to_vec())
    }

    fn get_samples(&self, count: u32) -> taut::Result<Vec<Sample>> {
        Ok(vec![Sample { id: 1, value: 0.5 }; count as usize])
    }
}

/// How many numbers take the octets of a sample.
const NUMBERS_OF_SAMPLE: u32 = 4;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["server"] => run_server(),
        ["client", call, reference, calls, count] => {
            run_client(call, reference, calls.parse()?, count.parse()?)
        }
        _ => Err("usage: bulk_calls server | client CALL REFERENCE CALLS COUNT".into()),
    }
}

fn run_server() -> Outcome<()> {
    let orb = Orb::builder().listen("127.0.0.1:0")?.build()?;
    let poa = orb.root_poa()?;
    poa.manager().activate()?;
    println!(
        "{}",
        poa.activate(StoreSkeleton::new(Servant))?.into_object()
    );
    wait_and_end()
}

fn run_client(call: &str, reference: &str, calls: usize, count: u32) -> Outcome<()> {
    let orb = Orb::builder().build()?;
    let store: StoreRef = orb.string_to_object(reference)?.unchecked_narrow();
    let values = vec![1; count as usize];
    for _ in 0..calls {
        match call {
            "put" => store.put(&values)?,
            "get" => drop(black_box(store.get(count)?)),
            "view" => {
                let view = store.get_view(count)?;
                if !view.is_in_message() {
                    return Err("the view has a copy".into());
                }
                black_box(&view[..]);
            }
            "samples" => drop(black_box(store.get_samples(count / NUMBERS_OF_SAMPLE)?)),
            "none" => drop(black_box(black_box(&values).clone())),
            _ => return Err(format!("{call} is no call: put, get, view, samples or none").into()),
        }
    }
    println!("done");
    wait_and_end()
}

fn wait_and_end() -> ! {
    // However the input ends, it is the end.
    let _ = io::stdin().read_to_end(&mut Vec::new());
    process::exit(0)
}
