//! The tests of the tools by which other tests count.

mod counting;
mod own_process;
