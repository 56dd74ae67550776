#[allow(clippy::all, reason = "made by taut-build")]
mod generated {
    include!("../../../../taut-build/tests/data/ami.rs");
}
