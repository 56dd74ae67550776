// The servant of Gardener as value_types.idl describes it.
//
//     value_server [ORB options]
//
// Prints its reference as the first line. Ends when `shutdown` is called or
// when standard input is closed.

#include "orb.h"

#include "graphs.h"

namespace {

using namespace interop::graphs;

template <class Value>
Value* same_value(Value* value) {
  if (value) CORBA::add_ref(value);
  return value;
}

class Servant : public POA_interop::graphs::Gardener {
public:
  explicit Servant(CORBA::ORB_ptr orb) : orb_(orb) {}

  char* print() override { return CORBA::string_dup("omniORB"); }

  char* describe(Node* a) override { return CORBA::string_dup(graphs::describe(a).c_str()); }

  Node* echo(Node* a) override { return same_value(a); }

  Node* turn(Node* a, Node*& b, Node_out c) override {
    c = b;
    b = same_value(a);
    return same_value(a);
  }

  CORBA::Boolean same(Node* a, Node* b) override { return a && a == b; }

  Text* echo_text(Text* a) override { return same_value(a); }

  Numbers* echo_numbers(Numbers* a) override { return same_value(a); }

  CORBA::ValueBase* echo_base(CORBA::ValueBase* a) override { return same_value(a); }

  Printable_ptr echo_printable(Printable_ptr a) override { return interop::graphs::Printable::_duplicate(a); }

  CORBA::Any* echo_any(const CORBA::Any& a) override { return new CORBA::Any(a); }

  void shutdown() override { orb_->shutdown(false); }

private:
  CORBA::ORB_ptr orb_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    graphs::register_types(orb.get());
    PortableServer::Servant_var<Servant> servant = new Servant(orb.get());
    CORBA::Object_var object = servant->_this();
    orb.serve(object);
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "value_server: " << exception._name() << std::endl;
    return 1;
  }
}
