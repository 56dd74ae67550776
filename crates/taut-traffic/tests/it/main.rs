//! The tests of captures: files to messages.

mod captures;
