// The client of Param_Test as param_test.idl describes it.
//
//     param_client [--shutdown] REFERENCE [ORB options]
//
// Calls every operation with every value and prints `ok NAME` or
// `FAILED NAME: why` for each. With --shutdown it ends the server at last.
// The status is 0 when nothing failed, 1 when something did, 2 for wrong usage.

#include "orb.h"
#include "report.h"
#include "values.h"

#include <chrono>
#include <memory>

namespace {

using interop::Param_Test;
using interop::Param_Test_ptr;
using interop::Param_Test_var;
using peers::expect;
using peers::expect_bad_param;
using peers::Report;
using values::Table;

// The class of a reference, of which stubs are members.
typedef interop::_objref_Param_Test Stub;

// The three values that come back for entry k of a table.
template <class T>
void expect_answer(const Table<T>& table, std::size_t k, const T& result, const T& s2, const T& s3, T sent) {
  const std::string which = " for value " + std::to_string(k);
  expect(values::equal(result, table[k]), "wrong result" + which);
  expect(values::equal(s3, sent), "wrong s3" + which);
  values::turn(sent);
  expect(values::equal(s2, sent), "wrong s2" + which);
}

// Calls the operations of one object; an overload for each way in which the
// mapping to C++ passes a type.
class Caller {
public:
  Caller(Stub* stub, Report& report) : stub_(stub), report_(report) {}

  // Basic types and enums.
  template <class T>
  void call(const char* name, T (Stub::*operation)(T, T&, T&), const Table<T>& table) {
    each(name, table, [&](std::size_t k, const T& s1, const T& next) {
      T s2 = next, s3 = T();
      const T result = (stub_->*operation)(s1, s2, s3);
      expect_answer(table, k, result, s2, s3, next);
    });
  }

  // Structs of fixed length.
  template <class T>
  void call(const char* name, T (Stub::*operation)(const T&, T&, T&), const Table<T>& table) {
    each(name, table, [&](std::size_t k, const T& s1, const T& next) {
      T s2 = next, s3 = T();
      const T result = (stub_->*operation)(s1, s2, s3);
      expect_answer(table, k, result, s2, s3, next);
    });
  }

  // Structs of variable length and sequences.
  template <class T, class Out>
  void call(const char* name, T* (Stub::*operation)(const T&, T&, Out), const Table<T>& table) {
    each(name, table, [&](std::size_t k, const T& s1, const T& next) {
      T s2 = next;
      T* s3 = nullptr;
      const std::unique_ptr<T> result((stub_->*operation)(s1, s2, Out(s3)));
      const std::unique_ptr<T> out(s3);
      expect_answer(table, k, *result, s2, *out, next);
    });
  }

  // Strings.
  template <class Inout, class Out>
  void call(const char* name, char* (Stub::*operation)(const char*, Inout, Out), const Table<const char*>& table) {
    each(name, table, [&](std::size_t k, const char* s1, const char* next) {
      CORBA::String_var s2 = next, s3, sent = next;
      const CORBA::String_var result = (stub_->*operation)(s1, s2.inout(), s3.out());
      const std::string which = " for value " + std::to_string(k);
      expect(values::equal(result.in(), s1), "wrong result" + which);
      expect(values::equal(s3.in(), next), "wrong s3" + which);
      values::turn(sent.inout());
      expect(values::equal(s2.in(), sent.in()), "wrong s2" + which);
    });
  }

  // Arrays of items of fixed length.
  template <class Item, std::size_t N>
  void call(const char* name, Item* (Stub::*operation)(const Item*, Item*, Item*), void (*release)(Item*),
            const Table<values::Array<Item, N>>& table) {
    typedef values::Array<Item, N> Value;
    each(name, table, [&](std::size_t k, const Value& s1, const Value& next) {
      Value s2 = next, s3{}, result;
      Item* slice = (stub_->*operation)(s1.items, s2.items, s3.items);
      values::load(result, slice);
      release(slice);
      expect_answer(table, k, result, s2, s3, next);
    });
  }

  // Arrays of items of variable length.
  template <class Item, std::size_t N, class Out>
  void call(const char* name, Item* (Stub::*operation)(const Item*, Item*, Out), void (*release)(Item*),
            const Table<values::Array<Item, N>>& table) {
    typedef values::Array<Item, N> Value;
    each(name, table, [&](std::size_t k, const Value& s1, const Value& next) {
      Value s2 = next, s3, result;
      Item* out = nullptr;
      Item* slice = (stub_->*operation)(s1.items, s2.items, Out(out));
      values::load(result, slice);
      values::load(s3, out);
      release(slice);
      release(out);
      expect_answer(table, k, result, s2, s3, next);
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

class CallbackServant : public POA_interop::Callback {
public:
  explicit CallbackServant(Param_Test_ptr target) : target_(Param_Test::_duplicate(target)) {}

  CORBA::Long call(CORBA::Long n) override {
    if (n == 0) return 0;
    interop::Callback_var own = _this();
    return 1 + target_->call_back(own, n - 1);
  }

private:
  Param_Test_var target_;
};

void check_values(Stub* target, Report& report) {
  Caller caller(target, report);
  caller.call("test_short", &Stub::test_short, values::shorts());
  caller.call("test_unbounded_string", &Stub::test_unbounded_string, values::strings());
  caller.call("test_fixed_struct", &Stub::test_fixed_struct, values::fixed_structs());
  caller.call("test_strseq", &Stub::test_strseq, values::string_sequences());
  caller.call("test_var_struct", &Stub::test_var_struct, values::var_structs());
  caller.call("test_nested_struct", &Stub::test_nested_struct, values::nested_structs());
  caller.call("test_struct_sequence", &Stub::test_struct_sequence, values::struct_sequences());

  caller.call("test_long", &Stub::test_long, values::longs());
  caller.call("test_longlong", &Stub::test_longlong, values::longlongs());
  caller.call("test_ushort", &Stub::test_ushort, values::ushorts());
  caller.call("test_ulong", &Stub::test_ulong, values::ulongs());
  caller.call("test_ulonglong", &Stub::test_ulonglong, values::ulonglongs());
  caller.call("test_float", &Stub::test_float, values::floats());
  caller.call("test_double", &Stub::test_double, values::doubles());
  caller.call("test_char", &Stub::test_char, values::chars());
  caller.call("test_boolean", &Stub::test_boolean, values::booleans());
  caller.call("test_octet", &Stub::test_octet, values::octets());
  caller.call("test_enum", &Stub::test_enum, values::colors());
  caller.call("test_long_string", &Stub::test_long_string, values::long_strings());

  caller.call("test_bounded_string", &Stub::test_bounded_string, values::bounded_strings());
  caller.call("test_bounded_sequence", &Stub::test_bounded_sequence, values::bounded_sequences());

  caller.call("test_octet_seq", &Stub::test_octet_seq, values::sequences<Param_Test::OctetSeq>(values::octets()));
  caller.call("test_char_seq", &Stub::test_char_seq, values::sequences<Param_Test::CharSeq>(values::chars()));
  caller.call("test_boolean_seq", &Stub::test_boolean_seq,
              values::sequences<Param_Test::BooleanSeq>(values::booleans()));
  caller.call("test_short_seq", &Stub::test_short_seq, values::sequences<Param_Test::ShortSeq>(values::shorts()));
  caller.call("test_long_seq", &Stub::test_long_seq, values::long_sequences());
  caller.call("test_longlong_seq", &Stub::test_longlong_seq,
              values::sequences<Param_Test::LongLongSeq>(values::longlongs()));
  caller.call("test_float_seq", &Stub::test_float_seq, values::sequences<Param_Test::FloatSeq>(values::floats()));
  caller.call("test_double_seq", &Stub::test_double_seq, values::sequences<Param_Test::DoubleSeq>(values::doubles()));
  caller.call("test_enum_seq", &Stub::test_enum_seq, values::sequences<Param_Test::ColorSeq>(values::colors()));
  caller.call("test_fixed_struct_seq", &Stub::test_fixed_struct_seq,
              values::sequences<Param_Test::Fixed_StructSeq>(values::fixed_structs()));
  caller.call("test_nested_seq", &Stub::test_nested_seq, values::nested_sequences());

  caller.call("test_array", &Stub::test_array, &Param_Test::Long_Array_free, values::long_arrays());
  caller.call("test_array_2d", &Stub::test_array_2d, &Param_Test::Short_Grid_free, values::short_grids());
  caller.call("test_string_array", &Stub::test_string_array, &Param_Test::Str_Array_free, values::string_arrays());

  // The servant must notice values that the rule does not allow.
  report.run("refused_value", [&] {
    expect_bad_param(values::refused_minor, CORBA::COMPLETED_NO, [&] {
      CORBA::Short s2 = 1, s3;
      target->test_short(2, s2, s3);
    });
    expect_bad_param(values::refused_minor, CORBA::COMPLETED_NO, [&] {
      CORBA::String_var s2 = CORBA::string_dup("b"), s3;
      CORBA::String_var result = target->test_unbounded_string("", s2.inout(), s3.out());
    });
  });
}

void check_references(Param_Test_ptr target, Report& report) {
  report.run("is_a", [&] {
    expect(target->_is_a("IDL:taut.test/interop/Param_Test:1.0"), "not its own type");
    expect(target->_is_a("IDL:omg.org/CORBA/Object:1.0"), "not an Object");
    expect(!target->_is_a("IDL:taut.test/interop/Callback:1.0"), "of a type that it does not have");
  });
  report.run("non_existent", [&] { expect(!target->_non_existent(), "the object does not exist"); });
  report.run("test_objref", [&] {
    Param_Test_var s2 = Param_Test::_nil(), s3;
    Param_Test_var result = target->test_objref(target, s2.inout(), s3.out());
    expect(!CORBA::is_nil(result) && result->_is_equivalent(target), "wrong result for value 0");
    expect(CORBA::is_nil(s3), "wrong s3 for value 0");
    expect(!CORBA::is_nil(s2) && s2->_is_equivalent(target), "wrong s2 for value 0");
    CORBA::String_var greeting = s2->greeting();
    expect(values::equal(greeting.in(), values::greeting()), "a call on s2 failed");

    s2 = Param_Test::_duplicate(target);
    result = target->test_objref(Param_Test::_nil(), s2.inout(), s3.out());
    expect(CORBA::is_nil(result), "wrong result for value 1");
    expect(!CORBA::is_nil(s3) && s3->_is_equivalent(target), "wrong s3 for value 1");
    expect(CORBA::is_nil(s2), "wrong s2 for value 1");
  });
}

void check_attributes(Param_Test_ptr target, Report& report) {
  report.run("greeting", [&] {
    CORBA::String_var greeting = target->greeting();
    expect(values::equal(greeting.in(), values::greeting()), "wrong value");
  });
  report.run("level", [&] {
    for (CORBA::Long value : values::longs()) {
      target->level(value);
      expect(target->level() == value, "wrong value after " + std::to_string(value));
    }
    target->level(0);
  });
}

void check_exceptions(Param_Test_ptr target, Report& report) {
  report.run("raise_user", [&] {
    target->raise_user(0);
    bool raised = false;
    try {
      target->raise_user(1);
    } catch (const Param_Test::A& a) {
      raised = true;
      expect(a.code == values::longs()[4] && a.shade == Param_Test::blue, "wrong members of A");
    }
    expect(raised, "no A was raised");
    raised = false;
    try {
      target->raise_user(2);
    } catch (const Param_Test::B& b) {
      raised = true;
      expect(values::equal(b.why, values::latin1().c_str()) && values::equal(b.details, values::long_sequences()[2]),
             "wrong members of B");
    }
    expect(raised, "no B was raised");
    raised = false;
    try {
      target->raise_user(3);
    } catch (const Param_Test::Bare&) {
      raised = true;
    }
    expect(raised, "no Bare was raised");
    expect_bad_param(values::refused_minor, CORBA::COMPLETED_NO, [&] { target->raise_user(4); });
  });
  report.run("raise_system",
             [&] { expect_bad_param(42, CORBA::COMPLETED_YES, [&] { target->raise_system(); }); });
}

void check_one_way(Param_Test_ptr target, Report& report) {
  report.run("notify", [&] {
    const CORBA::ULong before = target->notified();
    target->notify("not counted");
    for (const char* message : values::strings()) target->notify(message);
    const CORBA::ULong sent = static_cast<CORBA::ULong>(values::strings().size());
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    CORBA::ULong arrived = 0;
    while ((arrived = target->notified() - before) < sent && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    expect(arrived == sent, std::to_string(arrived) + " messages were counted instead of " + std::to_string(sent));
  });
}

void check_nested_calls(Param_Test_ptr target, Report& report) {
  report.run("call_back", [&] {
    PortableServer::Servant_var<CallbackServant> servant(new CallbackServant(target));
    interop::Callback_var callback = servant->_this();
    for (CORBA::Long n : {0, 1, 3}) {
      const CORBA::Long result = target->call_back(callback, n);
      expect(result == 2 * n + 1, "wrong result " + std::to_string(result) + " for " + std::to_string(n));
    }
    expect_bad_param(values::refused_minor, CORBA::COMPLETED_NO,
                     [&] { target->call_back(interop::Callback::_nil(), 0); });
    expect_bad_param(values::refused_minor, CORBA::COMPLETED_NO, [&] { target->call_back(callback, -1); });
  });
}

void check_large_messages(Param_Test_ptr target, Report& report) {
  report.run("echo", [&] {
    for (CORBA::ULong length : {1u << 20, 15u << 20}) {
      Param_Test::OctetSeq data;
      data.length(length);
      for (CORBA::ULong i = 0; i < length; ++i) data[i] = static_cast<CORBA::Octet>(i % 251);
      const Param_Test::OctetSeq_var result = target->echo(data);
      expect(result->length() == length &&
                 std::memcmp(result->get_buffer(), std::as_const(data).get_buffer(), length) == 0,
             "wrong result of " + std::to_string(length) + " octets");
    }
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
      std::cerr << "usage: param_client [--shutdown] REFERENCE [ORB options]" << std::endl;
      return 2;
    }
    CORBA::Object_var object = orb.get()->string_to_object(arguments.front().c_str());
    Param_Test_var target = Param_Test::_narrow(object);
    if (CORBA::is_nil(target)) {
      std::cerr << "param_client: the reference is nil or not of a Param_Test" << std::endl;
      return 1;
    }
    Report report;
    check_values(target, report);
    check_references(target, report);
    check_attributes(target, report);
    check_exceptions(target, report);
    check_one_way(target, report);
    check_nested_calls(target, report);
    check_large_messages(target, report);
    if (shutdown) peers::check_shutdown(target.in(), report);
    return report.failed() ? 1 : 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "param_client: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
