import { constants } from 'node:os'
import { isFull, sayGone } from '../supervisor-script.js'

const numbers = Object.entries(constants.signals).map(
  ([name, number]) => `      ${name.slice(3)}) code=${128 + number} ;;`,
)

/**
 * What a unit runs, as the account of the instance and with its environment: POSIX shell. It opens the log, so that a link
 * that the instance has put in its place leads nowhere where the instance could not write itself.
 *
 * Arguments: `check`, `start` or `ended`, and the folder `run/`; then of `start` how long it waits for room on the disk (s),
 * the working folder and the program, of `ended` the memory limit in MB. systemd says how it ended in `EXIT_CODE`, `EXIT_STATUS` and `SERVICE_RESULT`.
 */
export const unitScript = `umask 077
what=$1 run=$2
shift 2
exec </dev/null

# Files are whole or not there.
put() { printf '%s\\n' "$2" >"$run/$1.new" && mv -f "$run/$1.new" "$run/$1"; }

say() { printf '%s steward: %s\\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1" >>"$STEWARD_LOG"; }

${sayGone}

${isFull}

case $what in
check)
  if [ -e "$run/begun" ] && [ -n "$STEWARD_NEEDS" ] && [ ! -e "$STEWARD_NEEDS" ]; then
    put crashed 1
    say_gone
    exit 1
  fi
  ;;
start)
  # The debugger is opened once.
  [ ! -e "$run/begun" ] || unset STEWARD_DEBUG_MINUTES
  # It ended soon after its last start: systemd gives up what is started too often.
  left=$1
  [ -n "$(find "$run/begun" -mmin -2 2>/dev/null)" ] || left=0
  while [ "$left" -gt 0 ] && is_full; do
    sleep 1
    left=$((left - 1))
  done
  shift
  : >"$run/begun"
  exec >>"$STEWARD_LOG" 2>&1
  cd "$1" || exit
  shift
  exec "$@"
  ;;
ended)
  [ -n "$EXIT_CODE" ] || exit 0
  code=$EXIT_STATUS out=''
  if [ "$EXIT_CODE" != exited ]; then
    case $EXIT_STATUS in
${numbers.join('\n')}
    esac
  fi
  how="ended with code $code"
  if [ "$SERVICE_RESULT" = oom-kill ] && [ -n "$1" ]; then
    how="ran out of its memory limit of $1 MB" out=" $1"
  fi
  # Whoever sees how it ended finds in the log why.
  [ "$SERVICE_RESULT" = success ] || say "The application $how."
  put exit "$code 0$out"
  rm -f "$run/debugger"
  ;;
esac
`
