//! What a program takes that has no ORB.

fn main() {
    println!("ready");
    taut_footprint::wait();
}
