//! `taut completions`: scripts with which shells complete the command line.

use clap::CommandFactory;
use clap_complete::aot;

use crate::arguments::Cli;
use crate::failure::Failure;
use crate::output;

/// Write the script with which a shell completes the arguments of taut
///
/// The script goes to standard output. It completes commands, options and their values; where
/// a file or a directory is expected, the shell completes its path. Write the script anew after
/// an update of taut.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
#[command(after_help = "\
Each shell looks for the script in a place of its own; for zsh, the directory has to be in
$fpath before compinit runs. The directories must exist.

Examples:
  taut completions bash > ~/.local/share/bash-completion/completions/taut
  taut completions zsh > ~/.zfunc/_taut
  taut completions fish > ~/.config/fish/completions/taut.fish")]
pub(crate) struct Arguments {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// A shell that scripts are written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// Runs the command.
///
/// # Errors
///
/// When the script cannot be written.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let shell = match arguments.shell {
        Shell::Bash => aot::Shell::Bash,
        Shell::Zsh => aot::Shell::Zsh,
        Shell::Fish => aot::Shell::Fish,
    };
    // The generator panics if it cannot write, which a vector never causes.
    let mut script = Vec::new();
    aot::generate(shell, &mut Cli::command(), "taut", &mut script);
    Ok(output::write_octets(&script)?)
}
