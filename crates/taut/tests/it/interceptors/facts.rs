//! The facts about a request that interceptors may ask for, and where.
