//! The memory of this process: of the servers under attack, and of attackers
//! that keep none.

pub(crate) use counting_allocator::every_thread::{live, peak};

#[test]
fn the_peak_is_counted() {
    let _turn = crate::arena::turn();
    // Threads of the test before this one may still give memory back.
    let octets = peak(|| drop(std::hint::black_box(vec![0_u8; 50_000_000])));
    assert!((45_000_000..60_000_000).contains(&octets), "{octets}");
}
