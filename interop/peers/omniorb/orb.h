// An ORB that reads no configuration file and listens on the loopback only.

#ifndef PEERS_ORB_H
#define PEERS_ORB_H

#include <omniORB4/CORBA.h>

#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace peers {

// Initializes the ORB from the command line and destroys it at the end of the
// scope. Options that the command line gives win over the defaults here.
class Orb {
public:
  Orb(int argc, char** argv) : arguments_(argv, argv + argc) {
    // The file that a distribution installs must not change what is tested.
    setenv("OMNIORB_CONFIG", "/dev/null", 0);
    set_default("-ORBendPoint", "giop:tcp:127.0.0.1:");
    set_default("-ORBgiopMaxMsgSize", "67108864");

    std::vector<char*> pointers;
    for (std::string& argument : arguments_) pointers.push_back(&argument[0]);
    pointers.push_back(nullptr);
    int count = static_cast<int>(arguments_.size());
    orb_ = CORBA::ORB_init(count, pointers.data());
    // ORB_init keeps what is not its own, in order, at the front.
    for (int i = 1; i < count; ++i) rest_.push_back(pointers[i]);

    CORBA::Object_var object = orb_->resolve_initial_references("RootPOA");
    poa_ = PortableServer::POA::_narrow(object);
    PortableServer::POAManager_var manager = poa_->the_POAManager();
    manager->activate();
  }

  ~Orb() {
    try {
      orb_->destroy();
    } catch (const CORBA::Exception&) {
      // Nothing is left to be done at the end of the process.
    }
  }

  Orb(const Orb&) = delete;
  Orb& operator=(const Orb&) = delete;

  CORBA::ORB_ptr get() const { return orb_; }

  // The arguments that are not the ORB's, without the program's name.
  const std::vector<std::string>& rest() const { return rest_; }

  // Lets the sockets at which it listens, and those of connections that come in there, keep
  // so many octets that have arrived: what -ORBsocketSendBuffer is for those that are sent.
  void set_receive_buffer(int octets) {
    for (int fd = 0; fd < 1024; ++fd) {
      int listens = 0;
      socklen_t length = sizeof listens;
      if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens != 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &octets, sizeof octets);
    }
  }

  // Prints the reference as the first line, then serves until `shutdown` is
  // called or standard input is closed.
  void serve(CORBA::Object_ptr object) {
    CORBA::String_var ior = orb_->object_to_string(object);
    std::cout << ior.in() << std::endl;
    CORBA::ORB_ptr orb = orb_;
    const auto end = std::make_shared<End>();
    std::thread([orb, end] {
      char ignored[256];
      while (read(STDIN_FILENO, ignored, sizeof ignored) > 0) {
      }
      if (!end->begin_shutdown()) return;
      try {
        orb->shutdown(true);
      } catch (const CORBA::Exception&) {
        // It was shut down by the operation already.
      }
      end->finish_shutdown();
    }).detach();
    try {
      orb_->run();
    } catch (const CORBA::BAD_INV_ORDER&) {
      // The input was closed so early that the ORB is shut down already.
    }
    end->leave();
  }

private:
  // Keeps the thread that shuts the ORB down and the end of the process, which
  // takes the ORB away, from happening at once.
  class End {
  public:
    // False when the process is ending already.
    bool begin_shutdown() {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (left_) return false;
      shutting_down_ = true;
      return true;
    }

    void finish_shutdown() {
      const std::lock_guard<std::mutex> lock(mutex_);
      shutting_down_ = false;
      changed_.notify_all();
    }

    void leave() {
      std::unique_lock<std::mutex> lock(mutex_);
      left_ = true;
      changed_.wait(lock, [this] { return !shutting_down_; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool shutting_down_ = false;
    bool left_ = false;
  };

  void set_default(const char* option, const char* value) {
    for (const std::string& argument : arguments_)
      if (argument == option) return;
    arguments_.push_back(option);
    arguments_.push_back(value);
  }

  std::vector<std::string> arguments_;
  std::vector<std::string> rest_;
  CORBA::ORB_var orb_;
  PortableServer::POA_var poa_;
};

// "BAD_PARAM minor 7 COMPLETED_NO", or the repository id of another exception.
inline std::string describe(const CORBA::Exception& exception) {
  const auto* system = CORBA::SystemException::_downcast(&exception);
  if (!system) return exception._rep_id();
  const char* completed[] = {"COMPLETED_YES", "COMPLETED_NO", "COMPLETED_MAYBE"};
  return std::string(system->_name()) + " minor " + std::to_string(system->minor()) + " " +
         completed[system->completed()];
}

}  // namespace peers

#endif
