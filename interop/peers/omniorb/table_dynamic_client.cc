// Times calls of table::Target by the dynamic invocation interface.
//
//     table_dynamic_client REFERENCE [ORB options]
//
// As table_client, for the kinds that bench/src/dii/row.rs has. omniORB's requests can be invoked
// once: each call makes its own.

#include "orb.h"
#include "table.hh"
#include "table_values.h"
#include "timing.h"

#include <functional>
#include <sstream>

namespace {

CORBA::Octet step(CORBA::ULong place) { return static_cast<CORBA::Octet>(' ' + place % 95); }

template <class Element>
Element element(CORBA::ULong place) {
  return static_cast<Element>(step(place));
}

template <>
table::BinStruct element(CORBA::ULong place) {
  table::BinStruct value;
  value.s = step(place);
  value.c = static_cast<CORBA::Char>(step(place));
  value.l = step(place);
  value.o = step(place);
  value.d = step(place);
  return value;
}

// Raises what the call ended with.
void check(CORBA::Request_ptr request) {
  if (CORBA::Exception* exception = request->env()->exception()) exception->_raise();
}

void call_nothing(CORBA::Object_ptr target) {
  CORBA::Request_var request = target->_request("nothing");
  request->invoke();
  check(request);
}

class Calls : public peers::Plain {
public:
  explicit Calls(CORBA::Object_ptr target) : target_(target), call_([target] { call_nothing(target); }) {}

  bool select(const std::string& words) {
    std::istringstream input(words);
    std::string kind, what;
    CORBA::ULong number = 0, messages = 0;
    input >> kind >> what >> number >> messages;
    CORBA::Object_ptr target = target_;
    if (kind == "void") {
      call_ = [target] { call_nothing(target); };
      return true;
    }
    if (kind == "cube" && what == "long") return select_cube();
    if (kind == "string") return select_string();
    if (kind != "echo" && kind != "flood") return false;
    if (what == "octet") return select_sequence<table::OctetSeq, CORBA::Octet>("octets", table::_tc_OctetSeq, number, messages);
    if (what == "char") return select_sequence<table::CharSeq, CORBA::Char>("chars", table::_tc_CharSeq, number, messages);
    if (what == "short") return select_sequence<table::ShortSeq, CORBA::Short>("shorts", table::_tc_ShortSeq, number, messages);
    if (what == "long") return select_sequence<table::LongSeq, CORBA::Long>("longs", table::_tc_LongSeq, number, messages);
    if (what == "double") return select_sequence<table::DoubleSeq, CORBA::Double>("doubles", table::_tc_DoubleSeq, number, messages);
    if (what == "struct") return select_sequence<table::StructSeq, table::BinStruct>("structs", table::_tc_StructSeq, number, messages);
    return false;
  }

  void operator()() { call_(); }

private:
  bool select_cube() {
    CORBA::Object_ptr target = target_;
    const auto cube = [target] {
      CORBA::Request_var request = target->_request("cube_long");
      request->add_in_arg("l") <<= CORBA::Long(1'291);
      request->set_return_type(CORBA::_tc_long);
      request->invoke();
      check(request);
      CORBA::Long cube = 0;
      request->return_value() >>= cube;
      return cube;
    };
    call_ = [cube] { cube(); };
    return cube() == peers::cubed(CORBA::Long(1'291));
  }

  bool select_string() {
    CORBA::Object_ptr target = target_;
    const std::string text(100, 'x');
    const auto echo = [target, text] {
      CORBA::Request_var request = target->_request("echo_string");
      request->add_in_arg("text") <<= text.c_str();
      request->set_return_type(CORBA::_tc_string);
      request->invoke();
      check(request);
      const char* back = "";
      request->return_value() >>= back;
      return text == back;
    };
    call_ = [echo] { echo(); };
    return echo();
  }

  template <class Sequence, class Element>
  bool select_sequence(const std::string& plural, CORBA::TypeCode_ptr type, CORBA::ULong octets,
                       CORBA::ULong messages) {
    CORBA::Object_ptr target = target_;
    Sequence values;
    values.length(octets / sizeof(Element));
    for (CORBA::ULong i = 0; i < values.length(); ++i) values[i] = element<Element>(i);
    const std::string echo = "echo_" + plural, flood = "flood_" + plural;
    const auto returned = [=] {
      CORBA::Request_var request = target->_request(echo.c_str());
      request->add_in_arg("values") <<= values;
      request->set_return_type(type);
      request->invoke();
      check(request);
      const Sequence* back = nullptr;
      return (request->return_value() >>= back) && back->length() == values.length();
    };
    if (messages == 0)
      call_ = [returned] { returned(); };
    else
      call_ = [=] {
        for (CORBA::ULong sent = 0; sent < messages; ++sent) {
          CORBA::Request_var request = target->_request(flood.c_str());
          request->add_in_arg("values") <<= values;
          request->send_oneway();
        }
        call_nothing(target);
      };
    return returned();
  }

  CORBA::Object_ptr target_;
  std::function<void()> call_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    if (orb.rest().size() != 1) {
      std::cerr << "usage: table_dynamic_client REFERENCE [ORB options]" << std::endl;
      return 2;
    }
    CORBA::Object_var object = orb.get()->string_to_object(orb.rest().front().c_str());
    if (CORBA::is_nil(object)) {
      std::cerr << "table_dynamic_client: the reference is nil" << std::endl;
      return 1;
    }
    Calls calls(object);
    return peers::answer_requests("table_dynamic_client", calls) ? 0 : 2;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "table_dynamic_client: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
