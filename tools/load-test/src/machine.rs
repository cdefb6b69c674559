//! The machine of the tool, and what a local server's process takes from it. Read from the operating system; where it
//! does not tell (other systems than Linux, processes of other users), there is no figure.

use crate::result::Machine;

#[cfg(target_os = "linux")]
pub use linux::ProcessProbe;
#[cfg(target_os = "linux")]
pub(crate) use linux::own_cpu_s;

/// What this machine is.
#[must_use]
pub fn machine() -> Machine {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let cores = u32::try_from(cores).unwrap_or(u32::MAX);
    #[cfg(target_os = "linux")]
    return linux::machine(cores);
    #[cfg(not(target_os = "linux"))]
    return Machine { cores, os: std::env::consts::OS.to_owned(), ..Machine::default() };
}

#[cfg(target_os = "linux")]
mod linux {
    use procfs::net::TcpState;
    use procfs::process::{FDTarget, Process, all_processes};
    use procfs::{CpuInfo, Current as _, Meminfo};

    use crate::result::Machine;

    /// A process whose processor time and memory are looked at.
    #[derive(Debug)]
    pub struct ProcessProbe {
        process: Process,
    }

    impl ProcessProbe {
        /// Looks at the process of a number; `None` if there is none or it may not be looked at.
        #[must_use]
        pub fn of(pid: u32) -> Option<Self> {
            let process = Process::new(i32::try_from(pid).ok()?).ok()?;
            process.stat().ok()?;
            Some(Self { process })
        }

        /// Finds the process that listens on a port of this machine.
        #[must_use]
        pub fn listening_on(port: u16) -> Option<Self> {
            let v4 = procfs::net::tcp().unwrap_or_default();
            let v6 = procfs::net::tcp6().unwrap_or_default();
            let mut sockets = v4.into_iter().chain(v6);
            let listener = sockets.find(|s| s.state == TcpState::Listen && s.local_address.port() == port)?;
            let holds = |process: &Process| {
                let descriptors = process.fd().into_iter().flatten().flatten();
                descriptors
                    .into_iter()
                    .any(|fd| matches!(fd.target, FDTarget::Socket(inode) if inode == listener.inode))
            };
            all_processes().ok()?.flatten().find(holds).map(|process| Self { process })
        }

        /// Its number.
        #[must_use]
        pub fn pid(&self) -> u32 {
            u32::try_from(self.process.pid).unwrap_or_default()
        }

        /// Processor time since it started, of all its threads, in user and system mode, in seconds.
        #[must_use]
        pub fn cpu_s(&self) -> Option<f64> {
            cpu_s(&self.process)
        }

        /// Its resident memory now.
        #[must_use]
        pub fn rss_bytes(&self) -> Option<u64> {
            Some(self.process.stat().ok()?.rss * procfs::page_size())
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "ticks of a process are below 2^53")]
    fn cpu_s(process: &Process) -> Option<f64> {
        let stat = process.stat().ok()?;
        Some((stat.utime + stat.stime) as f64 / procfs::ticks_per_second() as f64)
    }

    /// Processor time of the tool itself.
    pub(crate) fn own_cpu_s() -> f64 {
        Process::myself().ok().and_then(|process| cpu_s(&process)).unwrap_or_default()
    }

    pub(super) fn machine(cores: u32) -> Machine {
        let cpu = CpuInfo::current().ok();
        let cpu_model = cpu.as_ref().and_then(|cpu| cpu.model_name(0)).unwrap_or("unknown").to_owned();
        let memory_bytes = Meminfo::current().map_or(0, |memory| memory.mem_total);
        let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
        let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
        let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let os = format!("{}, Linux {}", name.unwrap_or("unknown").trim_matches('"'), kernel.trim());
        Machine { cpu_model, cores, memory_bytes, os }
    }

    #[cfg(test)]
    mod tests {
        use std::net::TcpListener;

        use super::*;

        #[test]
        fn the_process_behind_a_port_is_found() {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let port = listener.local_addr().unwrap().port();
            let probe = ProcessProbe::listening_on(port).unwrap();
            assert_eq!(probe.pid(), std::process::id());
            assert!(probe.rss_bytes().unwrap() > 0);
            assert!(probe.cpu_s().is_some());
            drop(listener);
            assert!(ProcessProbe::listening_on(port).is_none());
        }

        #[test]
        fn the_machine_has_figures() {
            let machine = machine(2);
            assert!(machine.memory_bytes > 0);
            assert!(!machine.cpu_model.is_empty() && machine.os.contains("Linux"));
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    /// A process whose processor time and memory would be looked at; this system does not tell.
    #[derive(Debug)]
    pub enum ProcessProbe {}

    impl ProcessProbe {
        /// Always `None` here.
        #[must_use]
        pub fn of(_pid: u32) -> Option<Self> {
            None
        }

        /// Always `None` here.
        #[must_use]
        pub fn listening_on(_port: u16) -> Option<Self> {
            None
        }

        /// Its number.
        #[must_use]
        pub fn pid(&self) -> u32 {
            match *self {}
        }

        /// Its processor time.
        #[must_use]
        pub fn cpu_s(&self) -> Option<f64> {
            match *self {}
        }

        /// Its resident memory.
        #[must_use]
        pub fn rss_bytes(&self) -> Option<u64> {
            match *self {}
        }
    }

    pub(crate) fn own_cpu_s() -> f64 {
        0.0
    }
}

#[cfg(not(target_os = "linux"))]
pub use other::ProcessProbe;
#[cfg(not(target_os = "linux"))]
pub(crate) use other::own_cpu_s;
