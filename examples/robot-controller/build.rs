//! Turns the IDL into Rust, and its annotations into a schedule: a deadline that does not hold fails
//! the build.

fn main() -> Result<(), taut_build::Error> {
    taut_build::Config::new()
        .schedule("schedule.toml")
        .compile(&["idl/robot.idl"])
}
