//! `#include`, and the loading of files.

use std::io;
use std::path::{Path, PathBuf};

use super::Preprocessor;
use crate::bounded;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::lex::{Lexer, RawKind, RawToken};
use crate::source::{FileId, Span};

/// Files of the standard for those who have none: what its IDL takes for known
/// of the module `CORBA`, the module `IOP`, the reply handlers of `Messaging`, and the times
/// that many of its services share.
const BUILT_IN: [(&str, &[u8]); 4] = [
    ("orb.idl", include_bytes!("../built_in/orb.idl")),
    ("IOP.idl", include_bytes!("../built_in/IOP.idl")),
    ("Messaging.idl", include_bytes!("../built_in/Messaging.idl")),
    ("TimeBase.idl", include_bytes!("../built_in/TimeBase.idl")),
];

/// More nested inclusions would need more stack than a thread surely has.
const DEPTH: usize = 256;

impl Preprocessor<'_> {
    pub(super) fn include(&mut self, lexer: &mut Lexer, directive: &RawToken, depth: usize) {
        let header = lexer.header_name();
        let rest = self.rest(lexer);
        let header = match header {
            Some(header) => {
                self.reject_excess(rest, "#include");
                Some(header)
            }
            None => self.header_by_macro(&rest),
        };
        let Some((name, quoted, span)) = header else {
            self.diagnostics.push(Diagnostic::error(
                DiagnosticCode::Directive,
                "`#include` needs a file name in `\"\"` or `<>`",
                directive.span,
            ));
            return;
        };
        let limits = &self.options.limits;
        if depth >= limits.include_depth.min(DEPTH) {
            let message = format!("`{name}` is included more than {depth} files deep");
            self.stop_at_limit(message, span);
            return;
        }
        if self.inclusions >= limits.inclusions {
            self.stop_at_limit(format!("more than {} inclusions", limits.inclusions), span);
            return;
        }
        let Some(file) = self.find(&name, quoted, span) else {
            return;
        };
        if self.once.contains(&file) {
            return;
        }
        let most = limits.repeated_bytes;
        let processed = self
            .bytes_processed
            .saturating_add(self.sources.file(file).bytes().len());
        if processed > self.bytes.saturating_add(most) {
            let message = format!("files are read again for more than {most} bytes");
            self.stop_at_limit(message, span);
            return;
        }
        self.included.insert(file);
        let inclusion = self.enter(false);
        self.process(file, depth + 1);
        self.leave(inclusion, false);
    }

    /// The name of a file, and whether it is quoted, that a macro stands for.
    fn header_by_macro(&mut self, line: &[RawToken]) -> Option<(String, bool, Span)> {
        let span = line.first()?.span.to(line.last()?.span);
        let mut whole = span;
        let mut name = match line {
            [token] => Some(token.kind.clone()),
            _ => None,
        };
        for _ in 0..DEPTH {
            let Some(RawKind::Identifier(text)) = &name else {
                break;
            };
            let found = self.macros.get(text)?;
            if found.parameters.is_some() {
                return None;
            }
            whole = found.body_span?;
            name = match &*found.body {
                [kind] => Some(kind.clone()),
                _ => None,
            };
        }
        let text = String::from_utf8_lossy(self.sources.text(whole)).into_owned();
        let between = |open: char, close: char| text.strip_prefix(open)?.strip_suffix(close);
        let (name, quoted) = match between('"', '"') {
            Some(name) => (name, true),
            None => (between('<', '>')?, false),
        };
        Some((name.to_owned(), quoted, span))
    }

    /// Loads a main file.
    pub(super) fn load_main(&mut self, path: &Path) -> Option<FileId> {
        match self.load(path, true) {
            Ok(file) => Some(file),
            Err(error) => {
                let file = self.sources.add(path.to_path_buf(), Vec::new(), true);
                let span = Span {
                    file,
                    start: 0,
                    end: 0,
                };
                let code = match error.kind() {
                    io::ErrorKind::FileTooLarge => DiagnosticCode::LimitExceeded,
                    _ => DiagnosticCode::File,
                };
                let message = cannot_read(path, &error);
                self.diagnostics
                    .push(Diagnostic::error(code, message, span));
                None
            }
        }
    }

    fn find(&mut self, name: &str, quoted: bool, span: Span) -> Option<FileId> {
        let beside = quoted
            .then(|| self.sources.file(span.file).path().parent())
            .flatten();
        let beside = beside.map(Path::to_path_buf);
        let directories: Vec<PathBuf> = beside
            .into_iter()
            .chain(self.options.include_paths.iter().cloned())
            .collect();
        let mut directory_found = None;
        for directory in &directories {
            let path = directory.join(name);
            match self.load(&path, false) {
                Ok(file) => return Some(file),
                Err(error) if is_absent(&error) => {}
                Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
                    directory_found.get_or_insert(path);
                }
                // Another attempt would read as much again.
                Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                    self.stop_at_limit(cannot_read(&path, &error), span);
                    return None;
                }
                Err(error) => {
                    let message = cannot_read(&path, &error);
                    self.diagnostics
                        .push(Diagnostic::error(DiagnosticCode::File, message, span));
                    return None;
                }
            }
        }
        if let Some((_, bytes)) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
            return Some(self.built_in(name, bytes));
        }
        let mut diagnostic = Diagnostic::error(
            DiagnosticCode::File,
            format!("cannot find the included file `{name}`"),
            span,
        );
        diagnostic = if let Some(path) = directory_found {
            diagnostic.help(format!("`{}` is a directory", path.display()))
        } else if !quoted && directories.is_empty() {
            diagnostic.help("there are no include paths")
        } else {
            diagnostic.help("add the directory that holds it to the include paths")
        };
        self.diagnostics.push(diagnostic);
        None
    }

    /// A file that the compiler brings along. It is no dependency, for it does
    /// not change.
    fn built_in(&mut self, name: &str, bytes: &[u8]) -> FileId {
        let path = PathBuf::from(format!("<built-in>/{name}"));
        if let Some(file) = self.files.get(&path) {
            return *file;
        }
        self.bytes += bytes.len();
        let file = self.sources.add_built_in(path.clone(), bytes);
        self.files.insert(path, file);
        file
    }

    fn load(&mut self, path: &Path, is_main: bool) -> io::Result<FileId> {
        let identity = self.loader.identity(path);
        if let Some(file) = self.files.get(&identity) {
            return Ok(*file);
        }
        let limits = &self.options.limits;
        let one = limits.file_bytes.min(u32::MAX as usize - 16);
        let rest = limits.total_bytes.saturating_sub(self.bytes);
        let most = one.min(rest);
        let loaded = self.loader.load(path, most);
        // Loaders other than ours may not look at the limit.
        let too_large = match &loaded {
            Ok(bytes) => bytes.len() > most,
            Err(error) => error.kind() == io::ErrorKind::FileTooLarge,
        };
        if too_large && rest < one {
            let message = format!("all files have more than {} bytes", limits.total_bytes);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        if too_large {
            return Err(bounded::too_large(most));
        }
        let bytes = loaded?;
        self.bytes += bytes.len();
        let file = self.sources.add(path.to_path_buf(), bytes, is_main);
        self.files.insert(identity, file);
        self.output.dependencies.push(path.to_path_buf());
        Ok(file)
    }
}

fn cannot_read(path: &Path, error: &io::Error) -> String {
    format!("cannot read `{}`: {error}", path.display())
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
