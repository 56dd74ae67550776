// A POA for the tests of session_test.idl, in a server and in a client.

#ifndef PEERS_SESSION_H
#define PEERS_SESSION_H

#include "orb.h"
#include "session_test.hh"

#include <omniORB4/BiDirPolicy.h>

namespace peers {

inline PortableServer::POA_var root_poa(CORBA::ORB_ptr orb) {
  CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
  return PortableServer::POA::_narrow(object);
}

// A POA whose object keys are the same each time. If `bidirectional`, its objects
// may be called over connections that this process has opened, and its servants
// may call back over those on which they are called.
inline PortableServer::POA_var session_poa(CORBA::ORB_ptr orb, bool bidirectional) {
  PortableServer::POA_var root = root_poa(orb);
  CORBA::PolicyList policies;
  policies.length(2);
  policies[0] = root->create_lifespan_policy(PortableServer::PERSISTENT);
  policies[1] = root->create_id_assignment_policy(PortableServer::USER_ID);
  if (bidirectional) {
    CORBA::Any both;
    both <<= BiDirPolicy::BOTH;
    policies.length(3);
    policies[2] = orb->create_policy(BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE, both);
  }
  PortableServer::POAManager_var manager = root->the_POAManager();
  return root->create_POA("sessions", manager, policies);
}

// Serves a servant under an id.
inline CORBA::Object_var activate(PortableServer::POA_ptr poa, const char* id, PortableServer::Servant servant) {
  const PortableServer::ObjectId_var object_id = PortableServer::string_to_ObjectId(id);
  poa->activate_object_with_id(object_id, servant);
  return poa->id_to_reference(object_id);
}

}  // namespace peers

#endif
