//! A repository in an ORB, and a client of it in another.

use taut::{Orb, Reference};
use taut_idl::Options;
use taut_ifr::service::{InterfaceRepository, RepositorySettings, RepositoryStore};
use taut_ifr::{Contained, ContainedRef, Repository, RepositoryRef};

pub(crate) struct Fixture {
    server: Orb,
    client: Orb,
    pub(crate) service: InterfaceRepository,
    /// The repository as the client sees it.
    pub(crate) repository: RepositoryRef,
}

impl Fixture {
    pub(crate) fn new(store: RepositoryStore, settings: RepositorySettings) -> Self {
        let server = Orb::builder()
            .listen("127.0.0.1:0")
            .unwrap()
            .build()
            .unwrap();
        let service = InterfaceRepository::start(&server, store, settings).unwrap();
        let client = Orb::builder().build().unwrap();
        let url = service.reference().as_object().to_string();
        let repository = client.string_to_object(&url).unwrap().narrow().unwrap();
        Self {
            server,
            client,
            service,
            repository,
        }
    }

    pub(crate) fn in_memory() -> Self {
        Self::new(RepositoryStore::memory(), RepositorySettings::default())
    }

    /// A repository of `bank.idl`.
    pub(crate) fn bank() -> Self {
        let fixture = Self::in_memory();
        fixture.load(include_str!("bank.idl"));
        fixture
    }

    pub(crate) fn load(&self, text: &str) {
        self.service.load(&model(text)).unwrap();
    }

    /// The definition with a repository id, as one of an interface.
    pub(crate) fn find<R: Reference>(&self, id: &str) -> R {
        let found: ContainedRef = self.repository.lookup_id(id).unwrap().expect(id);
        assert_eq!(found.id().unwrap(), id);
        found.as_object().narrow().unwrap()
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        self.client.shutdown(true).unwrap();
        self.server.shutdown(true).unwrap();
    }
}

pub(crate) fn model(text: &str) -> taut_idl::Model {
    let path = std::path::PathBuf::from("test.idl");
    let mut files = std::collections::HashMap::from([(path.clone(), text.as_bytes().to_vec())]);
    let compilation = taut_idl::compile_with(&[path], &Options::default(), &mut files);
    assert!(!compilation.has_errors(), "{}", compilation.render(false));
    compilation.model
}
