// The servant of context_test::Shell.
//
//     context_server [ORB options]
//
// Prints its reference as the first line. Ends when standard input is closed.

#include "orb.h"
#include "context_test.hh"

#include <algorithm>

namespace {

class ShellServant : public POA_context_test::Shell {
public:
  context_test::Properties* seen(const char* prefix, CORBA::Context_ptr context) override {
    std::vector<std::string> found;
    try {
      CORBA::NVList_var values;
      context->get_values("", 0, "*", values.out());
      for (CORBA::ULong i = 0; i < values->count(); ++i) {
        const char* value = "";
        *values->item(i)->value() >>= value;
        found.push_back(std::string(prefix) + values->item(i)->name() + "=" + value);
      }
    } catch (const CORBA::BAD_CONTEXT&) {
      // There is no property at all.
    }
    std::sort(found.begin(), found.end());
    context_test::Properties_var result(new context_test::Properties);
    result->length(static_cast<CORBA::ULong>(found.size()));
    for (CORBA::ULong i = 0; i < found.size(); ++i) result[i] = found[i].c_str();
    return result._retn();
  }
};

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    PortableServer::Servant_var<ShellServant> servant(new ShellServant);
    context_test::Shell_var reference = servant->_this();
    orb.serve(reference);
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "context_server: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
