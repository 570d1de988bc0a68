/**
 * First process of a container: it takes in the environment, which the engine does not get because it would show that to
 * everybody who may ask, and becomes the supervisor, the same as of instances that run as processes. Arguments: folder
 * `run/`, the log, the memory limit in MB, how many files may be open (0: no limit), then what the supervisor takes.
 */
export const entryScript = `run=$1 log=$2 megabytes=$3 files=$4
shift 4
umask 077
exec >>"$log" 2>&1
# The engine would not start it where the machine allows fewer.
[ "$files" -eq 0 ] || ulimit -n "$files" 2>/dev/null || true
# One that was killed with its supervisor had no time to say how it ended.
if [ -e "$run/application" ]; then
  printf '137 0\\n' >"$run/exit"
  rm -f "$run/application" "$run/debugger"
fi
. "$run/environment" || exit 1
# The engine starts it again unless it ends well; after a request to end it does not, but at the next boot.
export STEWARD_STOPPED=143
# Version 2 of cgroups, and version 1.
for events in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control ''; do
  [ ! -r "$events" ] || break
done
exec /bin/sh "$run/supervisor.sh" "$run" "$@" <<WORD
go $events $megabytes
WORD
`
