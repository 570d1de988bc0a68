import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { ManagerError } from '../../errors.js'
import { instanceHomeAt } from '../home.js'
import { identify } from '../operation/process-identity.js'
import { runFolderOf, servingCopy, servingMarker } from './copies.js'
import { applicationLog, logVariable, lookAt, runVariable } from './look.js'
import { hasRunFile, putRunFile, removeRunFiles, writeSupervisor } from './run-files.js'
import type { InstanceRef, InstanceSpec } from './runtime.js'
import { spawnAlone } from './spawn-alone.js'
import { supervisorScript } from './supervisor-script.js'

/** When a crashed application is started again. */
export interface RestartPolicy {
  /** In seconds: after the first, second … crash; the last one for all that follow. */
  readonly pauses: readonly number[]
  /** Whoever ran this long (s) is not counted as crashing at its start. */
  readonly steadySeconds: number
  /** After so many crashes, each within `steadySeconds` of a start, it is not started again. */
  readonly limit: number
}

/** Of the operator's variables, those that say how programs run here, and no secrets. */
const inherited = /^(PATH|HOME|LANG|LC_[A-Z]+|TZ|TMPDIR)$/

// Node runs the source as it is, so tests need no build.
const guest = new URL(import.meta.url.endsWith('.ts') ? './guest.worker.ts' : './guest.worker.js', import.meta.url)

/** How long a start waits for the application's process, in ms. */
const underWayMs = 5000

const scriptName = 'supervisor.sh'

/** Lays out what a start needs. May be repeated, also while it runs. */
export function layOut(ref: InstanceRef): void {
  const run = runFolderOf(ref)
  const { logs } = instanceHomeAt(ref.folder)
  for (const each of [run, logs]) mkdirSync(each, { recursive: true, mode: 0o700 })
  if (readText(join(run, scriptName)) !== supervisorScript) putRunFile(run, scriptName, supervisorScript)
}

/**
 * Starts the supervisor, which starts the application; resolves when the application has a process, or had one.
 *
 * @throws ManagerError ERR_FAILED, or what the file system says
 */
export async function launch(
  spec: InstanceSpec,
  policy: RestartPolicy,
  debugMinutes: number | undefined,
): Promise<void> {
  const run = runFolderOf(spec)
  const { logs } = instanceHomeAt(spec.folder)
  const problem = (reason: string, cause?: unknown) =>
    new ManagerError('ERR_FAILED', `Cannot start ${spec.command[0] ?? 'the application'}: ${reason}`, { cause })
  if (!existsSync(spec.workingFolder)) throw problem(`there is no folder ${spec.workingFolder}.`)
  if (!existsSync(spec.command[0] ?? '')) throw problem('there is no such program.')
  removeRunFiles(run, ['application', 'exit', 'crashed', 'debugger'])
  const token = randomUUID()
  const log = openSync(join(logs, 'application.log'), 'a', 0o600)
  try {
    const supervisor = await spawnAlone(
      [
        join(run, scriptName),
        ...[run, policy.pauses.join(' '), String(policy.steadySeconds), String(policy.limit)],
        ...commandOf(spec),
      ],
      { cwd: spec.workingFolder, env: environmentOf(spec, token, debugMinutes), stdio: ['pipe', log, log] },
    ).catch((error: unknown) => {
      throw problem((error as Error).message, error)
    })
    const stdin = supervisor.stdin as Writable
    // It may be gone already when somebody killed it.
    stdin.on('error', () => undefined)
    try {
      const identity = identify(supervisor.pid as number)
      if (!identity) throw problem('its supervisor ended at once.')
      writeSupervisor(run, { identity, token })
      stdin.end('go\n')
    } catch (error) {
      // Without the word it ends.
      stdin.destroy()
      throw error
    }
    await underWay(run)
  } finally {
    closeSync(log)
  }
}

/** A full disk keeps its supervisor from writing down what it started. */
async function underWay(run: string): Promise<void> {
  const begin = performance.now()
  while (performance.now() - begin < underWayMs) {
    if (hasRunFile(run, 'exit') || lookAt(run).state !== 'starting') return
    await sleep(5)
  }
}

function readText(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

/** Node is told its limit, and takes the module in that rotates the log and opens the debugger. */
function commandOf({ command, maxMemoryMb }: InstanceSpec): readonly string[] {
  const [program = '', ...args] = command
  if (!/^node(js)?$/.test(basename(program))) return command
  const limit = maxMemoryMb === undefined ? [] : [`--max-old-space-size=${maxMemoryMb}`]
  return [program, ...limit, '--import', guest.href, ...args]
}

function environmentOf(spec: InstanceSpec, token: string, debugMinutes: number | undefined): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => inherited.test(name))
  return {
    ...Object.fromEntries(own),
    ...spec.environment,
    [runVariable]: token,
    ...(spec.needs !== undefined && { STEWARD_NEEDS: spec.needs }),
    [logVariable]: applicationLog(spec.folder),
    STEWARD_LOG_MAX_BYTES: String(spec.log.maxBytes),
    STEWARD_LOG_KEEP: String(spec.log.keep),
    STEWARD_LOG_COPY: spec.copy ?? servingCopy(spec.folder),
    STEWARD_LOG_MARKER: servingMarker(spec.folder),
    ...(debugMinutes !== undefined && {
      STEWARD_DEBUG_MINUTES: String(debugMinutes),
      STEWARD_DEBUG_FILE: join(runFolderOf(spec), 'debugger'),
    }),
  }
}
