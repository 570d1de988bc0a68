import { CommanderError } from 'commander'
import { createManager } from '@steward/manager-core'
import type { Manager } from '@steward/manager-core'
import { actAsOwner } from './lib/act-as-owner.js'
import { failureJson, failureOf, failureText } from './lib/failure.js'
import { withWaitOfItsOwn } from './lib/global-options.js'
import { usualCommands } from './lib/help.js'
import { hasManager, homeFolder } from './lib/home-folder.js'
import { interruptionBy } from './lib/interruption.js'
import { applicationServer, command, defaultTemplate, packageVersion } from './lib/parts.js'
import { createProgram, lackingInstance, type CommandCall } from './lib/program.js'
import { runCall } from './lib/run-call.js'
import { surroundingsOf, type Surroundings } from './lib/surroundings.js'
import { write } from './lib/write.js'

export interface MainOptions extends Partial<Surroundings> {
  /** Makes what performs the commands, from the home's folder. Default: the manager itself. */
  readonly createManager?: (home: string) => Manager
}

/**
 * The command line; without a command, the state and the usual commands. Streams, environment, folder and signals may be given; the default is the process's own.
 *
 * @param args without the program's name
 * @returns the exit code: 0 ok · 1 failed · 2 usage · 3 not found · 4 refused · 5 busy · 6 rolled back · 7 needs
 *   attention · 128 + a signal's number when that signal cancelled it (130: Ctrl-C)
 */
export async function main(args: readonly string[], options: MainOptions = {}): Promise<number> {
  const surroundings = surroundingsOf(options)
  const { stdin, stdout, stderr, env, signals } = surroundings
  const createFor = options.createManager ?? ((home: string) => realManager(home, env))
  const typed = withWaitOfItsOwn(args)
  const beforeEnd = typed.slice(0, typed.includes('--') ? typed.indexOf('--') : undefined)
  const [json, verbose, utc] = ['--json', '--verbose', '--utc'].map((option) => beforeEnd.includes(option))
  const ignoreClosedPipe = () => {}
  for (const stream of [stdout, stderr]) stream.on('error', ignoreClosedPipe)
  let call: CommandCall | undefined
  const interruption = interruptionBy(signals, () => {
    const what = call?.action.keepsRunning
      ? 'Stopping; running operations continue'
      : 'Cancelling; press Ctrl-C again to stop immediately'
    stderr.write(`\n${what} …\n`)
  })
  let manager: Manager | undefined
  /** What `schedule` installs appends to one log: each command says when it ran, and how it ended. */
  const log = async (text: string) => {
    if (call && !json && env.STEWARD_SURFACE === 'schedule')
      await write(stdout, `${new Date().toISOString()} ${call.action.name} ${text}\n`)
  }
  const work = async () => {
    const { actions } = createFor('')
    const managerAt = (home: string | undefined) => (manager = createFor(homeFolder(home, surroundings)))
    const onCall = (one: CommandCall) => (call = one)
    const create = () => createProgram({ actions, version: packageVersion(), surroundings, onCall, managerAt })
    const program = create()
    const isBare = typed.length === 0
    const usual = () => usualCommands(program, stdout.isTTY ? stdout.columns : undefined)
    if (isBare && !hasManager(homeFolder(undefined, surroundings))) {
      await write(stdout, `There is no manager here yet. To create one, run: manager init\n\n${usual()}`)
      return 0
    }
    const managerFor = ({ action, options: given }: Pick<CommandCall, 'action' | 'options'>) => {
      const home = homeFolder(given.home, surroundings, action.defaultHome)
      if (!options.createManager && !action.asCaller) actAsOwner(home)
      return (manager ??= createFor(home))
    }
    try {
      program.parse(isBare ? ['status'] : typed, { from: 'user' })
    } catch (error) {
      const lacking = lackingInstance.get(error as object)
      if (!lacking || json || !stdin.isTTY || !stderr.isTTY) throw error
      const { pickInstance } = await import('./lib/pick-instance.js')
      const name = await pickInstance(managerFor(lacking), surroundings)
      if (name === undefined) throw error
      create().parse([...typed, ...(typed.includes('--') ? [] : ['--']), name], { from: 'user' })
    }
    if (!call) return 0
    await log('started')
    const code = await runCall(call, managerFor(call), surroundings, interruption)
    if (isBare) await write(stdout, `\n${usual()}`)
    return code
  }
  try {
    const first = await Promise.race([work(), interruption.second.then((code) => ({ code }))])
    if (typeof first === 'number') {
      await log(`ended with code ${first}`)
      return first
    }
    stderr.write('Stopped immediately. The next command will repair the instance.\n')
    return first.code
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    const failure = failureOf(error, interruption.exitCode)
    if (json) await write(stdout, failureJson(failure))
    else await write(stderr, failureText(failure, { verbose, utc }))
    await log(`ended with code ${failure.exitCode}`)
    return failure.exitCode
  } finally {
    interruption.end()
    // The last write may still report that its reader has gone.
    await Promise.all([write(stdout, ''), write(stderr, '')])
    for (const stream of [stdout, stderr]) stream.off('error', ignoreClosedPipe)
    manager?.close()
  }
}

function realManager(home: string, environment: Surroundings['env']): Manager {
  return createManager({
    home,
    environment,
    applicationServer: applicationServer(),
    defaultTemplate: defaultTemplate(),
    command: command(),
  })
}
