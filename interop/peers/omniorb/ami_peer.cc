// A reply handler of ami_test::Clerk, which prints what it gets, one reply a line, and an
// asynchronous client.
//
//     ami_peer CLERK HANDLER [ORB options]
//
// The first line that it prints is the reference of its own handler. For each line of standard
// input, `own` or `given`, it calls CLERK asynchronously, with its own handler or with HANDLER:
// for results, and with its own for exceptions, too, which its exception holder does not carry
// to another process.

#include "orb.h"
#include "ami_test.hh"

#include <iomanip>
#include <sstream>

namespace {

class Handler : public POA_ami_test::AMI_ClerkHandler {
public:
  void get_balance(CORBA::Long value) override { print("get_balance " + std::to_string(value)); }
  void get_balance_excep(Messaging::ExceptionHolder* holder) override { raise("get_balance", holder); }
  void set_balance() override { print("set_balance"); }
  void set_balance_excep(Messaging::ExceptionHolder* holder) override { raise("set_balance", holder); }
  void file(CORBA::Long value) override { print("file " + std::to_string(value)); }
  void file_excep(Messaging::ExceptionHolder* holder) override { raise("file", holder); }
  void shift(CORBA::Double place, const char* before) override {
    std::ostringstream text;
    text << "shift " << std::fixed << std::setprecision(2) << place << " " << before;
    print(text.str());
  }
  void shift_excep(Messaging::ExceptionHolder* holder) override { raise("shift", holder); }

private:
  void raise(const std::string& operation, Messaging::ExceptionHolder* holder) {
    try {
      holder->raise_exception();
    } catch (const ami_test::Refused& refused) {
      std::ostringstream text;
      text << operation << " refused " << refused.why.in() << " " << refused.how_much;
      print(text.str());
    } catch (const CORBA::NO_MEMORY& exception) {
      print(operation + " NO_MEMORY " + std::to_string(exception.minor()));
    } catch (const CORBA::Exception& exception) {
      print(operation + " " + peers::describe(exception));
    }
  }

  void print(const std::string& line) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::cout << line << std::endl;
  }

  std::mutex mutex_;
};

void call(ami_test::Clerk_ptr clerk, ami_test::AMI_ClerkHandler_ptr handler) {
  clerk->sendc_set_balance(handler, 3);
  clerk->sendc_get_balance(handler);
  clerk->sendc_shift(handler, 0.5, 1.25);
  clerk->sendc_file(handler, "text");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    if (orb.rest().size() != 2) {
      std::cerr << "usage: ami_peer CLERK HANDLER [ORB options]" << std::endl;
      return 2;
    }
    CORBA::Object_var object = orb.get()->string_to_object(orb.rest()[0].c_str());
    ami_test::Clerk_var clerk = ami_test::Clerk::_unchecked_narrow(object);
    object = orb.get()->string_to_object(orb.rest()[1].c_str());
    ami_test::AMI_ClerkHandler_var given = ami_test::AMI_ClerkHandler::_unchecked_narrow(object);
    PortableServer::Servant_var<Handler> handler(new Handler);
    ami_test::AMI_ClerkHandler_var own = handler->_this();
    CORBA::String_var ior = orb.get()->object_to_string(own);
    std::cout << ior.in() << std::endl;
    std::string line;
    while (std::getline(std::cin, line)) {
      call(clerk, line == "own" ? own : given);
      if (line != "own") continue;
      clerk->sendc_file(own, "refuse");
      clerk->sendc_file(own, "fail");
    }
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "ami_peer: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
