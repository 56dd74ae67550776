//! A reference that outlives its server, which comes back wherever it likes. See
//! README.md.

mod client;
mod forwarder;
mod server;

taut::include_idl!("counting");

use std::error::Error;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::{env, fs, thread};

use taut::Orb;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.is_empty() {
        return demonstrate();
    }
    let orb = Orb::init(&mut arguments)?;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["forwarder"] => forwarder::run(&orb),
        ["server", file] => server::run(&orb, file.as_ref()),
        ["client", reference] => client::run(&orb, reference),
        _ => Err("usage: taut-persistence forwarder | server FILE | client IOR [-ORB…]".into()),
    }
}

/// Serves until the standard input ends.
fn serve(orb: &Orb) {
    let its_orb = orb.clone();
    thread::spawn(move || {
        let _ = io::stdin().read_to_end(&mut Vec::new());
        its_orb.shutdown(true)
    });
    orb.run();
}

/// Plays all parts, each in a process of its own.
fn demonstrate() -> Result<(), Box<dyn Error>> {
    let file = env::temp_dir().join(format!("taut-persistence-{}", std::process::id()));
    let file = file.to_str().ok_or("the temporary directory has no name")?;
    let mut forwarder = Part::start(&["forwarder", "-ORBListenEndpoints", "127.0.0.1:0"])?;
    let at = forwarder.line()?;
    println!("The forwarder listens at {at}.");

    let whereabouts = format!("Whereabouts=corbaloc:iiop:1.2@{at}/Whereabouts");
    let server = || {
        Part::start(&[
            "server",
            file,
            "-ORBServerId",
            "counting",
            "-ORBPersistentAddresses",
            &at,
            "-ORBListenEndpoints",
            "127.0.0.1:0",
            "-ORBInitRef",
            &whereabouts,
        ])
    };
    let mut life = server()?;
    let reference = life.line()?;
    println!("A server, process {}, serves the counter.", life.id());
    let mut client = Part::start(&["client", &reference])?;
    for number in 2..=4 {
        for _ in 0..2 {
            println!("  the client: {}", client.ask("next")?);
        }
        life.kill()?;
        println!("The server is killed.");
        println!("  the client: {}", client.ask("next")?);
        life = server()?;
        // The client goes on with the old reference.
        life.line()?;
        println!("Life {number}, process {}, has begun.", life.id());
    }
    println!("  the client: {}", client.ask("next")?);
    drop((client, life, forwarder));
    Ok(fs::remove_file(file)?)
}

/// A process that plays a part, and ends with this.
struct Part {
    child: Child,
    input: ChildStdin,
    output: BufReader<std::process::ChildStdout>,
}

impl Part {
    fn start(arguments: &[&str]) -> Result<Self, Box<dyn Error>> {
        let mut child = Command::new(env::current_exe()?)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().ok_or("no standard input")?;
        let output = child.stdout.take().ok_or("no standard output")?;
        Ok(Self {
            child,
            input,
            output: BufReader::new(output),
        })
    }

    fn id(&self) -> u32 {
        self.child.id()
    }

    /// The next line that it prints.
    fn line(&mut self) -> Result<String, Box<dyn Error>> {
        let mut line = String::new();
        match self.output.read_line(&mut line)? {
            0 => Err("a process has ended before its time".into()),
            _ => Ok(line.trim_end().to_owned()),
        }
    }

    /// Tells it something, and gives its answer.
    fn ask(&mut self, line: &str) -> Result<String, Box<dyn Error>> {
        writeln!(self.input, "{line}")?;
        self.line()
    }

    /// Ends it as suddenly as can be.
    fn kill(&mut self) -> io::Result<()> {
        self.child.kill()?;
        self.child.wait().map(drop)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // It has ended already, which is as good.
        let _ = self.kill();
    }
}
