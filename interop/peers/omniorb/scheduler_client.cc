// A client of the scheduling service: describes operations, has the schedule computed and reads it.
//
// Arguments: a reference of the scheduler. Prints a line for each thing that it sees.

#include "orb.h"

#include "RtecScheduler.hh"

namespace {

using RtecScheduler::Scheduler_ptr;

// Creates an operation with these times, in units of 100 ns.
CORBA::Long describe(Scheduler_ptr scheduler, const char* name, CORBA::ULongLong worst_case,
                     CORBA::Long period) {
  const CORBA::Long handle = scheduler->create(name);
  scheduler->set(handle, RtecScheduler::HIGH_CRITICALITY, worst_case, worst_case / 2, 0, period,
                 RtecScheduler::LOW_IMPORTANCE, 0, 0, RtecScheduler::OPERATION);
  return handle;
}

// Runs what is to end with a user exception, and prints its repository id.
template <typename Body> void refused(const char* what, Body body) {
  try {
    body();
    std::cout << what << ": done\n";
  } catch (const CORBA::Exception& exception) {
    std::cout << what << ": " << peers::describe(exception) << "\n";
  }
}

void run(Scheduler_ptr scheduler) {
  refused("early", [&] { scheduler->last_scheduled_priority(); });
  const CORBA::Long sweep = describe(scheduler, "Radar::sweep", 20000, 100000);
  const CORBA::Long refresh = describe(scheduler, "Display::refresh", 50000, 500000);
  const CORBA::Long update = describe(scheduler, "Store::update", 10000, 0);
  scheduler->add_dependency(sweep, update, 2, RtecBase::TWO_WAY_CALL);
  refused("again", [&] { scheduler->create("Radar::sweep"); });
  refused("nobody", [&] { scheduler->lookup("nobody"); });

  RtecScheduler::RT_Info_Set_var infos;
  RtecScheduler::Dependency_Set_var dependencies;
  RtecScheduler::Config_Info_Set_var configs;
  RtecScheduler::Scheduling_Anomaly_Set_var anomalies;
  scheduler->compute_scheduling(10, 20, infos, dependencies, configs, anomalies);
  for (CORBA::ULong i = 0; i < infos->length(); ++i) {
    const RtecScheduler::RT_Info& info = infos[i];
    std::cout << "info " << info.entry_point << " " << info.handle << " "
              << info.worst_case_execution_time << " " << info.typical_execution_time << " "
              << info.period << " " << info.criticality << " " << info.importance << " "
              << info.dependencies.length() << " " << info.priority << " "
              << info.preemption_subpriority << " " << info.preemption_priority << " "
              << info.enabled << " " << info.volatile_token << "\n";
  }
  for (CORBA::ULong i = 0; i < dependencies->length(); ++i) {
    const RtecBase::Dependency_Info& call = dependencies[i];
    std::cout << "call " << call.rt_info << " " << call.rt_info_depended_on << " "
              << call.number_of_calls << " " << call.dependency_type << " " << call.enabled << "\n";
  }
  for (CORBA::ULong i = 0; i < configs->length(); ++i) {
    const RtecScheduler::Config_Info& level = configs[i];
    std::cout << "level " << level.preemption_priority << " " << level.thread_priority << " "
              << level.dispatching_type;
    for (CORBA::ULong j = 0; j < level.timer_periods.length(); ++j)
      std::cout << " " << level.timer_periods[j];
    std::cout << "\n";
  }
  std::cout << "anomalies " << anomalies->length() << "\n";

  CORBA::Long priority, subpriority, level;
  scheduler->priority(refresh, priority, subpriority, level);
  std::cout << "priority " << priority << " " << subpriority << " " << level << "\n";
  scheduler->entry_point_priority("Store::update", priority, subpriority, level);
  std::cout << "by name " << priority << " " << subpriority << " " << level << "\n";
  RtecScheduler::Dispatching_Type_t type;
  scheduler->dispatch_configuration(scheduler->last_scheduled_priority(), priority, type);
  std::cout << "last " << priority << " " << type << "\n";

  describe(scheduler, "too much", 90000, 100000);
  refused("overload", [&] { scheduler->recompute_scheduling(10, 20, anomalies.out()); });
  refused("unscheduled", [&] { scheduler->priority(sweep, priority, subpriority, level); });
}

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    CORBA::Object_var object = orb.get()->string_to_object(orb.rest().at(0).c_str());
    RtecScheduler::Scheduler_var scheduler = RtecScheduler::Scheduler::_narrow(object);
    if (CORBA::is_nil(scheduler)) throw std::runtime_error("the reference is no scheduler's");
    run(scheduler);
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "scheduler_client: " << peers::describe(exception) << std::endl;
  } catch (const std::exception& error) {
    std::cerr << "scheduler_client: " << error.what() << std::endl;
  }
  return 1;
}
