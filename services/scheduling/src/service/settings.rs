//! The settings of a configuration run.

use std::path::PathBuf;

use ::taut_scheduling::{Description, Options};

/// The settings of a configuration run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServiceSettings {
    /// The options of the analysis: the strategy, the time of context switches. Priorities are
    /// those that `compute_scheduling` is given.
    pub options: Options,
    /// The operations that are there from the start. Its options do not count.
    pub seed: Option<Description>,
    /// The file to which each schedule is written once it is computed: as Rust if its name ends in
    /// `.rs`, else as the TOML file of which a production run is made. In TOML higher priorities
    /// are more urgent: others are not written, and `compute_scheduling` says so by PERSIST_STORE.
    pub configuration_file: Option<PathBuf>,
    /// How many operations there may be; `create` refuses further ones with INTERNAL: 10,000.
    pub max_operations: usize,
    /// How many calls each operation may have; `add_dependency` refuses further ones with
    /// IMP_LIMIT: 1,000.
    pub max_dependencies: usize,
    /// How many octets a name may have; `create` refuses longer ones with INTERNAL: 1,024.
    pub max_name_octets: usize,
}

impl Default for ServiceSettings {
    fn default() -> Self {
        Self {
            options: Options::default(),
            seed: None,
            configuration_file: None,
            max_operations: 10_000,
            max_dependencies: 1_000,
            max_name_octets: 1_024,
        }
    }
}
