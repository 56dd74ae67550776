//! The spans of calls: how they join, and what they tell.

mod contexts;
mod deferred;
mod endings;
mod futures;
mod joined;
