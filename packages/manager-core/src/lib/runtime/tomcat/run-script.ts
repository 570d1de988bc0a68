import { socketServerFile } from './base-files.js'

/**
 * The program that an instance on Tomcat runs: POSIX shell, which becomes Java. A socket that listens becomes its standard
 * input, where Java looks for one. Beside it a shell rotates its log, because
 * nothing in a JVM does, and one more closes the debugger after its time: a JVM cannot, so that it ends Tomcat, which its
 * supervisor starts again without a debugger. Both end with their session. Java's process keeps `STEWARD_LOG`, by which it
 * is known.
 */
export const runScript = `umask 077
log=$STEWARD_LOG most=$STEWARD_LOG_MAX_BYTES keep=$STEWARD_LOG_KEEP
minutes=$STEWARD_DEBUG_MINUTES debugger=$STEWARD_DEBUG_FILE
unset STEWARD_LOG_MAX_BYTES STEWARD_LOG_KEEP STEWARD_LOG_COPY STEWARD_LOG_MARKER STEWARD_DEBUG_MINUTES STEWARD_DEBUG_FILE

# Copies the log aside and cuts it: Java has it open to append. What was written during the copy follows while Java does
# nothing, for a few milliseconds.
rotate() {
  [ "$(stat -c %s "$log")" -ge "$most" ] || return 0
  if [ "$keep" -gt 0 ]; then
    cp "$log" "$log.new" || return 0
    number=$keep
    while [ "$number" -gt 1 ]; do
      [ ! -e "$log.$((number - 1))" ] || mv -f "$log.$((number - 1))" "$log.$number"
      number=$((number - 1))
    done
    copied=$(stat -c %s "$log.new")
    [ -z "$java" ] || kill -STOP "$java"
    tail -c "+$((copied + 1))" "$log" >>"$log.new"
    mv -f "$log.new" "$log.1"
  fi
  : >"$log"
  [ -z "$java" ] || kill -CONT "$java"
}

if [ "\${most:-0}" -gt 0 ]; then
  java=''
  rotate 2>/dev/null
  java=$$
  while sleep 5 && kill -0 "$java"; do rotate; done >/dev/null 2>&1 3<&- &
fi

run() {
  if [ -n "$LISTEN_FDS" ]; then
    exec <&3 3<&-
    set -- "$@" -config conf/${socketServerFile}
  fi
  unset LISTEN_FDS LISTEN_PID
  exec "$CATALINA_HOME/bin/catalina.sh" "$@"
}

if [ -z "$minutes" ]; then
  unset JPDA_ADDRESS
  run run
fi
printf '%s\\n' "$JPDA_ADDRESS" >"$debugger.new" && mv -f "$debugger.new" "$debugger"
(
  sleep "\${minutes}m"
  rm -f "$debugger"
  printf 'steward: The debugger was open for %s minutes; Tomcat is started again without it.\\n' "$minutes"
  kill -TERM $$
) 3<&- &
JPDA_SUSPEND=n
export JPDA_ADDRESS JPDA_SUSPEND
run jpda run
`
