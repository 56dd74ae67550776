// A client of sessions::Session as session_test.idl describes it.
//
//     session_client [--bidirectional] [ORB options]
//
// Does what the lines of its standard input say, and answers each with a line:
// what came back, or the exception. A reference that was named before is the
// same object reference again, with what it has found out.
//
//     name REFERENCE               the server's name
//     tell REFERENCE N             what tell returns, with a listener of this client
//     tell_much REFERENCE LENGTH   what tell_much returns: 0 or 1
//     tell_later REFERENCE TIMES   `done`
//     told REFERENCE               what told returns
//     listener                     the reference to this client's listener
//     heard                        how often it has been called
//     work REFERENCE FILE PAUSE    `done`
//
// Before the first call of an object omniORB asks for it by a LocateRequest.

#include "session.h"

#include <atomic>
#include <map>
#include <sstream>

namespace {

using sessions::Octets;
using sessions::Session;
using sessions::Session_ptr;
using sessions::Session_var;

class ListenerServant : public POA_sessions::Listener {
public:
  CORBA::Long hear(CORBA::Long n) override {
    ++heard_;
    if (n == 0) return 0;
    sessions::Listener_var self = _this();
    return 1 + session()->tell(self, n - 1);
  }

  Octets* echo(const Octets& data) override { return new Octets(data); }

  // The session that `hear` calls.
  void listen_to(Session_ptr session) {
    const std::lock_guard<std::mutex> lock(mutex_);
    session_ = Session::_duplicate(session);
  }

  unsigned heard() const { return heard_; }

private:
  Session_var session() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return session_;
  }

  std::mutex mutex_;
  Session_var session_;
  std::atomic<unsigned> heard_{0};
};

class Client {
public:
  Client(CORBA::ORB_ptr orb, bool bidirectional) : orb_(CORBA::ORB::_duplicate(orb)), servant_(new ListenerServant) {
    PortableServer::POA_var poa = peers::session_poa(orb, bidirectional);
    CORBA::Object_var object = peers::activate(poa, "listener", servant_);
    listener_ = sessions::Listener::_narrow(object);
  }

  // Does what a line asks for.
  std::string carry_out(const std::string& line) {
    std::istringstream words(line);
    std::string command, reference;
    words >> command >> reference;
    if (command == "heard") return std::to_string(servant_->heard());
    if (command == "listener") {
      const CORBA::String_var own = orb_->object_to_string(listener_);
      return own.in();
    }
    if (reference.empty()) return "no such command: " + line;
    Session_ptr session = find(reference);
    if (command == "name") {
      const CORBA::String_var name = session->name();
      return name.in();
    }
    if (command == "told") return std::to_string(session->told());
    if (command == "work") {
      std::string file;
      CORBA::ULong pause_ms = 0;
      words >> file >> pause_ms;
      session->work(file.c_str(), pause_ms);
      return "done";
    }
    CORBA::Long number = 0;
    words >> number;
    servant_->listen_to(session);
    if (command == "tell") return std::to_string(session->tell(listener_, number));
    if (command == "tell_much") return std::to_string(session->tell_much(listener_, number));
    if (command != "tell_later") return "no such command: " + line;
    session->tell_later(listener_, number);
    return "done";
  }

private:
  Session_ptr find(const std::string& reference) {
    Session_var& session = sessions_[reference];
    if (CORBA::is_nil(session)) {
      CORBA::Object_var object = orb_->string_to_object(reference.c_str());
      session = Session::_unchecked_narrow(object);
    }
    return session;
  }

  CORBA::ORB_var orb_;
  PortableServer::Servant_var<ListenerServant> servant_;
  sessions::Listener_var listener_;
  std::map<std::string, Session_var> sessions_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    const std::vector<std::string>& arguments = orb.rest();
    const bool bidirectional = arguments.size() == 1 && arguments.front() == "--bidirectional";
    if (!arguments.empty() && !bidirectional) {
      std::cerr << "usage: session_client [--bidirectional] [ORB options]" << std::endl;
      return 2;
    }
    Client client(orb.get(), bidirectional);
    for (std::string line; std::getline(std::cin, line);) {
      try {
        std::cout << client.carry_out(line) << std::endl;
      } catch (const CORBA::Exception& exception) {
        std::cout << peers::describe(exception) << std::endl;
      }
    }
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "session_client: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
