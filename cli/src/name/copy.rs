//! `taut name copy`.

use std::cell::RefCell;

use clap::ValueHint;
use taut_naming::NamingContextRef;

use super::record::{Binder, Records};
use super::service::Service;
use crate::failure::Failure;
use crate::reference_text::ReadOptions;

/// Copy all names below a context to another naming service
///
/// Both may be of any ORB: this is the way from one naming service to another. Contexts are made
/// anew, those of other services included; a context that has several names there has them
/// here as well. Names that are bound to the same already are left alone, so that a copy that was
/// interrupted can be repeated.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  taut name copy corbaloc::old.example.com/NameService corbaloc::new.example.com/NameService
  taut name copy corbaname::old.example.com#bank corbaname::new.example.com#bank")]
pub(super) struct Arguments {
    /// The context to copy from: corbaloc:…, corbaname:…, IOR:…, or @FILE
    #[arg(value_name = "FROM", value_hint = ValueHint::Other)]
    from: String,
    /// The context to copy to
    #[arg(value_name = "TO", value_hint = ValueHint::Other)]
    to: String,
    /// Replace what is bound to another object
    #[arg(long)]
    replace: bool,
    /// Give up when there are more names than this
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000_000, value_hint = ValueHint::Other)]
    max_names: usize,
}

pub(super) fn run(
    arguments: &Arguments,
    is_json: bool,
    read: ReadOptions,
    orb_arguments: Vec<String>,
) -> Result<(), Failure> {
    let from = Service::find(Some(&arguments.from), read, orb_arguments)?;
    let to = from.at(&arguments.to)?;
    let binder = RefCell::new(Binder::new(&to.root, arguments.replace));
    // The way may lead back into the copy, which would then have no end.
    let is_copy =
        |context: &NamingContextRef| *context == to.root || binder.borrow().made.contains(context);
    let mut bind = |record| binder.borrow_mut().bind(&record);
    Records::new(arguments.max_names, &is_copy, &mut bind).run(&from.root)?;
    binder.borrow().tell(is_json)
}
