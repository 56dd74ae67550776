//! Taut's server of `session_test.idl`, a process of its own that can be killed.
//!
//! ```text
//! session_server PORT NAME    prints its reference
//! ```
//!
//! Its session also has the plain key `Session`, which leads to that of the next
//! server on the port as well. Ends when its input is closed.

use std::env;
use std::error::Error;

use taut::{Orb, Reference};
use taut_interop::run_until_input_ends;
use taut_interop::session_test::serve_session;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [port, name] = &arguments[..] else {
        return Err("usage: session_server PORT NAME".into());
    };
    let builder = Orb::builder().listen(&format!("127.0.0.1:{port}"))?;
    let orb = builder.build()?;
    let session = serve_session(&orb, name)?;
    orb.bind_object_key("Session", session.as_object());
    println!("{}", session.as_object());
    run_until_input_ends(&orb);
    Ok(())
}
