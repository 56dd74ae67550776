//! The code that `docs/transports.md` prints: it compiles, passes the tests that every
//! transport has to pass, and does what the page says.
use taut::{InitError, Orb};
use taut_transport::{Address, ConnectOptions, ListenOptions, Protocol, Tcp};
use test_tools::code_blocks;

mod conformance;
mod program;
#[expect(unreachable_pub, reason = "it is as a library has it")]
mod xor;

const PAGE: &str = include_str!("../../../../../docs/transports.md");

/// An ORB that listens where the page begins.
fn at_two_endpoints() -> Result<Orb, InitError> {
    let orb = Orb::builder().listen("*:2809")?;
    let orb = orb.listen("uiop:///run/bank.sock")?.build()?;
    Ok(orb)
}

/// The lines of a text that say something, without their indentation.
fn lines(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty()).collect()
}

#[test]
fn every_block_of_the_page_is_compiled() {
    // Nothing is listened at before there are objects.
    at_two_endpoints().unwrap();
    let sources = [
        include_str!("mod.rs"),
        include_str!("xor.rs"),
        include_str!("program.rs"),
        include_str!("conformance.rs"),
    ];
    let sources = sources.map(lines);
    let blocks = code_blocks(PAGE).into_iter();
    let blocks: Vec<_> = blocks.filter(|block| block.language == "rust").collect();
    assert!(blocks.len() >= 4);
    for block in blocks {
        let block = lines(block.text);
        let is_in = |source: &Vec<&str>| source.windows(block.len()).any(|part| part == block);
        assert!(sources.iter().any(is_in), "not compiled: {block:#?}");
    }
}

#[test]
fn the_octets_of_the_page_s_transport_are_changed_on_their_way() {
    let acceptor = Tcp
        .listen("127.0.0.1:0", &ListenOptions::default())
        .unwrap();
    let address = Address::other("xor", acceptor.address().place());
    let options = ConnectOptions::within(std::time::Duration::from_secs(60));
    let client = xor::Xor.connect(&address, &options).unwrap();
    let plain = acceptor.accept().unwrap();
    client.send(b"GIOP").unwrap();
    let mut received = Vec::with_capacity(4);
    while received.len() < 4 {
        assert_ne!(plain.receive(&mut received).unwrap(), 0, "the end");
    }
    assert_eq!(received, b"GIOP".map(|octet| octet ^ 0x5a));
}
