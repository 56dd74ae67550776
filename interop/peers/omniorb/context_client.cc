// Calls context_test::Shell::seen with the properties that the command line
// gives, and prints what it returns, one a line.
//
//     context_client REFERENCE PREFIX [NAME=VALUE ...] [ORB options]

#include "orb.h"
#include "context_test.hh"

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    if (orb.rest().size() < 2) {
      std::cerr << "usage: context_client REFERENCE PREFIX [NAME=VALUE ...] [ORB options]" << std::endl;
      return 2;
    }
    CORBA::Object_var object = orb.get()->string_to_object(orb.rest()[0].c_str());
    context_test::Shell_var target = context_test::Shell::_narrow(object);
    if (CORBA::is_nil(target)) {
      std::cerr << "context_client: the reference is nil or not of a Shell" << std::endl;
      return 1;
    }
    CORBA::Context_var context;
    orb.get()->get_default_context(context.out());
    for (std::size_t i = 2; i < orb.rest().size(); ++i) {
      const std::string& property = orb.rest()[i];
      const std::size_t middle = property.find('=');
      if (middle == std::string::npos) {
        std::cerr << "context_client: expected NAME=VALUE, found: " << property << std::endl;
        return 2;
      }
      CORBA::Any value;
      value <<= property.substr(middle + 1).c_str();
      context->set_one_value(property.substr(0, middle).c_str(), value);
    }
    context_test::Properties_var seen = target->seen(orb.rest()[1].c_str(), context);
    for (CORBA::ULong i = 0; i < seen->length(); ++i) std::cout << seen[i].in() << std::endl;
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "context_client: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
