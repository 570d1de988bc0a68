/** Where a container finds the secret with its environment, and may put temporary files. */
export const environmentSecret = '/run/secrets/environment'
export const tokenSecret = '/run/secrets/token'
export const temporaryFolder = '/run/steward'
/** What an application puts there is gone with its task. */
export const dataFolder = `${temporaryFolder}/data`

/** Last line of a task's output, with the exit code of the application after it. No application writes this character. */
export const endMark = '\u001Esteward:ended '

/**
 * First process of a task: takes in the environment, which is a secret of the swarm, because a service shows its variables
 * to everybody who may look at it; runs the application, and says at last how it ended, so that the collector of the
 * output knows that it is complete. Arguments: how many files may be open (0: no limit), the folder of data, the program.
 */
export const entryScript = String.raw`files=$1 data=$2
shift 2
child=''
trap 'stopping=yes; [ -z "$child" ] || kill -TERM "$child" 2>/dev/null' TERM
[ "$files" -eq 0 ] || ulimit -n "$files" 2>/dev/null || true
. ${environmentSecret} || exit 1
umask 077
mkdir -p "$data" || exit 1
[ ! -e ${tokenSecret} ] || cp ${tokenSecret} "$data/token.secret" || exit 1
"$@" &
child=$!
[ -z "$stopping" ] || kill -TERM "$child" 2>/dev/null
# A signal ends a wait before its time.
while :; do
  wait "$child"; code=$?
  kill -0 "$child" 2>/dev/null || break
done
printf '\036steward:ended %s\n' "$code"
exit "$code"`
