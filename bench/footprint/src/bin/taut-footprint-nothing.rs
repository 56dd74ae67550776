//! The memory of a program that has no ORB.

fn main() {
    println!("ready");
    taut_footprint::wait();
}
