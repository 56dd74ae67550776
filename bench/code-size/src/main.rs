//! A program to weigh generated code by: it has the stubs and the skeletons of
//! the papers' `Param_Test`, once marshaled by code and once by table, each as a
//! function of its own, and tells how large the tables are. `cargo xtask
//! code-size` builds it and reads its symbols.

use std::hint::black_box;

use taut::codegen::table::Tabled;

mod compiled {
    //! Marshaled by code.
    taut::include_idl!("compiled");
}

mod interpretive {
    //! Marshaled by table.
    taut::include_idl!("interpretive");
}

/// Keeps the stubs and skeletons of a module, and keeps them from becoming part
/// of a caller.
macro_rules! keep {
    ($module:ident: $($operation:ident $dispatch:ident),* $(,)?) => {
        $(
            black_box(<$module::ParamTestRef as $module::ParamTest>::$operation as *const ());
            black_box(
                $module::ParamTestSkeleton::<dyn $module::ParamTest>::$dispatch as *const (),
            );
        )*
    };
}

/// Tells the octets of the operations' tables.
macro_rules! tell {
    ($($operation:ident),* $(,)?) => {
        $(
            let description = interpretive::ParamTestRef::$operation.description();
            println!("operation {} {}", description.name(), description.footprint());
        )*
    };
}

fn main() {
    keep!(
        compiled:
        test_short dispatch_test_short,
        test_unbounded_string dispatch_test_unbounded_string,
        test_fixed_struct dispatch_test_fixed_struct,
        test_strseq dispatch_test_strseq,
        test_var_struct dispatch_test_var_struct,
        test_nested_struct dispatch_test_nested_struct,
        test_struct_sequence dispatch_test_struct_sequence,
    );
    keep!(
        interpretive:
        test_short dispatch_test_short,
        test_unbounded_string dispatch_test_unbounded_string,
        test_fixed_struct dispatch_test_fixed_struct,
        test_strseq dispatch_test_strseq,
        test_var_struct dispatch_test_var_struct,
        test_nested_struct dispatch_test_nested_struct,
        test_struct_sequence dispatch_test_struct_sequence,
    );
    tell!(
        TEST_SHORT,
        TEST_UNBOUNDED_STRING,
        TEST_FIXED_STRUCT,
        TEST_STRSEQ,
        TEST_VAR_STRUCT,
        TEST_NESTED_STRUCT,
        TEST_STRUCT_SEQUENCE,
    );
    tell_type::<interpretive::param_test::FixedStruct>("FixedStruct");
    tell_type::<interpretive::param_test::StrSeq>("StrSeq");
    tell_type::<interpretive::param_test::VarStruct>("VarStruct");
    tell_type::<interpretive::param_test::NestedStruct>("NestedStruct");
    tell_type::<interpretive::param_test::StructSeq>("StructSeq");
}

fn tell_type<T: Tabled>(name: &str) {
    println!("type {name} {}", T::TABLE.shape().footprint());
}
