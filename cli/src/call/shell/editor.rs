//! The line that a person writes at a terminal.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Helper};
use taut_dynamic::InterfaceDescription;

use super::complete;
use crate::failure::Failure;
use crate::output::visible;

/// The most lines of the history.
const LINES: usize = 1_000;

/// The reader of lines.
pub(super) struct Editor {
    editor: rustyline::Editor<Completions, FileHistory>,
    /// The file of the lines that were written earlier.
    history: Option<PathBuf>,
}

/// The completions of lines for the interface of the session.
#[derive(Default)]
struct Completions(Option<Arc<InterfaceDescription>>);

impl Editor {
    /// A reader that remembers lines until the next time, or until its end.
    ///
    /// # Errors
    ///
    /// When the terminal cannot be used.
    pub(super) fn new(is_remembering: bool) -> Result<Self, Failure> {
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .auto_add_history(true);
        let config = config.max_history_size(LINES).map_err(Failure::new)?;
        let mut editor = rustyline::Editor::with_config(config.build()).map_err(Failure::new)?;
        editor.set_helper(Some(Completions::default()));
        let history = is_remembering.then(file_of_history).flatten();
        if let Some(path) = &history {
            // The first time there is none.
            let _ = editor.load_history(path);
        }
        Ok(Self { editor, history })
    }

    /// Reads a line; none at the end.
    ///
    /// # Errors
    ///
    /// When the terminal cannot be read.
    pub(super) fn line(
        &mut self,
        interface: &Arc<InterfaceDescription>,
    ) -> Result<Option<String>, Failure> {
        if let Some(completions) = self.editor.helper_mut() {
            completions.0 = Some(Arc::clone(interface));
        }
        loop {
            match self
                .editor
                .readline(&format!("{}> ", visible(&interface.name)))
            {
                Ok(line) => return Ok(Some(line)),
                // The line is given up, not the session.
                Err(ReadlineError::Interrupted) => {}
                Err(ReadlineError::Eof) => return Ok(None),
                Err(error) => return Err(Failure::new(error)),
            }
        }
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        if let Some(path) = &self.history {
            // A history that cannot be kept is no reason to fail.
            let _ = path.parent().map(fs::create_dir_all);
            let _ = self.editor.save_history(path);
        }
    }
}

/// The file of the history, in the user's directory for state.
fn file_of_history() -> Option<PathBuf> {
    let directory = |variable: &str, below: &str| {
        let directory = Path::new(&env::var_os(variable)?).join(below);
        directory.is_absolute().then_some(directory)
    };
    let directory = directory("XDG_STATE_HOME", "taut");
    let directory = directory.or_else(|| {
        let home = Path::new(&env::var_os("HOME")?).join(".local/state/taut");
        home.is_absolute().then_some(home)
    });
    Some(directory?.join("shell_history"))
}

impl Completer for Completions {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let line = line.get(..position).unwrap_or(line);
        Ok(match &self.0 {
            Some(interface) => complete::candidates(interface, line),
            None => (position, Vec::new()),
        })
    }
}

impl Hinter for Completions {
    type Hint = String;
}

impl Highlighter for Completions {}

impl Validator for Completions {}

impl Helper for Completions {}
