import { userInfo } from 'node:os'
import { fullGrant } from '@steward/manager-core'
import { ManagerError } from '@steward/manager-core/errors'
import type { ActionResult, Caller, Manager } from '@steward/manager-core'
import type { GlobalOptions } from './global-options.js'
import type { Interruption } from './interruption.js'
import { logLine } from './output/log.js'
import { createLink } from './output/link.js'
import { createPaint, isColored } from './output/paint.js'
import { resultJson, resultText } from './output/result.js'
import { printable } from './output/text.js'
import { createTimes, plainTimes, timesIn } from './output/times.js'
import type { CommandCall } from './program.js'
import { createProgress } from './progress/progress.js'
import { runProgram } from './run-program.js'
import { runServer } from './run-server.js'
import { saveFile } from './save-file.js'
import { printStream } from './stream.js'
import type { Surroundings } from './surroundings.js'
import { write } from './write.js'

/** Performs a command and prints what it gave. @returns the exit code */
export async function runCall(
  call: CommandCall,
  manager: Manager,
  surroundings: Surroundings,
  interruption: Interruption,
): Promise<number> {
  const { action, options } = call
  const { json = false, quiet = false } = options
  const { stderr } = surroundings
  let { input } = call
  if (action.parameters?.some(({ readWith }) => readWith !== undefined)) {
    const { withReadValue } = await import('./read-value.js')
    input = await withReadValue(call, surroundings)
  }
  const drawn = action.mutating && !options.dryRun && isColored(options, surroundings, 'stderr')
  const progress = await createProgress({ stderr, json, quiet, drawn })
  const caller: Caller = {
    actor: actorOf(surroundings),
    // Set by what `schedule` installs.
    surface: surroundings.env.STEWARD_SURFACE === 'schedule' ? 'schedule' : 'cli',
    // The user of this account, or root: files of the home are theirs in any case.
    grant: fullGrant,
    dryRun: options.dryRun ?? false,
    waitMs: waitMsOf(options),
    signal: interruption.signal,
    onEvent: (event) => progress.show(event),
  }
  if (options.dryRun && !action.mutating)
    throw new ManagerError('ERR_USAGE', `${action.name} changes nothing, so --dry-run does not apply.`)
  if (losesData(action, input) && !options.yes && !options.dryRun) {
    const { confirmLoss } = await import('./confirm.js')
    const rehearse = () => manager.perform(action.name, input, { ...caller, dryRun: true })
    await confirmLoss({ action, input, surroundings, silent: json, rehearse })
  }
  let result: ActionResult
  try {
    result = await manager.perform(action.name, input, caller)
    await progress.end(true)
  } catch (error) {
    await progress.end(false)
    throw error
  }
  const times = createTimes({ timeZone: options.utc ? 'UTC' : undefined })
  if (!json && !quiet)
    for (const warning of result.warnings ?? []) stderr.write(`Warning: ${timesIn(printable(warning), times)}\n`)
  if (result.server) return runServer(manager, result.server, surroundings, interruption)
  return show(result, { action, input, options }, surroundings, interruption)
}

function losesData(
  { destructive, destructiveWith, harmlessWith }: CommandCall['action'],
  input: CommandCall['input'],
): boolean {
  if (destructive === undefined) return false
  if (harmlessWith !== undefined && input[harmlessWith] !== undefined) return false
  return destructiveWith === undefined || input[destructiveWith] === true
}

async function show(
  result: ActionResult,
  { action, input, options }: CommandCall,
  surroundings: Surroundings,
  interruption: Interruption,
): Promise<number> {
  const { stdout, stderr } = surroundings
  const { json = false, quiet = false, columns, wide } = options
  const exitCode = result.exitCode ?? 0
  const shape = {
    times: stdout.isTTY ? createTimes({ timeZone: options.utc ? 'UTC' : undefined }) : plainTimes,
    paint: createPaint(options, surroundings),
    link: createLink(surroundings),
  }
  if (result.program) {
    interruption.end()
    return runProgram(result.program, surroundings)
  }
  if (result.stream) {
    await printStream(result.stream, surroundings, {
      json,
      signal: interruption.signal,
      ...(action.view.type === 'log' && { shown: (line: string) => logLine(line, shape) }),
    })
    return interruption.exitCode ?? exitCode
  }
  if (result.file) {
    const output = input.output === undefined ? undefined : String(input.output)
    const path = await saveFile(result.file, output, surroundings, interruption.signal)
    const left = result.file.warnings ?? []
    if (!json && !quiet) for (const warning of left) stderr.write(`Warning: ${printable(warning)}\n`)
    if (path === undefined) return exitCode
    const saved = {
      ...result,
      message: `${result.file.name} was written to ${path}.`,
      warnings: [...(result.warnings ?? []), ...left],
      data: { file: path },
    }
    await write(stdout, json ? resultJson(saved, exitCode) : quiet ? `${path}\n` : `${saved.message}\n`)
    return exitCode
  }
  if (json) {
    await write(stdout, resultJson(result, exitCode))
    return exitCode
  }
  const { out, aside } = resultText(action, result, {
    ...shape,
    width: (stdout.isTTY && stdout.columns) || undefined,
    quiet,
    wide,
    columns: columns?.split(',').map((column) => column.trim()),
  })
  await write(stdout, out)
  await write(stderr, aside)
  return exitCode
}

/** The user, for the history: the one who called sudo, if there is one. */
export function actorOf({ env }: Surroundings): string {
  if (env.SUDO_USER) return env.SUDO_USER
  try {
    return userInfo().username
  } catch {
    // A user id without a name, as in containers.
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

function waitMsOf({ wait }: GlobalOptions): number {
  if (wait === undefined) return 0
  if (wait === true || wait === 'for-ever') return Number.POSITIVE_INFINITY
  const seconds = Number(wait)
  if (wait !== '' && seconds >= 0) return seconds * 1000
  throw new ManagerError('ERR_USAGE', `--wait takes a number of seconds, not "${wait}".`)
}
