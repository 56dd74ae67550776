//! The options that stand in the IDL of the test data, one a line:
//! `//! rename M::a b`, `//! extern M ::path`, `//! native M::t ::path`, `//! standard`,
//! `//! views`, `//! ami M::a`, `//! without_ami M::a::b`, `//! signatures`, `//! marshaling interpretive`,
//! `//! marshaling M::a compiled`, and `dispatch` and `answering` likewise.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::fs;
use std::path::Path;

use taut_build::Config;

/// Returns the settings that the options in a file ask for.
pub(crate) fn config(idl: &Path) -> Config {
    let text = fs::read_to_string(idl).unwrap();
    text.lines()
        .filter_map(|line| line.strip_prefix("//! "))
        .fold(Config::new(), |config, line| {
            match line.split_whitespace().collect::<Vec<_>>()[..] {
                ["rename", name, rust_name] => config.rename(name, rust_name),
                ["extern", module, path] => config.extern_module(module, path),
                ["standard"] => config.generate_standard_modules(),
                ["views"] => config.views(),
                ["signatures"] => config.signatures(),
                ["ami", name] => config.ami([name]),
                ["without_ami", name] => config.without_ami([name]),
                ["native", name, path] => config.native_type(name, path),
                ["marshaling", strategy] => config.marshaling(strategy.parse().unwrap()),
                ["marshaling", name, strategy] => {
                    config.marshaling_of(name, strategy.parse().unwrap())
                }
                ["dispatch", strategy] => config.dispatch(strategy.parse().unwrap()),
                ["dispatch", name, strategy] => config.dispatch_of(name, strategy.parse().unwrap()),
                ["answering", strategy] => config.answering(strategy.parse().unwrap()),
                ["answering", name, strategy] => {
                    config.answering_of(name, strategy.parse().unwrap())
                }
                _ => panic!("{}: no option: {line}", idl.display()),
            }
        })
}
