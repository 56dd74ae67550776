// Calls bench::Pinger::ping behind omniORB's interceptors, with a service context, and prints
// that of the reply.
//
//     interceptor_client REFERENCE [ORB options]

#include "interceptors.h"
#include "orb.h"
#include "ping.hh"

namespace {

std::string answered;

CORBA::Boolean send_request(omni::omniInterceptors::clientSendRequest_T::info_T& info) {
  peers::add_context(info.service_contexts, peers::ASKED, "question");
  return true;
}

CORBA::Boolean receive_reply(omni::omniInterceptors::clientReceiveReply_T::info_T& info) {
  answered = peers::context_data(info.service_contexts, peers::ANSWERED);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    if (orb.rest().size() != 1) {
      std::cerr << "usage: interceptor_client REFERENCE [ORB options]" << std::endl;
      return 2;
    }
    omniORB::getInterceptors()->clientSendRequest.add(send_request);
    omniORB::getInterceptors()->clientReceiveReply.add(receive_reply);
    CORBA::Object_var object = orb.get()->string_to_object(orb.rest()[0].c_str());
    bench::Pinger_var pinger = bench::Pinger::_unchecked_narrow(object);
    pinger->ping();
    std::cout << answered << std::endl;
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "interceptor_client: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
