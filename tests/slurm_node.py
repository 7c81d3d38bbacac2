"""A real Slurm of one node on this machine, started for a test and stopped after it."""

import os
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

MARK = "# written by the tests of earnest"
# Inside a job the Snakemake plugin forgets SLURM_CONF, so this has to be the default file.
CONF = Path("/etc/slurm/slurm.conf")
PROGRAMS = ("slurmctld", "slurmd", "sinfo", "squeue", "sbatch", "munged", "mungekey")


def why_not() -> str | None:
    """Say why no Slurm can be started here, or nothing when one can."""
    if os.geteuid() != 0:
        return "only root can start Slurm's daemons"
    missing = [name for name in PROGRAMS if shutil.which(name, path=search_path()) is None]
    if missing:
        return f"not installed: {', '.join(missing)}"
    if CONF.exists() and MARK not in CONF.read_text():
        return f"{CONF} belongs to a Slurm that is not the tests' own"
    return None


def search_path() -> str:
    return os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])


def configuration(state: Path) -> str:
    """Return a configuration without cgroups, whose node offers all cores and most memory."""
    host = socket.gethostname().split(".")[0]
    cores = os.cpu_count() or 1
    total_mb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    memory_mb = total_mb * 9 // 10  # a node that offers more than it has is drained
    lines = [
        MARK,
        "ClusterName=earnest",
        f"SlurmctldHost={host}(127.0.0.1)",
        "AuthType=auth/munge",
        "SlurmUser=root",
        "SlurmdUser=root",
        "ProctrackType=proctrack/linuxproc",
        "TaskPlugin=task/none",
        "SelectType=select/cons_tres",
        "SelectTypeParameters=CR_CPU_Memory",
        "SchedulerParameters=batch_sched_delay=1,bf_interval=5",
        # enough for squeue to show a finished job until Snakemake has seen it
        "MinJobAge=600",
        "ReturnToService=2",
        "KillWait=5",
        "AccountingStorageType=accounting_storage/none",
        # memory is sampled every second, and a job above what it asked for is killed
        "JobAcctGatherType=jobacct_gather/linux",
        "JobAcctGatherFrequency=task=1",
        "JobAcctGatherParams=OverMemoryKill",
        f"StateSaveLocation={state}/controller",
        f"SlurmdSpoolDir={state}/node",
        f"SlurmctldPidFile={state}/slurmctld.pid",
        f"SlurmdPidFile={state}/slurmd.pid",
        f"NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory={memory_mb} State=UNKNOWN",
        f"PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP",
    ]
    return "\n".join(lines) + "\n"


@contextmanager
def running(state: Path):
    """Start munged where none answers, slurmctld and slurmd; end them and their files after."""
    daemons: list[subprocess.Popen] = []
    for folder in ("controller", "node"):
        (state / folder).mkdir(parents=True)
    CONF.parent.mkdir(parents=True, exist_ok=True)
    CONF.write_text(configuration(state))
    try:
        if not succeeds("munge -n | unmunge"):
            daemons.append(start_munge(state))
            wait_until("munge -n | unmunge", daemons[-1], state)
        daemons.append(start("slurmctld", state, "slurmctld", "-D", "-i"))
        wait_until("scontrol ping | grep -q UP", daemons[-1], state)
        daemons.append(start("slurmd", state, "slurmd", "-D"))
        wait_until("sinfo -h -o %t | grep -qE '^(idle|mix|alloc)$'", daemons[-1], state)
        yield
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
            daemon.wait(timeout=30)
        CONF.unlink()


def start_munge(state: Path) -> subprocess.Popen:
    for folder, mode in (("/etc/munge", 0o700), ("/run/munge", 0o755), ("/var/lib/munge", 0o700)):
        Path(folder).mkdir(mode=mode, parents=True, exist_ok=True)
        shutil.chown(folder, "munge", "munge")
    if not Path("/etc/munge/munge.key").exists():
        subprocess.run(["runuser", "-u", "munge", "--", "mungekey", "--create"], check=True)
    command = ["runuser", "-u", "munge", "--", "munged", "--foreground", "--log-file=/dev/stderr"]
    return start("munged", state, *command, "--force")


def start(name: str, state: Path, *command: str) -> subprocess.Popen:
    environment = {**os.environ, "PATH": search_path()}
    with open(state / f"{name}.log", "w") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, env=environment)


def succeeds(command: str) -> bool:
    environment = {**os.environ, "PATH": search_path()}
    done = subprocess.run(["sh", "-c", command], capture_output=True, env=environment, check=False)
    return done.returncode == 0


def wait_until(command: str, daemon: subprocess.Popen, state: Path, seconds: float = 40) -> None:
    deadline = time.monotonic() + seconds
    while not succeeds(command):
        if daemon.poll() is not None or time.monotonic() > deadline:
            logs = "\n".join(path.read_text()[-2000:] for path in sorted(state.glob("*.log")))
            raise RuntimeError(f"Slurm did not come up ({command}):\n{logs}")
        time.sleep(0.2)
