//! Interceptors that do not let a request go on as it would.
