//! The machine on which something was measured, and the day.

use std::collections::BTreeSet;
use std::time::SystemTime;
use std::{env, fs, thread};

/// Today, as year, month and day.
pub(crate) fn today() -> String {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    now.split('T').next().unwrap_or_default().to_owned()
}

/// The known facts of the machine, as names with texts.
pub(crate) fn description() -> Vec<(&'static str, String)> {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let cpus = thread::available_parallelism().map_or(0, |cpus| cpus.get());
    let known = [
        (
            "processor",
            processor(&cpu).map(|name| format!("{name}, {cpus} CPUs")),
        ),
        ("caches", caches()),
        (
            "memory",
            memory_gib(&memory).map(|gib| format!("{gib} GiB")),
        ),
        ("kernel", Some(format!("Linux {}", kernel.trim()))),
        (
            "TCP",
            congestion_control().map(|name| format!("with {name}")),
        ),
        ("machine", Some(kind(&cpu).to_owned())),
        (
            "Taut",
            Some(format!(
                "{}, {}",
                env!("CARGO_PKG_VERSION"),
                match cfg!(debug_assertions) {
                    true => "not optimized: quote nothing",
                    false => "optimized",
                }
            )),
        ),
    ];
    let known = known.into_iter();
    known
        .filter_map(|(what, which)| Some((what, which?)))
        .collect()
}

/// The value of a field of `/proc/cpuinfo` or `/proc/meminfo`.
fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| {
        let (field, value) = line.split_once(':')?;
        (field.trim() == name).then(|| value.trim())
    })
}

fn processor(cpu: &str) -> Option<String> {
    // The processor's name for itself contains trade marks and repeated spaces.
    let name = field(cpu, "model name")?
        .replace("(R)", "")
        .replace("(TM)", "");
    Some(name.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn memory_gib(memory: &str) -> Option<u64> {
    let kib = field(memory, "MemTotal")?.trim_end_matches(" kB");
    Some(kib.parse::<u64>().ok()?.div_ceil(1 << 20))
}

fn kind(cpu: &str) -> &'static str {
    let flags = field(cpu, "flags").unwrap_or_default();
    match flags.split(' ').any(|flag| flag == "hypervisor") {
        true => "virtual, with neighbours",
        false => "not virtual",
    }
}

/// Returns the algorithm that decides how much of a stream is under way at once: large
/// messages and floods take very different times by it.
fn congestion_control() -> Option<String> {
    let name = fs::read_to_string("/proc/sys/net/ipv4/tcp_congestion_control").ok()?;
    Some(name.trim().to_owned())
}

/// The first CPU's caches, from the nearest.
fn caches() -> Option<String> {
    let of_cpu = fs::read_dir("/sys/devices/system/cpu/cpu0/cache").ok()?;
    let cache = |entry: fs::DirEntry| {
        let read = |name| fs::read_to_string(entry.path().join(name)).ok();
        let level = read("level")?.trim().to_owned();
        let size = read("size")?.trim().to_owned();
        let instructions = read("type")?.trim() == "Instruction";
        (!instructions).then_some((level, size))
    };
    let caches: BTreeSet<_> = of_cpu.flatten().filter_map(cache).collect();
    let texts: Vec<_> = (caches.into_iter())
        .map(|(level, size)| {
            format!(
                "L{level} {}",
                size.replace('K', " KiB").replace('M', " MiB")
            )
        })
        .collect();
    (!texts.is_empty()).then(|| texts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found() {
        let cpu =
            "processor\t: 0\nmodel name\t: Some(R)  CPU(TM) @ 2 GHz\nflags\t\t: fpu hypervisor\n";
        assert_eq!(processor(cpu).unwrap(), "Some CPU @ 2 GHz");
        assert_eq!(kind(cpu), "virtual, with neighbours");
        assert_eq!(kind("flags : fpu\n"), "not virtual");
        assert_eq!(memory_gib("MemTotal:        8138920 kB\n"), Some(8));
        assert_eq!(memory_gib("nonsense"), None);
    }

    #[test]
    fn this_machine_is_described() {
        let description = description();
        let kernel = description.iter().find(|(what, _)| *what == "kernel");
        assert!(kernel.is_some_and(|(_, which)| which.len() > "Linux ".len()));
    }
}
