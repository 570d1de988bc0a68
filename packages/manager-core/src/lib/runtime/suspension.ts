import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ManagerError } from '../../errors.js'
import type { SystemAccount } from '../accounts/account.js'
import { identify, stateOf, type ProcessIdentity } from '../system/process-identity.js'
import { statOf, threadStates } from '../system/process-table.js'
import type { Look } from './look.js'
import { isAlive, isOf, lookAt } from './look.js'
import { accountOfRun, readSuspension, removeRunFiles, writeSuspension } from './run-files.js'
import { signal, signalAll } from './signals.js'
import { spawnAlone } from './spawn-alone.js'

/**
 * Lets an instance continue when the time is over or the manager is gone: a shell of its own, which outlives a manager that
 * is killed. Arguments: a part of a second, then whole ones, the manager and its start, and what to run then. Processes
 * continue, unless they have ended, with `go_on`, one of them, its start, and what to signal.
 */
const watchdog = `is_there() {
  pid=$1 start=$2
  read -r stat <"/proc/$pid/stat" || return 1
  set -- \${stat##*) }
  [ "$1" != Z ] && shift 19 && [ "$1" = "$start" ]
}
go_on() {
  if is_there "$1" "$2"; then kill -s CONT -- "$3"; fi
}
sleep "$1"
left=$2
while [ "$left" -gt 0 ] && is_there "$3" "$4"; do
  sleep 1
  left=$((left - 1))
done
shift 4
"$@"`

/** The manager itself comes first. */
const spareSeconds = 0.5

/** How long freezing may take: a thread that writes to a disk ends that first. */
const freezeMs = 5000

/** Freezes all processes of an instance, for little more than `maxMs`, and no longer than the manager lives. */
export async function suspend(run: string, maxMs: number): Promise<void> {
  const look = lookAt(run)
  const held = holderOf(look)
  if (!held) return
  endWatchdog(run)
  await beginWatchdog(run, { maxMs, command: ['go_on', ...held], account: accountOfRun(run) })
  signalAll(look, 'SIGSTOP')
  if (!(await frozen(run))) {
    resume(run)
    throw new ManagerError('ERR_FAILED', `The processes of the instance in ${dirname(run)} could not be frozen.`, {
      help: 'They are waiting for a disk or a network drive. Try again.',
    })
  }
}

interface Watch {
  readonly maxMs: number
  /** What lets the instance continue. */
  readonly command: readonly string[]
  /** Who does it. Default: this user. */
  readonly account: SystemAccount | undefined
}

/** Sees to it that an instance that is frozen next resumes in any case. */
export async function beginWatchdog(run: string, { maxMs, command, account }: Watch): Promise<void> {
  const dog = await spawnAlone(watchdogOf(maxMs, command), {
    cwd: run,
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'ignore', 'ignore'],
    account,
  })
  const identity = identify(dog.pid as number)
  if (!identity) throw new Error('The process that should resume it ended immediately.')
  writeSuspension(run, identity)
}

/** Arguments of a shell that runs a command when the time is over or the manager is gone. */
export function watchdogOf(maxMs: number, command: readonly string[]): readonly string[] {
  return ['-c', watchdog, 'steward-resume', ...timeOf(maxMs), ...manager(), ...command]
}

/** In seconds: what is left over, and the whole ones. */
function timeOf(maxMs: number): readonly [part: string, whole: string] {
  const seconds = maxMs / 1000 + spareSeconds
  const whole = Math.floor(seconds)
  return [(seconds - whole).toFixed(3), String(whole)]
}

function manager(): readonly [pid: string, start: string] {
  const { pid, start } = identify(process.pid) as ProcessIdentity
  return [String(pid), start]
}

/** Lets them continue. May be repeated. */
export function resume(run: string): void {
  const look = lookAt(run)
  if (isAlive(look)) signalAll(look, 'SIGCONT')
  endWatchdog(run)
}

/** A signal takes a moment to reach every thread. */
async function frozen(run: string): Promise<boolean> {
  const begin = performance.now()
  for (;;) {
    const { application, strays } = lookAt(run)
    const pids = [application?.identity.pid, ...strays.map(({ pid }) => pid)].filter((pid) => pid !== undefined)
    if (pids.every((pid) => threadStates(pid).every((state) => state === 'T'))) return true
    if (performance.now() - begin > freezeMs) return false
    await sleep(2)
  }
}

/** It is not needed any more. @param isIt whether a process can be it: what is in `run/` the instance may have written */
export function endWatchdog(run: string, isIt = (pid: number) => isOf(accountOfRun(run), pid)): void {
  const identity = readSuspension(run)
  // Its sleep is in its group, too.
  if (identity && stateOf(identity) === 'alive' && isIt(identity.pid)) signal(-identity.pid, 'SIGKILL')
  removeRunFiles(run, ['suspended'])
}

/** A process that shows whether they are still the same ones, its start, and what to signal: it or its group. */
function holderOf({
  supervisor,
  application,
}: Look): readonly [pid: string, start: string, target: string] | undefined {
  if (supervisor) {
    const { pid, start } = supervisor.identity
    return [String(pid), start, String(-pid)]
  }
  const stat = application && statOf(application.identity.pid)
  if (!stat) return undefined
  const isOfGroup = stat.group === application.supervisor
  return [String(stat.pid), stat.start, String(isOfGroup ? -stat.group : stat.pid)]
}
