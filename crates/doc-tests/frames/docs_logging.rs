// A process has one subscriber, which a test leaves to others.
fn init() {
    // page: use tracing::Level;
}
