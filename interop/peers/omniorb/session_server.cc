// The servant of sessions::Session as session_test.idl describes it.
//
//     session_server [--bidirectional] [--name NAME] [ORB options]
//
// Prints its reference as the first line. Ends when standard input is closed.
// Its object key is the same each time, so that a reference also leads to the
// object of the next server on the port.

#include "session.h"

#include <atomic>
#include <fstream>

namespace {

using sessions::Listener;
using sessions::Listener_ptr;
using sessions::Listener_var;
using sessions::Octets;
using sessions::Session_ptr;
using sessions::Session_var;

// Answers every request with a forward.
class Forwarder : public POA_PortableServer::ServantLocator {
public:
  void forward_to(Session_ptr target) {
    const std::lock_guard<std::mutex> lock(mutex_);
    target_ = sessions::Session::_duplicate(target);
  }

  PortableServer::Servant preinvoke(const PortableServer::ObjectId&, PortableServer::POA_ptr, const char*,
                                    void*&) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (CORBA::is_nil(target_)) throw CORBA::OBJECT_NOT_EXIST();
    throw PortableServer::ForwardRequest(target_);
  }

  void postinvoke(const PortableServer::ObjectId&, PortableServer::POA_ptr, const char*, void*,
                  PortableServer::Servant) override {}

private:
  std::mutex mutex_;
  Session_var target_;
};

class SessionServant : public POA_sessions::Session {
public:
  SessionServant(const std::string& name, PortableServer::POA_ptr root)
      : name_(name), forwarder_(new Forwarder) {
    CORBA::PolicyList policies;
    policies.length(3);
    policies[0] = root->create_request_processing_policy(PortableServer::USE_SERVANT_MANAGER);
    policies[1] = root->create_servant_retention_policy(PortableServer::NON_RETAIN);
    policies[2] = root->create_id_assignment_policy(PortableServer::USER_ID);
    PortableServer::POAManager_var manager = root->the_POAManager();
    PortableServer::POA_var poa = root->create_POA("moved", manager, policies);
    PortableServer::ServantLocator_var locator = forwarder_->_this();
    poa->set_servant_manager(locator);
    const PortableServer::ObjectId_var id = PortableServer::string_to_ObjectId("moved");
    CORBA::Object_var object = poa->create_reference_with_id(id, sessions::Session::_PD_repoId);
    moved_ = sessions::Session::_unchecked_narrow(object);
  }

  CORBA::Long tell(Listener_ptr l, CORBA::Long n) override { return 1 + l->hear(n); }

  CORBA::Boolean tell_much(Listener_ptr l, CORBA::ULong length) override {
    Octets data;
    data.length(length);
    for (CORBA::ULong i = 0; i < length; ++i) data[i] = static_cast<CORBA::Octet>(i % 251);
    const sessions::Octets_var back = l->echo(data);
    return back->length() == length && std::equal(data.get_buffer(), data.get_buffer() + length, back->get_buffer());
  }

  void tell_later(Listener_ptr l, CORBA::ULong times) override {
    Listener_var listener = Listener::_duplicate(l);
    std::thread([this, listener, times] {
      for (CORBA::ULong i = 0; i < times; ++i) {
        try {
          if (listener->hear(0) == 0) ++told_;
        } catch (const CORBA::Exception& exception) {
          std::cerr << "session_server: tell_later: " << peers::describe(exception) << std::endl;
        }
      }
    }).detach();
  }

  CORBA::ULong told() override { return told_; }

  char* name() override { return CORBA::string_dup(name_.c_str()); }

  Session_ptr moved() override { return sessions::Session::_duplicate(moved_); }

  void move(Session_ptr target) override { forwarder_->forward_to(target); }

  void work(const char* file, CORBA::ULong pause_ms) override {
    std::ofstream(file, std::ios::app) << name_ << std::endl;
    std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
  }

private:
  const std::string name_;
  PortableServer::Servant_var<Forwarder> forwarder_;
  Session_var moved_;
  std::atomic<CORBA::ULong> told_{0};
};

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    bool bidirectional = false;
    std::string name = "omniORB";
    const std::vector<std::string>& arguments = orb.rest();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i] == "--bidirectional") {
        bidirectional = true;
      } else if (arguments[i] == "--name" && i + 1 < arguments.size()) {
        name = arguments[++i];
      } else {
        std::cerr << "usage: session_server [--bidirectional] [--name NAME] [ORB options]" << std::endl;
        return 2;
      }
    }
    PortableServer::POA_var root = peers::root_poa(orb.get());
    PortableServer::POA_var poa = peers::session_poa(orb.get(), bidirectional);
    PortableServer::Servant_var<SessionServant> servant(new SessionServant(name, root));
    CORBA::Object_var reference = peers::activate(poa, "session", servant);
    orb.serve(reference);
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "session_server: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
