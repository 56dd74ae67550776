// The servant of Construct_Test as construct_test.idl describes it.
//
//     construct_server [ORB options]
//
// Prints its reference as the first line. Ends when `shutdown` is called or
// when standard input is closed.

#include "construct_values.h"
#include "orb.h"

namespace {

using values::Slice;
using values::Table;
using values::Types;
using values::WString;

[[noreturn]] void refuse() { throw CORBA::BAD_PARAM(values::refused_minor, CORBA::COMPLETED_NO); }

// The value that s2 is given; refuses the pair unless it follows s1 in the table.
template <class T>
const T& turned(const Table<T>& table, const T& s1, const T& s2) {
  const T* expected = values::next(table, s1);
  if (!expected || !values::equal(*expected, s2)) refuse();
  return *values::next(table, s2);
}

// The types that C++ returns by value.
template <class T>
T answer(const Table<T>& table, const T& s1, T& s2, T& s3) {
  const T& after = turned(table, s1, s2);
  s3 = s2;
  s2 = after;
  return values::copy(s1);
}

// The types that C++ returns on the heap.
template <class T, class Out>
T* answer_new(const Table<T>& table, const T& s1, T& s2, Out s3) {
  const T& after = turned(table, s1, s2);
  s3 = new T(s2);
  s2 = after;
  return new T(s1);
}

template <class Out>
CORBA::WChar* answer_wide(const Table<WString>& table, const CORBA::WChar* s1, CORBA::WChar*& s2, Out s3) {
  const WString& after = turned(table, WString(s1), WString(s2));
  s3 = s2;  // gives the servant's part in s2 away
  s2 = CORBA::wstring_dup(after.c_str());
  return CORBA::wstring_dup(s1);
}

values::Cube cube(const Slice* slice) {
  values::Cube made;
  Types::Point_Cube_copy(made.items, slice);
  return made;
}

class ConstructTestServant : public POA_constructs::Construct_Test {
public:
  explicit ConstructTestServant(CORBA::ORB_ptr orb) : orb_(CORBA::ORB::_duplicate(orb)), place_(values::p()) {}

  // ---- Unions

  Types::By_Long* test_union_long(const Types::By_Long& s1, Types::By_Long& s2, Types::By_Long_out s3) override {
    return answer_new(values::unions_by_long(), s1, s2, s3);
  }
  Types::By_Short test_union_short(const Types::By_Short& s1, Types::By_Short& s2, Types::By_Short& s3) override {
    return answer(values::unions_by_short(), s1, s2, s3);
  }
  Types::By_UShort* test_union_ushort(const Types::By_UShort& s1, Types::By_UShort& s2,
                                      Types::By_UShort_out s3) override {
    return answer_new(values::unions_by_ushort(), s1, s2, s3);
  }
  Types::By_ULong* test_union_ulong(const Types::By_ULong& s1, Types::By_ULong& s2, Types::By_ULong_out s3) override {
    return answer_new(values::unions_by_ulong(), s1, s2, s3);
  }
  Types::By_LongLong test_union_longlong(const Types::By_LongLong& s1, Types::By_LongLong& s2,
                                         Types::By_LongLong& s3) override {
    return answer(values::unions_by_longlong(), s1, s2, s3);
  }
  Types::By_ULongLong test_union_ulonglong(const Types::By_ULongLong& s1, Types::By_ULongLong& s2,
                                           Types::By_ULongLong& s3) override {
    return answer(values::unions_by_ulonglong(), s1, s2, s3);
  }
  Types::By_Char test_union_char(const Types::By_Char& s1, Types::By_Char& s2, Types::By_Char& s3) override {
    return answer(values::unions_by_char(), s1, s2, s3);
  }
  Types::By_Boolean* test_union_boolean(const Types::By_Boolean& s1, Types::By_Boolean& s2,
                                        Types::By_Boolean_out s3) override {
    return answer_new(values::unions_by_boolean(), s1, s2, s3);
  }
  Types::By_Enum test_union_enum(const Types::By_Enum& s1, Types::By_Enum& s2, Types::By_Enum& s3) override {
    return answer(values::unions_by_enum(), s1, s2, s3);
  }
  Types::By_LongSeq* test_union_seq(const Types::By_LongSeq& s1, Types::By_LongSeq& s2,
                                    Types::By_LongSeq_out s3) override {
    return answer_new(values::sequences_of_unions(), s1, s2, s3);
  }

  // ---- Wide characters and strings

  CORBA::WChar test_wchar(CORBA::WChar s1, CORBA::WChar& s2, CORBA::WChar& s3) override {
    return answer(values::wide_characters(), s1, s2, s3);
  }
  CORBA::WChar* test_wstring(const CORBA::WChar* s1, CORBA::WChar*& s2, CORBA::WString_out s3) override {
    return answer_wide<CORBA::WString_out>(values::wide_strings(), s1, s2, s3);
  }
  CORBA::WChar* test_bounded_wstring(const CORBA::WChar* s1, CORBA::WChar*& s2, CORBA::WString_out s3) override {
    return answer_wide<CORBA::WString_out>(values::brief_wide_strings(), s1, s2, s3);
  }
  Types::WStringSeq* test_wstring_seq(const Types::WStringSeq& s1, Types::WStringSeq& s2,
                                      Types::WStringSeq_out s3) override {
    return answer_new(values::sequences_of_wide_strings(), s1, s2, s3);
  }

  // ---- Decimals and long numbers

  Types::Money test_fixed(const Types::Money& s1, Types::Money& s2, Types::Money& s3) override {
    return answer(values::moneys(), s1, s2, s3);
  }
  Types::Count test_fixed_even(const Types::Count& s1, Types::Count& s2, Types::Count& s3) override {
    return answer(values::counts(), s1, s2, s3);
  }
  CORBA::LongDouble test_longdouble(CORBA::LongDouble s1, CORBA::LongDouble& s2, CORBA::LongDouble& s3) override {
    return answer(values::long_doubles(), s1, s2, s3);
  }

  // ---- Bounds, arrays, nesting

  Types::BriefSeq* test_bounded_nested(const Types::BriefSeq& s1, Types::BriefSeq& s2,
                                       Types::BriefSeq_out s3) override {
    return answer_new(values::brief_sequences(), s1, s2, s3);
  }
  Slice* test_array_3d(const Types::Point_Cube s1, Types::Point_Cube s2, Types::Point_Cube s3) override {
    const values::Cube& after = turned(values::cubes(), cube(s1), cube(s2));
    Types::Point_Cube_copy(s3, s2);
    Types::Point_Cube_copy(s2, after.items);
    return Types::Point_Cube_dup(s1);
  }
  Types::Holder* test_members(const Types::Holder& s1, Types::Holder& s2, Types::Holder_out s3) override {
    return answer_new(values::holders(), s1, s2, s3);
  }

  // ---- Recursion

  Types::Tree* test_recursive_struct(const Types::Tree& s1, Types::Tree& s2, Types::Tree_out s3) override {
    return answer_new(values::trees(), s1, s2, s3);
  }
  Types::Expression* test_recursive_union(const Types::Expression& s1, Types::Expression& s2,
                                          Types::Expression_out s3) override {
    return answer_new(values::expressions(), s1, s2, s3);
  }

  // ---- any and TypeCode

  CORBA::Any* test_any(const CORBA::Any& s1, CORBA::Any& s2, CORBA::Any_OUT_arg s3) override {
    return answer_new<CORBA::Any, CORBA::Any_OUT_arg>(values::anys(), s1, s2, s3);
  }
  CORBA::Any* test_any_constructed(const CORBA::Any& s1, CORBA::Any& s2, CORBA::Any_OUT_arg s3) override {
    return answer_new<CORBA::Any, CORBA::Any_OUT_arg>(values::constructed_anys(), s1, s2, s3);
  }
  CORBA::Any* test_any_nested(const CORBA::Any& s1, CORBA::Any& s2, CORBA::Any_OUT_arg s3) override {
    return answer_new<CORBA::Any, CORBA::Any_OUT_arg>(values::nested_anys(), s1, s2, s3);
  }
  Types::AnySeq* test_any_seq(const Types::AnySeq& s1, Types::AnySeq& s2, Types::AnySeq_out s3) override {
    return answer_new(values::sequences_of_anys(), s1, s2, s3);
  }
  CORBA::TypeCode_ptr test_typecode(CORBA::TypeCode_ptr s1, CORBA::TypeCode_ptr& s2,
                                    CORBA::TypeCode_OUT_arg s3) override {
    const CORBA::TypeCode_var in = CORBA::TypeCode::_duplicate(s1), inout = CORBA::TypeCode::_duplicate(s2);
    const CORBA::TypeCode_var& after = turned(values::type_codes(), in, inout);
    s3 = s2;  // gives the servant's part in s2 away
    s2 = CORBA::TypeCode::_duplicate(after);
    return CORBA::TypeCode::_duplicate(s1);
  }

  // ---- References and exceptions

  CORBA::Object_ptr test_object(CORBA::Object_ptr s1, CORBA::Object_ptr& s2, CORBA::Object_out s3) override {
    constructs::Construct_Test_var own = _this();
    const bool first = CORBA::is_nil(s2) && !CORBA::is_nil(s1) && s1->_is_equivalent(own);
    const bool second = CORBA::is_nil(s1) && !CORBA::is_nil(s2) && s2->_is_equivalent(own);
    if (!first && !second) refuse();
    s3 = s2;  // gives the servant's part in s2 away
    // There are two values: the one after the next is the first.
    s2 = CORBA::Object::_duplicate(s1);
    return CORBA::Object::_duplicate(s1);
  }
  void raise_fault() override { throw values::fault(); }
  values::Point place() override { return place_; }
  void place(const values::Point& value) override { place_ = value; }

  void shutdown() override { orb_->shutdown(false); }

private:
  CORBA::ORB_var orb_;
  values::Point place_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    if (!orb.rest().empty()) {
      std::cerr << "usage: construct_server [ORB options]" << std::endl;
      return 2;
    }
    PortableServer::Servant_var<ConstructTestServant> servant(new ConstructTestServant(orb.get()));
    constructs::Construct_Test_var reference = servant->_this();
    orb.serve(reference);
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "construct_server: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
