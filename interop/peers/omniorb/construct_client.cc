// The client of Construct_Test as construct_test.idl describes it.
//
//     construct_client [--shutdown] REFERENCE [ORB options]
//
// Calls every operation with every value and prints `ok NAME` or
// `FAILED NAME: why` for each. With --shutdown it ends the server at last.
// The status is 0 when nothing failed, 1 when something did, 2 for wrong usage.

#include "construct_values.h"
#include "report.h"

#include <memory>

namespace {

using peers::expect;
using peers::Report;
using values::Slice;
using values::Table;
using values::Types;
using values::WString;

// The class of a reference, of which stubs are members.
typedef constructs::_objref_Construct_Test Stub;

// The three values that come back for entry k of a table.
template <class T>
void expect_answer(const Table<T>& table, std::size_t k, const T& result, const T& s2, const T& s3) {
  const std::string which = " for value " + std::to_string(k);
  const std::size_t n = table.size();
  expect(values::equal(result, table[k]), "wrong result" + which);
  expect(values::equal(s3, table[(k + 1) % n]), "wrong s3" + which);
  expect(values::equal(s2, table[(k + 2) % n]), "wrong s2" + which);
}

// Calls the operations of one object; an overload for each way in which the
// mapping to C++ passes a type.
class Caller {
public:
  Caller(Stub* stub, Report& report) : stub_(stub), report_(report) {}

  // Basic types.
  template <class T>
  void call(const char* name, T (Stub::*operation)(T, T&, T&), const Table<T>& table) {
    each(name, table, [&](std::size_t k, const T& s1, T s2) {
      T s3 = T();
      const T result = (stub_->*operation)(s1, s2, s3);
      expect_answer(table, k, result, s2, s3);
    });
  }

  // Structs, unions and decimals of fixed length.
  template <class T>
  void call(const char* name, T (Stub::*operation)(const T&, T&, T&), const Table<T>& table) {
    each(name, table, [&](std::size_t k, const T& s1, const T& sent) {
      T s2 = values::copy(sent), s3 = T();
      const T result = (stub_->*operation)(values::copy(s1), s2, s3);
      expect_answer(table, k, result, s2, s3);
    });
  }

  // Operations with values of variable length.
  template <class T, class Out>
  void call(const char* name, T* (Stub::*operation)(const T&, T&, Out), const Table<T>& table) {
    each(name, table, [&](std::size_t k, const T& s1, T s2) {
      T* s3 = nullptr;
      const std::unique_ptr<T> result((stub_->*operation)(s1, s2, Out(s3)));
      const std::unique_ptr<T> out(s3);
      expect_answer(table, k, *result, s2, *out);
    });
  }

  // Wide strings.
  template <class Inout, class Out>
  void call(const char* name, CORBA::WChar* (Stub::*operation)(const CORBA::WChar*, Inout, Out),
            const Table<WString>& table) {
    each(name, table, [&](std::size_t k, const WString& s1, const WString& sent) {
      CORBA::WString_var s2 = CORBA::wstring_dup(sent.c_str()), s3;
      const CORBA::WString_var result = (stub_->*operation)(s1.c_str(), s2.inout(), s3.out());
      expect_answer(table, k, WString(result.in()), WString(s2.in()), WString(s3.in()));
    });
  }

  // Arrays.
  void call(const char* name, Slice* (Stub::*operation)(const Slice*, Slice*, Slice*),
            const Table<values::Cube>& table) {
    each(name, table, [&](std::size_t k, const values::Cube& s1, values::Cube s2) {
      values::Cube s3{}, result;
      const Types::Point_Cube_var slice = (stub_->*operation)(s1.items, s2.items, s3.items);
      Types::Point_Cube_copy(result.items, slice);
      expect_answer(table, k, result, s2, s3);
    });
  }

  // TypeCodes.
  template <class Inout, class Out>
  void call(const char* name, CORBA::TypeCode_ptr (Stub::*operation)(CORBA::TypeCode_ptr, Inout, Out),
            const Table<CORBA::TypeCode_var>& table) {
    each(name, table, [&](std::size_t k, const CORBA::TypeCode_var& s1, CORBA::TypeCode_var s2) {
      CORBA::TypeCode_var s3;
      const CORBA::TypeCode_var result = (stub_->*operation)(s1, s2.inout(), s3.out());
      expect_answer(table, k, result, s2, s3);
    });
  }

private:
  template <class T, class Check>
  void each(const char* name, const Table<T>& table, Check check) {
    report_.run(name, [&] {
      for (std::size_t k = 0; k < table.size(); ++k) check(k, table[k], table[(k + 1) % table.size()]);
    });
  }

  Stub* stub_;
  Report& report_;
};

void check_values(Stub* target, Report& report) {
  Caller caller(target, report);
  caller.call("test_union_long", &Stub::test_union_long, values::unions_by_long());
  caller.call("test_union_short", &Stub::test_union_short, values::unions_by_short());
  caller.call("test_union_ushort", &Stub::test_union_ushort, values::unions_by_ushort());
  caller.call("test_union_ulong", &Stub::test_union_ulong, values::unions_by_ulong());
  caller.call("test_union_longlong", &Stub::test_union_longlong, values::unions_by_longlong());
  caller.call("test_union_ulonglong", &Stub::test_union_ulonglong, values::unions_by_ulonglong());
  caller.call("test_union_char", &Stub::test_union_char, values::unions_by_char());
  caller.call("test_union_boolean", &Stub::test_union_boolean, values::unions_by_boolean());
  caller.call("test_union_enum", &Stub::test_union_enum, values::unions_by_enum());
  caller.call("test_union_seq", &Stub::test_union_seq, values::sequences_of_unions());

  caller.call("test_wchar", &Stub::test_wchar, values::wide_characters());
  caller.call("test_wstring", &Stub::test_wstring, values::wide_strings());
  caller.call("test_bounded_wstring", &Stub::test_bounded_wstring, values::brief_wide_strings());
  caller.call("test_wstring_seq", &Stub::test_wstring_seq, values::sequences_of_wide_strings());

  caller.call("test_fixed", &Stub::test_fixed, values::moneys());
  caller.call("test_fixed_even", &Stub::test_fixed_even, values::counts());
  caller.call("test_longdouble", &Stub::test_longdouble, values::long_doubles());

  caller.call("test_bounded_nested", &Stub::test_bounded_nested, values::brief_sequences());
  caller.call("test_array_3d", &Stub::test_array_3d, values::cubes());
  caller.call("test_members", &Stub::test_members, values::holders());
  caller.call("test_recursive_struct", &Stub::test_recursive_struct, values::trees());
  caller.call("test_recursive_union", &Stub::test_recursive_union, values::expressions());

  caller.call("test_any", &Stub::test_any, values::anys());
  caller.call("test_any_constructed", &Stub::test_any_constructed, values::constructed_anys());
  caller.call("test_any_nested", &Stub::test_any_nested, values::nested_anys());
  caller.call("test_any_seq", &Stub::test_any_seq, values::sequences_of_anys());
  caller.call("test_typecode", &Stub::test_typecode, values::type_codes());
}

void check_objects(Stub* target, Report& report) {
  report.run("test_object", [&] {
    CORBA::Object_var s2 = CORBA::Object::_nil(), s3;
    CORBA::Object_var result = target->test_object(target, s2.inout(), s3.out());
    expect(!CORBA::is_nil(result) && result->_is_equivalent(target), "wrong result for value 0");
    expect(CORBA::is_nil(s3), "wrong s3 for value 0");
    expect(!CORBA::is_nil(s2) && s2->_is_equivalent(target), "wrong s2 for value 0");

    s2 = CORBA::Object::_duplicate(target);
    result = target->test_object(CORBA::Object::_nil(), s2.inout(), s3.out());
    expect(CORBA::is_nil(result), "wrong result for value 1");
    expect(!CORBA::is_nil(s3) && s3->_is_equivalent(target), "wrong s3 for value 1");
    expect(CORBA::is_nil(s2), "wrong s2 for value 1");
  });
  report.run("raise_fault", [&] {
    try {
      target->raise_fault();
    } catch (const Types::Fault& raised) {
      expect(values::equal(raised, values::fault()), "wrong members");
      return;
    }
    throw std::runtime_error("no Fault was raised");
  });
  report.run("place", [&] {
    target->place(values::q());
    expect(values::equal(target->place(), values::q()), "wrong value");
    target->place(values::p());
    expect(values::equal(target->place(), values::p()), "wrong value at the end");
  });
  // The servant must notice values that the rule does not allow.
  report.run("refused_value", [&] {
    peers::expect_bad_param(values::refused_minor, CORBA::COMPLETED_NO, [&] {
      Types::By_Boolean s2 = values::unions_by_boolean()[0];
      Types::By_Boolean_var s3;
      Types::By_Boolean_var result = target->test_union_boolean(s2, s2, s3.out());
    });
  });
}

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    std::vector<std::string> arguments = orb.rest();
    const bool shutdown = !arguments.empty() && arguments.front() == "--shutdown";
    if (shutdown) arguments.erase(arguments.begin());
    if (arguments.size() != 1) {
      std::cerr << "usage: construct_client [--shutdown] REFERENCE [ORB options]" << std::endl;
      return 2;
    }
    CORBA::Object_var object = orb.get()->string_to_object(arguments.front().c_str());
    constructs::Construct_Test_var target = Types::_narrow(object);
    if (CORBA::is_nil(target)) {
      std::cerr << "construct_client: the reference is nil or not of a Construct_Test" << std::endl;
      return 1;
    }
    Report report;
    check_values(target, report);
    check_objects(target, report);
    if (shutdown) peers::check_shutdown(target.in(), report);
    return report.failed() ? 1 : 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "construct_client: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
