/** Function of the scripts that start an instance again, beside `say`: what it needs cannot be seen. */
export const sayGone = `say_gone() {
  how='is gone'
  [ -x "\${STEWARD_NEEDS%/*}" ] || how='cannot be reached by the account of the instance (manager doctor instances)'
  say "$STEWARD_NEEDS $how, so it is not started again: a start would make an empty one."
}`

/** Another one: whether less than 64 kB of the disk of `$run` are free. */
export const isFull = `# Whether less than 64 kB of the disk are free: that is likely why the application ends, so it is started again until
# there is more room.
is_full() {
  df -Pk "$run" | {
    read -r heading
    read -r disk size used free rest
    [ "\${free:-64}" -lt 64 ]
  }
} 2>/dev/null`

/**
 * The program that looks after one instance: POSIX shell, because it has to be small (about 1 MB each) and must not end
 * with the manager. It waits for a word on its standard input before it does anything, so that a manager that dies
 * before it has written down whom it started leaves nothing behind; with the word may come the kernel's file of who was
 * ended for memory, and the limit in MB.
 *
 * Arguments: folder `run/`, pauses after the first, second … crash (s), uptime (s) from which an end is not a quick crash,
 * number of quick crashes after which it gives up, then the program. Working folder, environment, the log as
 * standard output and error, and with `LISTEN_FDS` sockets that listen are inherited: what connects to one waits while the
 * program starts again.
 */
export const supervisorScript = `run=$1 pauses=$2 steady=$3 limit=$4
shift 4
umask 077
read -r go events megabytes || exit 0
exec </dev/null
read -r boot </proc/sys/kernel/random/boot_id
read -r own <"/proc/$$/comm"
child='' stopping='' interrupted='' full='' crashes=0 restarts=0

trap 'interrupted=yes stopping=yes; [ -z "$child" ] || kill -TERM "$child" 2>/dev/null' TERM
trap 'interrupted=yes' HUP INT QUIT

# Files are whole or not there.
put() { printf '%s\\n' "$2" >"$run/$1.new" && mv -f "$run/$1.new" "$run/$1"; }

say() { printf '%s steward: %s\\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1"; }

${sayGone}

# Sets child when it is the program, and no longer a copy of this shell, in which a signal would be lost.
begun() {
  tries=0
  while [ "$tries" -lt 5000 ] && read -r name <"/proc/$1/comm" && [ "$name" = "$own" ]; do
    tries=$((tries + 1))
  done 2>/dev/null
  child=$1
  [ -z "$stopping" ] || kill -TERM "$child" 2>/dev/null
}

# Sets code. A signal ends a wait before its time; a second wait for what has ended gives 127.
finish() {
  interrupted=''
  wait "$1"; code=$?
  while [ -n "$interrupted" ]; do
    interrupted=''
    wait "$1"; again=$?
    [ "$again" -eq 127 ] || code=$again
  done
}

# Writes down how the program ended, when the log says so: what it said before the last such line is about this end.
note_end() {
  put exit "$ended"
  rm -f "$run/application" "$run/debugger"
}

# Sets killed: how many the kernel ended for memory so far; 0 where nobody counts.
count_killed() {
  killed=0
  [ -z "$events" ] || while read -r name number; do
    [ "$name" != oom_kill ] || killed=$number
  done <"$events"
} 2>/dev/null

# Sets seconds since the boot, which no clock changes.
uptime() { read -r seconds rest </proc/uptime; seconds=\${seconds%.*}; }

# Sets start: the 20th field after the name in parentheses.
start_of() { shift 19; start=$1; }

# Ends what the application left behind: the rest of this session. Else that could hold its port, or leave no process to
# start it again with. Only builtins: there may be none. What starts others all the time is not chased for ever.
sweep() {
  passes=0 found=yes
  while [ -n "$found" ] && [ "$passes" -lt 20 ]; do
    found='' passes=$((passes + 1))
    for each in /proc/[0-9]*; do
      pid=\${each#/proc/}
      read -r stat <"$each/stat" || continue
      set -- \${stat##*) }
      [ "$4" = "$$" ] && [ "$pid" != "$$" ] && [ "$1" != Z ] && kill -KILL "$pid" && found=yes
    done
  done
} 2>/dev/null

${isFull}

# Sets pause.
pause_after() {
  number=$1; shift
  while [ "$number" -gt 1 ] && [ $# -gt 1 ]; do shift; number=$((number - 1)); done
  pause=$1
}

# A program takes inherited sockets only when LISTEN_PID is its own process id.
[ -z "$LISTEN_FDS" ] || set -- sh -c 'LISTEN_PID=$$; export LISTEN_PID; exec "$@"' sh "$@"

while [ -z "$stopping" ]; do
  uptime; begin=$seconds
  count_killed; before=$killed
  "$@" &
  begun $!
  if read -r stat <"/proc/$child/stat"; then
    start_of \${stat##*) }
    put application "$child $start $boot $$ $restarts"
  fi 2>/dev/null
  finish "$child"
  child=''
  how="ended with code $code" out=''
  count_killed
  if [ "$code" -eq 137 ] && [ "$killed" -gt "$before" ]; then
    how="ran out of its memory limit of $megabytes MB" out=" $megabytes"
  fi
  ended="$code $restarts$out"
  if [ -n "$stopping" ]; then
    case $code in 0|143) ;; *) say "The application $how." ;; esac
    note_end
    break
  fi
  sweep
  unset STEWARD_DEBUG_MINUTES
  uptime
  [ $((seconds - begin)) -lt "$steady" ] || crashes=0
  crashes=$((crashes + 1)) restarts=$((restarts + 1))
  if [ "$crashes" -ge "$limit" ]; then
    if is_full; then full=yes
    elif [ -n "$full" ]; then full='' crashes=1
    else
      say "The application $how; after $crashes such ends soon after a start it is not started again."
      note_end
      put crashed "$code"
      break
    fi
  fi
  if [ -n "$STEWARD_NEEDS" ] && [ ! -e "$STEWARD_NEEDS" ]; then
    say "The application $how."
    say_gone
    note_end
    put crashed "$code"
    break
  fi
  pause_after "$crashes" $pauses
  say "The application $how; it is started again in $pause s."
  note_end
  [ -z "$stopping" ] || break
  sleep "$pause" &
  begun $!
  finish "$child"
  child=''
done
rm -f "$run/supervisor"
# Whoever looks after this shell tells by its end whether it was asked to.
[ -z "$stopping" ] || exit "\${STEWARD_STOPPED:-0}"
`
