// The servant of bench::Pinger, behind omniORB's interceptors: the reply has a service context
// that repeats that of the request.
//
//     interceptor_server [ORB options]
//
// Prints its reference as the first line. Ends when standard input is closed.

#include "interceptors.h"
#include "orb.h"
#include "ping.hh"

namespace {

// What the request has that this thread carries out.
thread_local std::string asked;

CORBA::Boolean receive_request(omni::omniInterceptors::serverReceiveRequest_T::info_T& info) {
  asked = peers::context_data(info.giop_s.service_contexts(), peers::ASKED);
  return true;
}

CORBA::Boolean send_reply(omni::omniInterceptors::serverSendReply_T::info_T& info) {
  if (!asked.empty())
    peers::add_context(info.giop_s.service_contexts(), peers::ANSWERED, "answer to " + asked);
  return true;
}

class PingerServant : public POA_bench::Pinger {
public:
  void ping() override {}
};

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    omniORB::getInterceptors()->serverReceiveRequest.add(receive_request);
    omniORB::getInterceptors()->serverSendReply.add(send_reply);
    PortableServer::Servant_var<PingerServant> servant(new PingerServant);
    bench::Pinger_var reference = servant->_this();
    orb.serve(reference);
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "interceptor_server: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
