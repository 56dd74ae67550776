mod build_script {
    // page: //! Makes Rust of the IDL.
}

mod teller {
    // page: //! A client: opens an account and withdraws money from it.
}

mod branch {
    // page: //! A server: a branch of the bank, which opens accounts.
}
