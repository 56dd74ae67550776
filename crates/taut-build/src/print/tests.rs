//! Each construct, as rustfmt lays it out.

use std::fs;

use super::items;
use crate::code::{Code, quote};

/// The layout of items that stand in no block.
fn printed(code: &str) -> String {
    items(&Code::parse(code), 0, "").text().to_owned()
}

/// Text that is laid out stays as it is.
fn stays(text: &str) {
    let text = text.trim_matches('\n');
    assert_eq!(printed(text), text);
}

#[test]
fn long_signatures_have_a_parameter_on_each_line() {
    stays("pub fn short(&self, name: &str) -> Result<(), Error>;");
    stays(
        "
pub fn first_of_the_long_names(
    &self,
    name_of_the_parameter: &str,
    another_parameter: Option<&Reference>,
) -> Result<(), Error> {
    Ok(())
}",
    );
}

#[test]
fn results_are_broken_where_they_do_not_fit() {
    stays(
        "
fn operation_with_a_long_name(
    &self,
) -> Result<
    (
        super::first_module_of_several::FirstType,
        super::second_module_of_several::SecondType,
    ),
    super::third_module::operation_with_a_long_name::Error,
>;",
    );
}

#[test]
fn heads_of_implementations_and_traits_break_before_what_is_last() {
    stays(
        "
impl<ServantParameter: SomeInterfaceWithAName + ?Sized + 'static> codegen::ServantOfTheObject
    for SomeInterfaceWithANameSkeleton<ServantParameter>
{
    type Reference = SomeInterfaceWithANameRef;
}",
    );
    stays(
        "
pub trait InterfaceWithABase:
    super::first_module_of_several::First + super::second_module_of_several::Second
{
}",
    );
    stays(
        "
pub trait InterfaceWithManyBases:
    super::first_module_of_several::First
    + super::second_module_of_several::Second
    + super::third_module_of_several::Third
{
    fn own(&self);
}",
    );
}

#[test]
fn where_clauses_are_never_lost() {
    assert_eq!(
        printed("impl<T> A for B<T> where T: C { fn f() {} }"),
        "impl<T> A for B<T> where T: C {\n    fn f() {}\n}"
    );
}

#[test]
fn arms_that_do_not_fit_beside_the_pattern_stand_below() {
    stays(
        "
fn f(code: u32) -> Kind {
    match code {
        0 => Kind::First,
        1 | 2 => function_with_a_long_name(first_argument, second_argument, third_argument, 5),
        3 => {
            Path::to::a_function_with_a_very_long_name_indeed_that_fills_more_than_a_line(argument)
        }
        Err(module_with_a_name::ErrorOfAnOperation::VariantWithQuiteSomeLettersInItsName(
            exception,
        )) => raise(exception),
        _ => Kind::Other,
    }
}",
    );
}

#[test]
fn braces_of_a_match_follow_a_value_that_fills_the_line() {
    stays(
        "
fn f() {
    match servant.create_something_with_rules(&allowed_property_types, &its_allowed_properties_too)
    {
        _ => {}
    }
}",
    );
}

#[test]
fn chains_have_a_link_on_each_line() {
    stays(
        "
fn f(&self) -> Result<u32> {
    self.0
        .invoke(\"operation\", |out| name.encode(out))?
        .results(u32::decode)
}",
    );
    stays(
        "
fn f(&self) {
    let reply = self
        .0
        .invoke(\"replace_element\", |out| element.encode(out))?;
}",
    );
}

#[test]
fn attributes_and_comments_stand_before_what_they_are_of() {
    let code = quote! {
        /// A comment with `code`.
        ///
        /// - and a list
        #[derive(Debug, Clone)]
        pub struct Point {
            /// A member.
            pub x: i32,
        }
    };
    assert_eq!(
        items(&code, 0, "").text(),
        "/// A comment with `code`.
///
/// - and a list
#[derive(Debug, Clone)]
pub struct Point {
    /// A member.
    pub x: i32,
}"
    );
}

#[test]
fn attributes_are_added_to_what_defines_something() {
    let code = Code::parse("struct A; impl A for B {}");
    assert_eq!(
        items(&code, 1, "#[allow(x)]").text(),
        "    #[allow(x)]\n    struct A;\n\n    impl A for B {}"
    );
}

#[test]
fn strings_keep_their_escapes() {
    stays(r#"const TEXT: &str = "a \"b\" \\ \n {}";"#);
    stays(r#"const OCTETS: &[u8] = &[b'a', b'\n', 0xff];"#);
}

#[test]
fn short_elements_of_arrays_fill_lines() {
    let numbers = |from: u32, to: u32| -> String {
        let numbers: Vec<_> = (from..to).map(|number| number.to_string()).collect();
        numbers.join(", ")
    };
    stays("const FEW: &[u32] = &[1, 2, 3];");
    let first = numbers(100, 119);
    let second = numbers(119, 130);
    stays(&format!(
        "const MANY: &[u32] = &[\n    {first},\n    {second},\n];"
    ));
}

#[test]
fn closures_get_braces_where_they_take_several_lines() {
    stays(
        "
fn f() {
    request.reply(|out| {
        first.encode(out)?;
        second.encode(out)
    })
}",
    );
    assert_eq!(
        printed("fn f() { g(|x| { x }) }"),
        "fn f() {\n    g(|x| x)\n}"
    );
}

#[test]
fn what_is_not_known_is_written_as_it_comes() {
    stays("some_macro! { anything; at => all }");
    stays("extern crate a;");
}

#[test]
fn items_that_take_one_line_stand_close() {
    stays("use a::b;\nuse c::d;\n\npub struct A {\n    b: C,\n}\n\npub type A = B;");
}

#[test]
fn long_path_calls_in_closures_keep_their_arguments() {
    stays(
        "
fn f() {
    codegen::dispatch(|servant| {
        first_module_of_several::second_module_of_several::Interface::an_operation_of_this_length(
            servant, argument,
        )
    });
}",
    );
    stays(
        "
fn f() {
    codegen::dispatch(
        |servant| {
            first_module_of_several::second_module_of_several::TheInterface::the_operation_that_has_a_long_name(
                servant, argument,
            )
        },
    )
}",
    );
}

#[test]
fn arms_with_braces_end_there() {
    assert_eq!(
        printed("fn f() { match x { A => { g() } <B as C>::D => { h() } } }"),
        "fn f() {\n    match x {\n        A => g(),\n        <B as C>::D => h(),\n    }\n}"
    );
}

/// Even where no line has room for anything: [`items`] compares what it has
/// written with the tokens that it was given.
#[test]
fn nothing_is_lost_where_there_is_no_room() {
    let mut laid_out = 0;
    for entry in fs::read_dir("tests/data").unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            for depth in [10, 20, 30] {
                items(&Code::parse(&text), depth, "");
            }
            laid_out += 1;
        }
    }
    assert!(laid_out > 20, "{laid_out}");
}
