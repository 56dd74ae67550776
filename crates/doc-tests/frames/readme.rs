mod build_script {
    // page: //! Makes Rust of the IDL.
}

mod teller {
    // page: //! A client: opens an account and withdraws money from it.
}

mod branch {
    // page: //! A server: a branch of the bank, which opens accounts.
}

mod naming {
    use taut::{Orb, Reference};
    use taut_naming::{NameComponent, NamingContext, NamingContextRef};

    fn bind(orb: &Orb, branch: &impl Reference) -> crate::support::Outcome {
        // page: let names = orb.resolve_initial_references("NameService")?;
        Ok(())
    }
}
