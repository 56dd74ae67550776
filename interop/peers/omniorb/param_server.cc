// The servant of Param_Test as param_test.idl describes it.
//
//     param_server [--key KEY] [ORB options]
//
// Prints its reference as the first line. Ends when `shutdown` is called or
// when standard input is closed. With --key, KEY is the whole object key, so
// that a reference also leads to the object of the next server on the port.

#include "orb.h"
#include "values.h"

#include <atomic>

namespace {

using interop::Callback_ptr;
using interop::Param_Test_ptr;
using values::Table;

// The interface as the scope of its types; inside the servant its own name
// means the skeleton.
using Types = interop::Param_Test;

[[noreturn]] void refuse() { throw CORBA::BAD_PARAM(values::refused_minor, CORBA::COMPLETED_NO); }

// Refuses the pair unless s2 follows s1 in the table.
template <class T>
void check(const Table<T>& table, const T& s1, const T& s2) {
  for (std::size_t k = 0; k < table.size(); ++k)
    if (values::equal(table[k], s1)) {
      if (values::equal(table[(k + 1) % table.size()], s2)) return;
      break;
    }
  refuse();
}

// The types that C++ returns by value.
template <class T>
T answer(const Table<T>& table, const T& s1, T& s2, T& s3) {
  check(table, s1, s2);
  s3 = s2;
  values::turn(s2);
  return s1;
}

// The types that C++ returns on the heap.
template <class T, class Out>
T* answer_new(const Table<T>& table, const T& s1, T& s2, Out s3) {
  check(table, s1, s2);
  s3 = new T(s2);
  values::turn(s2);
  return new T(s1);
}

template <class Out>
char* answer_string(const Table<const char*>& table, const char* s1, char* s2, Out s3) {
  check<const char*>(table, s1, s2);
  s3 = CORBA::string_dup(s2);
  values::turn(s2);
  return CORBA::string_dup(s1);
}

// Arrays; `result` and `s3` are memory of the array's size.
template <class Item, std::size_t N>
Item* answer_array(const Table<values::Array<Item, N>>& table, const Item* s1, Item* s2, Item* s3,
                   Item* result) {
  values::Array<Item, N> in, inout;
  values::load(in, s1);
  values::load(inout, s2);
  check(table, in, inout);
  values::store(in, result);
  values::store(inout, s3);
  values::turn(inout);
  values::store(inout, s2);
  return result;
}

class ParamTestServant : public POA_interop::Param_Test {
public:
  explicit ParamTestServant(CORBA::ORB_ptr orb) : orb_(CORBA::ORB::_duplicate(orb)) {}

  // ---- The operations of the papers

  CORBA::Short test_short(CORBA::Short s1, CORBA::Short& s2, CORBA::Short& s3) override {
    return answer(values::shorts(), s1, s2, s3);
  }
  char* test_unbounded_string(const char* s1, char*& s2, CORBA::String_out s3) override {
    return answer_string(values::strings(), s1, s2, s3);
  }
  Types::Fixed_Struct test_fixed_struct(const Types::Fixed_Struct& s1, Types::Fixed_Struct& s2,
                                        Types::Fixed_Struct& s3) override {
    return answer(values::fixed_structs(), s1, s2, s3);
  }
  Types::StrSeq* test_strseq(const Types::StrSeq& s1, Types::StrSeq& s2, Types::StrSeq_out s3) override {
    return answer_new(values::string_sequences(), s1, s2, s3);
  }
  Types::Var_Struct* test_var_struct(const Types::Var_Struct& s1, Types::Var_Struct& s2,
                                     Types::Var_Struct_out s3) override {
    return answer_new(values::var_structs(), s1, s2, s3);
  }
  Types::Nested_Struct* test_nested_struct(const Types::Nested_Struct& s1, Types::Nested_Struct& s2,
                                           Types::Nested_Struct_out s3) override {
    return answer_new(values::nested_structs(), s1, s2, s3);
  }
  Types::StructSeq* test_struct_sequence(const Types::StructSeq& s1, Types::StructSeq& s2,
                                         Types::StructSeq_out s3) override {
    return answer_new(values::struct_sequences(), s1, s2, s3);
  }

  // ---- The other basic types

  CORBA::Long test_long(CORBA::Long s1, CORBA::Long& s2, CORBA::Long& s3) override {
    return answer(values::longs(), s1, s2, s3);
  }
  CORBA::LongLong test_longlong(CORBA::LongLong s1, CORBA::LongLong& s2, CORBA::LongLong& s3) override {
    return answer(values::longlongs(), s1, s2, s3);
  }
  CORBA::UShort test_ushort(CORBA::UShort s1, CORBA::UShort& s2, CORBA::UShort& s3) override {
    return answer(values::ushorts(), s1, s2, s3);
  }
  CORBA::ULong test_ulong(CORBA::ULong s1, CORBA::ULong& s2, CORBA::ULong& s3) override {
    return answer(values::ulongs(), s1, s2, s3);
  }
  CORBA::ULongLong test_ulonglong(CORBA::ULongLong s1, CORBA::ULongLong& s2, CORBA::ULongLong& s3) override {
    return answer(values::ulonglongs(), s1, s2, s3);
  }
  CORBA::Float test_float(CORBA::Float s1, CORBA::Float& s2, CORBA::Float& s3) override {
    return answer(values::floats(), s1, s2, s3);
  }
  CORBA::Double test_double(CORBA::Double s1, CORBA::Double& s2, CORBA::Double& s3) override {
    return answer(values::doubles(), s1, s2, s3);
  }
  CORBA::Char test_char(CORBA::Char s1, CORBA::Char& s2, CORBA::Char& s3) override {
    return answer(values::chars(), s1, s2, s3);
  }
  CORBA::Boolean test_boolean(CORBA::Boolean s1, CORBA::Boolean& s2, CORBA::Boolean& s3) override {
    return answer(values::booleans(), s1, s2, s3);
  }
  CORBA::Octet test_octet(CORBA::Octet s1, CORBA::Octet& s2, CORBA::Octet& s3) override {
    return answer(values::octets(), s1, s2, s3);
  }
  Types::Color test_enum(Types::Color s1, Types::Color& s2, Types::Color& s3) override {
    return answer(values::colors(), s1, s2, s3);
  }
  char* test_long_string(const char* s1, char*& s2, CORBA::String_out s3) override {
    return answer_string(values::long_strings(), s1, s2, s3);
  }

  // ---- Bounded types

  char* test_bounded_string(const char* s1, char*& s2, Types::Bounded_String_out s3) override {
    return answer_string(values::bounded_strings(), s1, s2, s3);
  }
  Types::Bounded_LongSeq* test_bounded_sequence(const Types::Bounded_LongSeq& s1, Types::Bounded_LongSeq& s2,
                                         Types::Bounded_LongSeq_out s3) override {
    return answer_new(values::bounded_sequences(), s1, s2, s3);
  }

  // ---- Sequences

  Types::OctetSeq* test_octet_seq(const Types::OctetSeq& s1, Types::OctetSeq& s2,
                                  Types::OctetSeq_out s3) override {
    return answer_new(values::sequences<Types::OctetSeq>(values::octets()), s1, s2, s3);
  }
  Types::CharSeq* test_char_seq(const Types::CharSeq& s1, Types::CharSeq& s2,
                                Types::CharSeq_out s3) override {
    return answer_new(values::sequences<Types::CharSeq>(values::chars()), s1, s2, s3);
  }
  Types::BooleanSeq* test_boolean_seq(const Types::BooleanSeq& s1, Types::BooleanSeq& s2,
                                      Types::BooleanSeq_out s3) override {
    return answer_new(values::sequences<Types::BooleanSeq>(values::booleans()), s1, s2, s3);
  }
  Types::ShortSeq* test_short_seq(const Types::ShortSeq& s1, Types::ShortSeq& s2,
                                  Types::ShortSeq_out s3) override {
    return answer_new(values::sequences<Types::ShortSeq>(values::shorts()), s1, s2, s3);
  }
  Types::LongSeq* test_long_seq(const Types::LongSeq& s1, Types::LongSeq& s2,
                                Types::LongSeq_out s3) override {
    return answer_new(values::long_sequences(), s1, s2, s3);
  }
  Types::LongLongSeq* test_longlong_seq(const Types::LongLongSeq& s1, Types::LongLongSeq& s2,
                                        Types::LongLongSeq_out s3) override {
    return answer_new(values::sequences<Types::LongLongSeq>(values::longlongs()), s1, s2, s3);
  }
  Types::FloatSeq* test_float_seq(const Types::FloatSeq& s1, Types::FloatSeq& s2,
                                  Types::FloatSeq_out s3) override {
    return answer_new(values::sequences<Types::FloatSeq>(values::floats()), s1, s2, s3);
  }
  Types::DoubleSeq* test_double_seq(const Types::DoubleSeq& s1, Types::DoubleSeq& s2,
                                    Types::DoubleSeq_out s3) override {
    return answer_new(values::sequences<Types::DoubleSeq>(values::doubles()), s1, s2, s3);
  }
  Types::ColorSeq* test_enum_seq(const Types::ColorSeq& s1, Types::ColorSeq& s2,
                                 Types::ColorSeq_out s3) override {
    return answer_new(values::sequences<Types::ColorSeq>(values::colors()), s1, s2, s3);
  }
  Types::Fixed_StructSeq* test_fixed_struct_seq(const Types::Fixed_StructSeq& s1, Types::Fixed_StructSeq& s2,
                                         Types::Fixed_StructSeq_out s3) override {
    return answer_new(
        values::sequences<Types::Fixed_StructSeq>(values::fixed_structs()), s1, s2, s3);
  }
  Types::LongSeqSeq* test_nested_seq(const Types::LongSeqSeq& s1, Types::LongSeqSeq& s2,
                                     Types::LongSeqSeq_out s3) override {
    return answer_new(values::nested_sequences(), s1, s2, s3);
  }

  // ---- Arrays

  Types::Long_Array_slice* test_array(const Types::Long_Array s1, Types::Long_Array s2,
                                      Types::Long_Array s3) override {
    Types::Long_Array_var result = Types::Long_Array_alloc();
    answer_array(values::long_arrays(), s1, s2, s3, result.inout());
    return result._retn();
  }
  Types::Short_Grid_slice* test_array_2d(const Types::Short_Grid s1, Types::Short_Grid s2,
                                         Types::Short_Grid s3) override {
    Types::Short_Grid_var result = Types::Short_Grid_alloc();
    answer_array(values::short_grids(), s1, s2, s3, result.inout());
    return result._retn();
  }
  Types::Str_Array_slice* test_string_array(const Types::Str_Array s1, Types::Str_Array s2,
                                            Types::Str_Array_out s3) override {
    Types::Str_Array_var result = Types::Str_Array_alloc();
    Types::Str_Array_var out = Types::Str_Array_alloc();
    answer_array(values::string_arrays(), s1, s2, out.inout(), result.inout());
    s3 = out._retn();
    return result._retn();
  }

  // ---- Object references

  Param_Test_ptr test_objref(Param_Test_ptr s1, Param_Test_ptr& s2, interop::Param_Test_out s3) override {
    interop::Param_Test_var own = _this();
    const bool first = CORBA::is_nil(s2) && !CORBA::is_nil(s1) && s1->_is_equivalent(own);
    const bool second = CORBA::is_nil(s1) && !CORBA::is_nil(s2) && s2->_is_equivalent(own);
    if (!first && !second) refuse();
    s3 = s2;  // gives the servant's part in s2 away
    s2 = first ? own._retn() : Types::_nil();
    return Types::_duplicate(s1);
  }

  // ---- Attributes

  char* greeting() override { return CORBA::string_dup(values::greeting()); }
  CORBA::Long level() override { return level_; }
  void level(CORBA::Long value) override { level_ = value; }

  // ---- Exceptions

  void raise_user(CORBA::ULong which) override {
    switch (which) {
      case 0: return;
      case 1: throw Types::A(values::longs()[4], Types::blue);
      case 2: throw Types::B(values::latin1().c_str(), values::long_sequences()[2]);
      case 3: throw Types::Bare();
      default: refuse();
    }
  }
  void raise_system() override { throw CORBA::BAD_PARAM(42, CORBA::COMPLETED_YES); }

  // ---- One-way operations

  void notify(const char* message) override {
    for (const char* known : values::strings())
      if (values::equal(known, message)) {
        ++notified_;
        return;
      }
  }
  CORBA::ULong notified() override { return notified_; }

  // ---- Nested calls

  CORBA::Long call_back(Callback_ptr c, CORBA::Long n) override {
    if (CORBA::is_nil(c) || n < 0) refuse();
    return 1 + c->call(n);
  }

  // ---- Large messages

  Types::OctetSeq* echo(const Types::OctetSeq& data) override { return new Types::OctetSeq(data); }

  void shutdown() override { orb_->shutdown(false); }

private:
  CORBA::ORB_var orb_;
  std::atomic<CORBA::Long> level_{0};
  std::atomic<CORBA::ULong> notified_{0};
};

// Activates the servant where object ids are whole object keys.
Param_Test_ptr activate_with_key(CORBA::ORB_ptr orb, ParamTestServant* servant, const char* key) {
  CORBA::Object_var object = orb->resolve_initial_references("omniINSPOA");
  PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
  PortableServer::POAManager_var manager = poa->the_POAManager();
  manager->activate();
  PortableServer::ObjectId_var id = PortableServer::string_to_ObjectId(key);
  poa->activate_object_with_id(id, servant);
  object = poa->id_to_reference(id);
  return Types::_narrow(object);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    const std::vector<std::string>& arguments = orb.rest();
    const bool has_key = arguments.size() == 2 && arguments.front() == "--key";
    if (!arguments.empty() && !has_key) {
      std::cerr << "usage: param_server [--key KEY] [ORB options]" << std::endl;
      return 2;
    }
    PortableServer::Servant_var<ParamTestServant> servant(new ParamTestServant(orb.get()));
    interop::Param_Test_var reference =
        has_key ? activate_with_key(orb.get(), servant, arguments.back().c_str()) : servant->_this();
    orb.serve(reference);
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "param_server: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
