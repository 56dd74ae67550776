// The servant of table::Target by the dynamic skeleton interface, for the operations that
// bench/src/dii/row.rs has.
//
//     table_dynamic_server [--receive-buffer OCTETS] [ORB options]
//
// Prints its reference as the first line. Ends when standard input is closed.

#include "orb.h"
#include "table.hh"
#include "table_values.h"

#include <map>

namespace {

class Target : public PortableServer::DynamicImplementation {
public:
  explicit Target(CORBA::ORB_ptr orb) : orb_(orb) {
    types_["cube_long"] = CORBA::_tc_long;
    types_["echo_string"] = CORBA::_tc_string;
    for (const std::string prefix : {"echo_", "flood_"}) {
      types_[prefix + "octets"] = table::_tc_OctetSeq;
      types_[prefix + "chars"] = table::_tc_CharSeq;
      types_[prefix + "shorts"] = table::_tc_ShortSeq;
      types_[prefix + "longs"] = table::_tc_LongSeq;
      types_[prefix + "doubles"] = table::_tc_DoubleSeq;
      types_[prefix + "structs"] = table::_tc_StructSeq;
    }
  }

  void invoke(CORBA::ServerRequest_ptr request) override {
    const std::string operation = request->operation();
    CORBA::NVList_ptr arguments;
    orb_->create_list(0, arguments);
    const auto type = types_.find(operation);
    if (type != types_.end()) {
      CORBA::Any value;
      value.replace(type->second, static_cast<void*>(nullptr));
      arguments->add_value("values", value, CORBA::ARG_IN);
    } else if (operation != "nothing") {
      throw CORBA::BAD_OPERATION();
    }
    request->arguments(arguments);
    if (type == types_.end() || operation.compare(0, 6, "flood_") == 0) return;
    const CORBA::Any& value = *arguments->item(0)->value();
    CORBA::Long number = 0;
    if (operation == "cube_long" && (value >>= number)) {
      CORBA::Any cube;
      cube <<= peers::cubed(number);
      request->set_result(cube);
    } else {
      request->set_result(value);
    }
  }

  char* _primary_interface(const PortableServer::ObjectId&, PortableServer::POA_ptr) override {
    return CORBA::string_dup(table::Target::_PD_repoId);
  }

private:
  CORBA::ORB_ptr orb_;
  std::map<std::string, CORBA::TypeCode_ptr> types_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    if (orb.rest().size() == 2 && orb.rest().front() == "--receive-buffer") {
      orb.set_receive_buffer(std::atoi(orb.rest().back().c_str()));
    } else if (!orb.rest().empty()) {
      std::cerr << "table_dynamic_server: unexpected argument " << orb.rest().front() << std::endl;
      return 2;
    }
    CORBA::Object_var root = orb.get()->resolve_initial_references("RootPOA");
    PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
    Target servant(orb.get());
    PortableServer::ObjectId_var id = poa->activate_object(&servant);
    CORBA::Object_var reference = poa->id_to_reference(id);
    orb.serve(reference);
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "table_dynamic_server: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
