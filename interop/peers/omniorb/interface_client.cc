// Asks an object for its interface, and an interface repository for what it has and to make
// something new; prints what they say, one fact a line.
//
//     interface_client OBJECT REPOSITORY [ORB options]

// Without it omniORB declares nothing of interface repositories.
#define ENABLE_CLIENT_IR_SUPPORT

#include "orb.h"

namespace {

const char* const kModes[] = {"in", "out", "inout"};

int kind_of(CORBA::TypeCode_ptr type) { return static_cast<int>(type->kind()); }

void print(const CORBA::InterfaceDef::FullInterfaceDescription& full) {
  std::cout << "interface " << full.name.in() << " " << full.id.in() << " " << full.version.in()
            << " " << kind_of(full.type) << std::endl;
  for (CORBA::ULong i = 0; i < full.base_interfaces.length(); ++i)
    std::cout << "base " << full.base_interfaces[i].in() << std::endl;
  for (CORBA::ULong i = 0; i < full.operations.length(); ++i) {
    const CORBA::OperationDescription& one = full.operations[i];
    std::cout << "operation " << (one.mode == CORBA::OP_ONEWAY ? "oneway " : "") << kind_of(one.result)
              << " " << one.name.in() << " (";
    for (CORBA::ULong j = 0; j < one.parameters.length(); ++j) {
      const CORBA::ParameterDescription& parameter = one.parameters[j];
      CORBA::TypeCode_var of_definition = parameter.type_def->type();
      const bool same = of_definition->equal(parameter.type);
      std::cout << kModes[parameter.mode] << " " << kind_of(parameter.type) << " "
                << parameter.name.in() << (same ? "," : " DIFFERS,");
    }
    std::cout << ")";
    for (CORBA::ULong j = 0; j < one.exceptions.length(); ++j)
      std::cout << " " << one.exceptions[j].type->id();
    std::cout << std::endl;
  }
  for (CORBA::ULong i = 0; i < full.attributes.length(); ++i) {
    const CORBA::AttributeDescription& one = full.attributes[i];
    std::cout << "attribute " << (one.mode == CORBA::ATTR_READONLY ? "readonly " : "")
              << kind_of(one.type) << " " << one.name.in() << std::endl;
  }
}

// Makes definitions, looks at them, and destroys them.
void change(CORBA::Repository_ptr repository) {
  CORBA::ModuleDef_var module = repository->create_module("IDL:peer/M:1.0", "M", "1.0");
  CORBA::PrimitiveDef_var primitive = repository->get_primitive(CORBA::pk_long);
  CORBA::StructMemberSeq members;
  members.length(1);
  members[0].name = CORBA::string_dup("x");
  members[0].type = CORBA::TypeCode::_duplicate(CORBA::_tc_void);
  members[0].type_def = CORBA::PrimitiveDef::_duplicate(primitive);
  CORBA::StructDef_var point = module->create_struct("IDL:peer/M/P:1.0", "P", "1.0", members);
  CORBA::SequenceDef_var points = repository->create_sequence(3, point);
  CORBA::AliasDef_var alias = module->create_alias("IDL:peer/M/Ps:1.0", "Ps", "1.0", points);
  CORBA::TypeCode_var type = alias->type();
  CORBA::TypeCode_var sequence = type->content_type();
  CORBA::TypeCode_var element = sequence->content_type();
  std::cout << "made " << type->id() << " " << sequence->length() << " " << element->id() << " "
            << element->member_name(0) << std::endl;
  CORBA::String_var name = alias->absolute_name();
  std::cout << "named " << name.in() << std::endl;
  CORBA::Contained_var found = repository->lookup("::M::P");
  CORBA::Contained::Description_var description = found->describe();
  const CORBA::TypeDescription* described;
  if (description->value >>= described)
    std::cout << "described " << description->kind << " " << described->id.in() << " in "
              << described->defined_in.in() << std::endl;
  try {
    CORBA::ModuleDef_var twice = repository->create_module("IDL:peer/M:1.0", "N", "1.0");
  } catch (const CORBA::SystemException& exception) {
    std::cout << "refused " << exception._name() << " " << (exception.minor() & 0xfff) << std::endl;
  }
  module->destroy();
  found = repository->lookup("::M");
  std::cout << "destroyed " << (CORBA::is_nil(found) ? "all" : "nothing") << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    if (orb.rest().size() != 2) {
      std::cerr << "usage: interface_client OBJECT REPOSITORY [ORB options]" << std::endl;
      return 2;
    }
    CORBA::Object_var object = orb.get()->string_to_object(orb.rest()[0].c_str());
    CORBA::InterfaceDef_var interface = object->_get_interface();
    CORBA::InterfaceDef::FullInterfaceDescription_var full = interface->describe_interface();
    print(full);

    object = orb.get()->string_to_object(orb.rest()[1].c_str());
    CORBA::Repository_var repository = CORBA::Repository::_narrow(object);
    CORBA::Contained_var found = repository->lookup_id(full->id);
    CORBA::InterfaceDef_var same = CORBA::InterfaceDef::_narrow(found);
    if (CORBA::is_nil(same)) {
      std::cerr << "interface_client: the repository has no " << full->id.in() << std::endl;
      return 1;
    }
    full = same->describe_interface();
    std::cout << "found " << full->id.in() << " " << full->operations.length() << std::endl;
    change(repository);
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "interface_client: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
