//! Contexts, behind every shape of arguments.

use std::sync::{Mutex, PoisonError};

use taut::Context;

use super::contexts::contexts::shell::GetenvError;
use super::contexts::contexts::*;
use super::serve;

#[derive(Default)]
struct Servant {
    logged: Mutex<Option<(String, Context)>>,
}

impl Shell for Servant {
    fn whoami(&self, context: &Context) -> taut::Result<String> {
        Ok(context.get("user").unwrap_or("nobody").to_owned())
    }

    fn getenv(&self, name: &str, context: &Context) -> Result<String, GetenvError> {
        match context.get(name) {
            Some(value) => Ok(value.to_owned()),
            None => Err(Unknown {
                name: name.to_owned(),
            }
            .into()),
        }
    }

    fn log(&self, text: &str, context: &Context) -> taut::Result<()> {
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        *logged = Some((text.to_owned(), context.clone()));
        Ok(())
    }

    fn many(
        &self,
        a: i32,
        b: i32,
        c: i32,
        d: i32,
        e: i32,
        f: i32,
        context: &Context,
    ) -> taut::Result<()> {
        assert_eq!([a, b, c, d, e, f], [1, 2, 3, 4, 5, 6]);
        assert_eq!(context.len(), 1);
        Ok(())
    }

    fn words(
        &self,
        first: &[String],
        context: &mut i32,
        context_: &Context,
    ) -> taut::Result<(Few, i32)> {
        *context += context_.len() as i32;
        let values = context_.iter().map(|(_, value)| value.to_owned());
        Ok((first.iter().cloned().chain(values).collect(), *context))
    }
}

#[test]
fn the_servant_sees_the_properties_that_the_clause_names() {
    let servant = std::sync::Arc::new(Servant::default());
    let (server, _client, shell) = serve(ShellSkeleton::from_arc(servant.clone()));
    let mut context = Context::new();
    assert_eq!(shell.whoami(&context).unwrap(), "nobody");
    for name in ["user", "users", "screen.x", "a", "ab", "b", "B1"] {
        context.set(name, format!("its {name}")).unwrap();
    }
    assert_eq!(shell.whoami(&context).unwrap(), "its user");
    assert_eq!(shell.getenv("screen.x", &context).unwrap(), "its screen.x");
    let error = shell.getenv("users", &context).unwrap_err();
    assert!(matches!(error, GetenvError::Unknown(_)), "{error}");

    let mut number = 1;
    let first = ["one".to_owned()];
    let (few, count) = shell.words(&first, &mut number, &context).unwrap();
    assert_eq!(few, ["one", "its B1", "its a", "its b"]);
    assert_eq!((number, count), (4, 4));

    shell.many(1, 2, 3, 4, 5, 6, &context).unwrap();
    shell.log("text", &context).unwrap();
    // The request before the next reply has been served by then.
    shell.whoami(&context).unwrap();
    let logged = servant.logged.lock().unwrap().take();
    let (text, seen) = logged.unwrap();
    assert_eq!(text, "text");
    assert_eq!(seen.iter().collect::<Vec<_>>(), [("user", "its user")]);
    server.shutdown(true).unwrap();
}
