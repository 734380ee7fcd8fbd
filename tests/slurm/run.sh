#!/bin/bash
# Runs the workflow through a real SLURM on this one machine, and compares it with a local run.
#
#     tests/slurm/run.sh FOLDER [SNAKEMAKE ARGUMENTS]
#
# FOLDER (new, or that of a run that was cut off and goes on) gets two clones of HEAD, one for each
# run, and a virtual environment that shares the packages of $PYTHON (default: python of .venv) and
# adds the plugin for SLURM. Debian's
# slurm-wlm and munge must be installed (needs root; `--install` as the first argument does it).
# The arguments say what is run; default: --configfile config/quick.yaml.
# Ends with status 0 if every table is the same, byte for byte, 77 if SLURM cannot be had here.
set -euo pipefail

readonly PLUGIN="snakemake-executor-plugin-slurm==2.8.0"
here=$(cd "$(dirname "$0")/../.." && pwd)

skip() {
    echo "skipped: $*" >&2
    exit 77
}

install=no
if [ "${1:-}" = --install ]; then
    install=yes
    shift
fi
[ $# -ge 1 ] || { sed -n '3,12s/^# \{0,1\}//p' "$0" >&2; exit 2; }
folder=$1
shift
[ $# -gt 0 ] || set -- --configfile config/quick.yaml
python=${PYTHON:-$here/.venv/bin/python}

# ---------------------------------------------------------------- what is needed

[ "$(id -u)" = 0 ] || skip "SLURM's daemons need root here"
if [ $install = yes ]; then
    command -v apt-get > /dev/null || skip "this is no Debian: install slurm-wlm and munge yourself"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends slurm-wlm munge \
        > /dev/null
fi
for program in munged slurmctld slurmd sbatch; do
    command -v "$program" > /dev/null || skip "$program is missing: apt-get install slurm-wlm munge"
done
pgrep -x slurmctld > /dev/null && skip "a slurmctld runs here already; this one would be in its way"
# Jobs look for the configuration where it always is: they get no environment.
readonly CONF=/etc/slurm/slurm.conf
[ ! -e $CONF ] || skip "$CONF exists: this machine belongs to a SLURM already"
[ -s /etc/munge/munge.key ] || skip "/etc/munge/munge.key is missing: dpkg-reconfigure munge"

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
[ -z "$(ls -A "$folder")" ] || [ -d "$folder/venv" ] ||
    { echo "error: $folder holds something else; name a new folder" >&2; exit 2; }

# ---------------------------------------------------------------- clones and environment

for clone in slurm local; do
    if [ -d "$folder/$clone" ]; then
        git -C "$folder/$clone" pull -q --ff-only
    else
        git clone -q "$here" "$folder/$clone"
    fi
done
"$python" -m venv "$folder/venv"
site=$("$folder/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
"$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' > "$site/shared.pth"
"$folder/venv/bin/python" -m pip install -q "$PLUGIN" 2> "$folder/pip.log" ||
    skip "$PLUGIN cannot be installed: $(tail -1 "$folder/pip.log")"
snakemake=("$folder/venv/bin/python" -m snakemake)

# ---------------------------------------------------------------- SLURM, without accounting

state=$folder/state
host=$(hostname -s)
rm -rf "$state"
mkdir -p "$state/ctld" "$state/d"
mkdir -p /etc/slurm
{
    cat << END
ClusterName=local
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CryptoType=crypto/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
StateSaveLocation=$state/ctld
SlurmdSpoolDir=$state/d
SlurmctldPidFile=$state/slurmctld.pid
SlurmdPidFile=$state/slurmd.pid
SlurmctldLogFile=$state/slurmctld.log
SlurmdLogFile=$state/slurmd.log
ReturnToService=2
MinJobAge=600
JobCompType=jobcomp/filetxt
JobCompLoc=$state/jobs.txt
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
END
    # Nine tenths of the memory that there is: the rest is for the controller and Snakemake.
    slurmd -C | awk '/^NodeName/ { for (i = 1; i <= NF; i++) { split($i, part, "=")
        if (part[1] == "RealMemory") $i = "RealMemory=" int(part[2] * 0.9) }
        print $0 " NodeAddr=127.0.0.1 State=UNKNOWN" }'
    echo "PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP DefMemPerCPU=1000"
} > "$state/slurm.conf"

munged=
stop() {
    scontrol shutdown > /dev/null 2>&1 || true
    [ -z "$munged" ] || kill "$munged" 2> /dev/null || true
    rm -f $CONF
}
trap stop EXIT
ln -s "$state/slurm.conf" $CONF

if ! munge -n > /dev/null 2>&1; then
    mkdir -p /run/munge
    chown munge:munge /run/munge
    chmod 755 /run/munge
    runuser -u munge -- munged
    munged=$(cat /run/munge/munged.pid)
fi
munge -n | unmunge > /dev/null || skip "munge does not answer"
slurmctld
sleep 2
slurmd
for _ in $(seq 30); do
    [ "$(sinfo -h -o %t 2> /dev/null)" = idle ] && break
    sleep 1
done
[ "$(sinfo -h -o %t)" = idle ] || skip "the node does not get ready: $(tail -1 "$state/slurmd.log")"

# ---------------------------------------------------------------- both runs

run() {
    local clone=$1
    shift
    (cd "$folder/$clone" && env -u PYTHONPATH "${snakemake[@]}" "$@") > "$folder/$clone.log" 2>&1 ||
        { tail -30 "$folder/$clone.log" >&2; echo "error: see $folder/$clone.log" >&2; exit 1; }
}

(cd "$folder/slurm" && "${snakemake[@]}" --unlock "$@") > /dev/null 2>&1
# Without accounting `sacct` knows nothing, and the plugin would wait for it for ever.
begun=$(date +%s)
run slurm --workflow-profile profiles/slurm --slurm-no-account --slurm-status-command squeue \
    --slurm-init-seconds-before-status-checks 5 --seconds-between-status-checks 5 \
    --latency-wait 10 "$@"
echo "through SLURM: $(($(date +%s) - begun)) s, $(grep -c JobState=COMPLETED "$state/jobs.txt") jobs"
if grep -v JobState=COMPLETED "$state/jobs.txt" > "$folder/failed.txt"; then
    echo "error: jobs that did not end well: $folder/failed.txt" >&2
    exit 1
fi

begun=$(date +%s)
run local --cores 2 "$@"
echo "local: $(($(date +%s) - begun)) s"
# Measured seconds and bytes differ from run to run. They are taken over, and whatever depends on
# them is made again, so that all tables can be compared.
"$folder/venv/bin/python" "$here/tests/slurm/compare.py" take "$folder/slurm" "$folder/local"
run local --cores 2 "$@"
"$folder/venv/bin/python" "$here/tests/slurm/compare.py" compare "$folder/slurm" "$folder/local"
"$folder/venv/bin/python" "$here/tests/slurm/compare.py" submitted "$folder/slurm.log"
