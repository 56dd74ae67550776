// A servant of bridging::Bridge: passes requests on by the dynamic skeleton and invocation interfaces.
//
//     bridge_server [ORB options]
//
// Prints its reference as the first line. Ends when standard input is closed.

#include "bridge.hh"
#include "orb.h"

#include <map>

namespace {

CORBA::TypeCode_ptr type_in(const CORBA::Any& any) {
  CORBA::TypeCode_ptr type = CORBA::TypeCode::_nil();
  if (!(any >>= type)) throw CORBA::BAD_PARAM();
  return CORBA::TypeCode::_duplicate(type);
}

struct Operation {
  std::vector<CORBA::Flags> modes;
  std::vector<CORBA::TypeCode_var> parameters;
  CORBA::TypeCode_var result;
  std::vector<CORBA::TypeCode_var> exceptions;
  bool is_oneway = false;
};

using Operations = std::map<std::string, Operation>;

class Forwarder : public PortableServer::DynamicImplementation {
public:
  Forwarder(CORBA::ORB_ptr orb, CORBA::Object_ptr target, const char* id, Operations operations)
      : orb_(orb), target_(CORBA::Object::_duplicate(target)), id_(id), operations_(std::move(operations)) {}

  void invoke(CORBA::ServerRequest_ptr request) override {
    const auto found = operations_.find(request->operation());
    if (found == operations_.end()) throw CORBA::BAD_OPERATION();
    const Operation& operation = found->second;
    CORBA::NVList_ptr arguments;
    orb_->create_list(0, arguments);
    for (std::size_t i = 0; i < operation.parameters.size(); ++i) {
      CORBA::Any value;
      value.replace(operation.parameters[i], static_cast<void*>(nullptr));
      arguments->add_value("", value, operation.modes[i]);
    }
    request->arguments(arguments);

    CORBA::Request_var next = target_->_request(found->first.c_str());
    for (std::size_t i = 0; i < operation.parameters.size(); ++i)
      next->arguments()->add_value("", *arguments->item(i)->value(), operation.modes[i]);
    next->set_return_type(operation.result);
    for (const CORBA::TypeCode_var& exception : operation.exceptions) next->exceptions()->add(CORBA::TypeCode::_duplicate(exception));
    if (operation.is_oneway) {
      next->send_oneway();
      return;
    }
    next->invoke();
    if (CORBA::Exception* exception = next->env()->exception()) {
      if (auto* user = CORBA::UnknownUserException::_downcast(exception)) {
        request->set_exception(user->exception());
        return;
      }
      exception->_raise();
    }
    for (std::size_t i = 0; i < operation.parameters.size(); ++i)
      if (operation.modes[i] != CORBA::ARG_IN) *arguments->item(i)->value() = *next->arguments()->item(i)->value();
    if (operation.result->kind() != CORBA::tk_void) request->set_result(next->return_value());
  }

  char* _primary_interface(const PortableServer::ObjectId&, PortableServer::POA_ptr) override {
    return CORBA::string_dup(id_.c_str());
  }

private:
  CORBA::ORB_ptr orb_;
  CORBA::Object_var target_;
  std::string id_;
  Operations operations_;
};

class BridgeServant : public POA_bridging::Bridge {
public:
  explicit BridgeServant(CORBA::ORB_ptr orb) : orb_(orb) {
    CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
    poa_ = PortableServer::POA::_narrow(root);
  }

  void define(const char* name, const bridging::ModeList& modes, const bridging::TypeList& parameters, const CORBA::Any& result,
              const bridging::TypeList& exceptions, CORBA::Boolean is_oneway) override {
    Operation operation;
    const CORBA::Flags flags[] = {CORBA::ARG_IN, CORBA::ARG_OUT, CORBA::ARG_INOUT};
    for (CORBA::ULong i = 0; i < modes.length(); ++i) operation.modes.push_back(flags[modes[i] % 3]);
    for (CORBA::ULong i = 0; i < parameters.length(); ++i) operation.parameters.push_back(type_in(parameters[i]));
    operation.result = type_in(result);
    for (CORBA::ULong i = 0; i < exceptions.length(); ++i) operation.exceptions.push_back(type_in(exceptions[i]));
    operation.is_oneway = is_oneway;
    operations_[name] = operation;
  }

  CORBA::Object_ptr make(CORBA::Object_ptr target, const char* id) override {
    // It lives as long as the process.
    auto* forwarder = new Forwarder(orb_, target, id, std::move(operations_));
    operations_.clear();
    PortableServer::ObjectId_var object = poa_->activate_object(forwarder);
    return poa_->id_to_reference(object);
  }

private:
  CORBA::ORB_ptr orb_;
  PortableServer::POA_var poa_;
  Operations operations_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    if (!orb.rest().empty()) {
      std::cerr << "bridge_server: unexpected argument " << orb.rest().front() << std::endl;
      return 2;
    }
    PortableServer::Servant_var<BridgeServant> servant(new BridgeServant(orb.get()));
    bridging::Bridge_var reference = servant->_this();
    orb.serve(reference);
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "bridge_server: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
