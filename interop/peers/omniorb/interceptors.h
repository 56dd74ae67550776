// A service context of a request, and one of its reply, for omniORB's interceptors.

#ifndef PEERS_INTERCEPTORS_H
#define PEERS_INTERCEPTORS_H

#include <omniORB4/CORBA.h>
#include <omniORB4/internal/giopStrand.h>
#include <omniORB4/internal/giopStream.h>
#include <omniORB4/internal/GIOP_S.h>
#include <omniORB4/omniInterceptors.h>

#include <string>

namespace peers {

// Those of the tests: one that a client sends, and one that a server answers it with.
const IOP::ServiceID ASKED = 0x4d590001;
const IOP::ServiceID ANSWERED = 0x4d590002;

// The data of the context with this id, or nothing.
inline std::string context_data(const IOP::ServiceContextList& contexts, IOP::ServiceID id) {
  for (CORBA::ULong i = 0; i < contexts.length(); ++i) {
    if (contexts[i].context_id != id) continue;
    const auto& data = contexts[i].context_data;
    return std::string(reinterpret_cast<const char*>(data.get_buffer()), data.length());
  }
  return std::string();
}

inline void add_context(IOP::ServiceContextList& contexts, IOP::ServiceID id, const std::string& data) {
  const CORBA::ULong last = contexts.length();
  contexts.length(last + 1);
  contexts[last].context_id = id;
  contexts[last].context_data.length(static_cast<CORBA::ULong>(data.size()));
  for (CORBA::ULong i = 0; i < data.size(); ++i)
    contexts[last].context_data[i] = static_cast<CORBA::Octet>(data[i]);
}

}  // namespace peers

#endif
