taut::include_idl!("sampling");

use sampling::{Feed, FeedRef, Sample};
use taut::{Reference, SyncScope};

fn push(feed: FeedRef, sample: Sample) -> crate::support::Outcome {
    // page: let feed = feed.with_sync_scope(SyncScope::None);
    Ok(())
}
