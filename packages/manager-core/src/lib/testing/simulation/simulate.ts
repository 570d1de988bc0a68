import { dirname } from 'node:path'
import type { ActionResult } from '../../action.js'
import type { Caller } from '../../domain/caller.js'
import { fullGrant } from '../../domain/grant.js'
import type { Manager } from '../../manager.js'
import type { PublishOptions } from '../../proxies/proxies.js'
import { behaviourOf } from './applications.js'
import { backupsIn, hasExpired, problemsOf, unended, type MadeBackup } from './check.js'
import { existsSync, lchownSync, lstatSync, mkdirSync, rmSync, writeFileSync } from './files.js'
import { historyOf, textOf, type Command, type Happening } from './history.js'
import { createSimulatedHome, type SimulatedHome } from './home.js'
import { difference, pictureOf, query, routesNow, routesWanted, rowsOf, walk, type Picture } from './look.js'
import { machine, run, secrets, StandStill, trace, type Ending, type MachineState } from './machine.js'
import { managersHost, managersServer, setProxy, settled } from './proxy.js'

/** What a history did, for reports. */
export interface Tally {
  histories: number
  commands: number
  kills: number
  killedRecoveries: number
  /** What was refused or failed, by code. */
  readonly failures: Record<string, number>
}

/** A history that came to what must never be, as small as it could be made. */
export interface Finding {
  readonly seed: number
  readonly problem: string
  readonly history: readonly string[]
}

export interface SimulationOptions {
  readonly first: number
  readonly count: number
  /** How many happenings each has. Default: the seed says. */
  readonly length?: number | undefined
  /** Ends after that many findings. Default: 1 */
  readonly most?: number
  /** Whether they are made smaller. Default: yes. */
  readonly shrinks?: boolean
  /** Called with each happening and its result. */
  readonly tell?: ((line: string) => void) | undefined
  /** Called with each effect. */
  readonly effects?: (line: string) => void
}

export interface Simulation {
  readonly tally: Tally
  readonly findings: readonly Finding[]
}

const caller: Caller = { actor: 'simulation', surface: 'cli', grant: fullGrant }

/** What must never be. */
class Broken extends Error {}

/** Runs histories, one seed after the other. */
export async function simulate(options: SimulationOptions): Promise<Simulation> {
  const { first, count, length, most = 1, shrinks = true, tell } = options
  const home = createSimulatedHome()
  const silence = silenceTheDead()
  // The folder is another one each time.
  trace.tell = options.effects && ((line) => options.effects?.(line.replaceAll(dirname(home.folder), '')))
  const tally: Tally = { histories: 0, commands: 0, kills: 0, killedRecoveries: 0, failures: {} }
  const findings: Finding[] = []
  try {
    home.reset(1)
    await onlyOne(home, (manager) => manager.perform('refresh', {}, caller))
    home.begin()
    for (let seed = first; seed < first + count && findings.length < most; seed++) {
      tally.histories++
      const history = historyOf(seed, length)
      const problem = await problemIn(home, seed, history, tally, tell)
      if (problem === undefined) continue
      const smallest = shrinks ? await shrink(home, seed, history, problem) : history
      findings.push({ seed, problem, history: smallest.map(textOf) })
    }
    return { tally, findings }
  } finally {
    silence()
    home.remove()
  }
}

/** Failures of a dead process reach no one. */
function silenceTheDead(): () => void {
  const listeners = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', (reason, promise) => {
    if ((reason as Error | undefined)?.message === 'This process was killed.') return
    for (const listener of listeners) listener(reason, promise)
  })
  return () => {
    process.removeAllListeners('unhandledRejection')
    for (const listener of listeners) process.on('unhandledRejection', listener)
  }
}

async function problemIn(
  home: SimulatedHome,
  seed: number,
  history: readonly Happening[],
  tally?: Tally,
  tell?: (line: string) => void,
): Promise<string | undefined> {
  home.reset(seed)
  secrets.clear()
  const world = createWorld(home, tally, tell)
  try {
    await world.begin()
    for (const each of history) {
      machine.state.random = each.seed
      tell?.(textOf(each))
      await world.happen(each)
    }
    await world.end()
    return undefined
  } catch (error) {
    if (error instanceof Broken) return error.message
    if (error instanceof StandStill) return 'A command waits for ever.'
    throw error
  }
}

/** Leaves out what is not needed for a problem, and brings kills forward. */
async function shrink(
  home: SimulatedHome,
  seed: number,
  history: readonly Happening[],
  problem: string,
): Promise<readonly Happening[]> {
  const kind = kindOf(problem)
  const isStill = async (candidate: readonly Happening[]) => {
    const found = await problemIn(home, seed, candidate)
    return found !== undefined && kindOf(found) === kind
  }
  let smallest = history
  for (let changed = true; changed;) {
    changed = false
    for (let at = smallest.length - 1; at >= 0; at--) {
      for (const candidate of simplerAt(smallest, at)) {
        if (!(await isStill(candidate))) continue
        smallest = candidate
        changed = true
        break
      }
    }
  }
  return smallest
}

/** Problems of one kind differ in ids, names and numbers only. */
const kindOf = (problem: string) => (problem.split('\n')[0] ?? '').replaceAll(/[\w-]*\d[\w-]*|alpha|beta|gamma/g, '#')

function simplerAt(history: readonly Happening[], at: number): readonly (readonly Happening[])[] {
  const one = history[at]
  if (!one) return []
  const withInstead = (other: Happening) => history.with(at, other)
  const simpler: (readonly Happening[])[] = [history.toSpliced(at, 1)]
  if (one.type === 'command' && one.recoveriesKilledAt.length > 0)
    simpler.push(withInstead({ ...one, recoveriesKilledAt: [] }))
  if (one.type === 'command' && one.killAt !== undefined)
    simpler.push(
      withInstead({ ...one, killAt: undefined, recoveriesKilledAt: [] }),
      ...[Math.floor(one.killAt / 2), one.killAt - 1]
        .filter((killAt) => killAt > 0)
        .map((killAt) => withInstead({ ...one, killAt })),
    )
  if (one.type === 'together')
    simpler.push(
      ...one.commands.map((command) =>
        withInstead({ ...command, seed: one.seed, type: 'command', recoveriesKilledAt: [] }),
      ),
    )
  return simpler
}

async function onlyOne<T>(
  home: SimulatedHome,
  work: (manager: Manager) => Promise<T>,
  killAt?: number,
): Promise<Ending<T>> {
  const [ending] = await run([programOf(home, work, killAt)])
  return ending as Ending<T>
}

function programOf<T>(home: SimulatedHome, work: (manager: Manager) => Promise<T>, killAt?: number) {
  return {
    killAt,
    async work() {
      const manager = home.manager()
      try {
        return await work(manager)
      } finally {
        manager.close()
      }
    },
  }
}

function createWorld(home: SimulatedHome, tally?: Tally, tell?: (line: string) => void) {
  const { folder } = home
  const made = new Map<string, MadeBackup>()
  let revision = 0

  const perform =
    ({ action, input }: Command) =>
    (manager: Manager): Promise<ActionResult> =>
      manager.perform(action, input, { ...caller, waitMs: 0 })

  function note(ending: Ending<unknown>): void {
    if (tally) tally.commands++
    if (ending === 'killed') {
      if (tally) tally.kills++
      return tell?.('  killed')
    }
    if ('value' in ending) return tell?.('  ok')
    const { code, message } = ending.error as Error & { readonly code?: string }
    tell?.(`  ${code}: ${message}`)
    if (tally) tally.failures[String(code)] = (tally.failures[String(code)] ?? 0) + 1
    if (!String(code).startsWith('ERR_')) throw new Broken(`An error without a code: ${(ending.error as Error).stack}`)
  }

  async function recover(killedAt: readonly number[] = []): Promise<void> {
    for (const killAt of killedAt) {
      const ending = await onlyOne(home, recoverAndPublish, killAt)
      if (ending === 'killed' && tally) tally.killedRecoveries++
    }
    const ending = await onlyOne(home, recoverAndPublish)
    if (ending === 'killed' || 'error' in ending)
      if (!machine.state.isDiskFull)
        throw new Broken(`Recovery fails: ${ending === 'killed' ? '' : (ending.error as Error).message}`)
  }

  /** As each action does it first. */
  async function recoverAndPublish({ context }: Manager): Promise<void> {
    const recovered = await context.operations.recover(caller)
    if (recovered.length > 0) await context.proxies.publish(caller).catch(silent)
  }

  /** As the server of the manager does it at intervals. */
  const publish = async (options: PublishOptions = { repair: true }) =>
    onlyOne(home, ({ context }) => context.proxies.publish(caller, options))

  const isWell = () =>
    !machine.state.isDiskFull && machine.state.databaseServer !== 'down' && machine.state.databaseServer !== 'failing'

  const noteBackups = () => {
    for (const backup of backupsIn(folder)) made.set(backup.folder, backup)
  }

  async function check(): Promise<void> {
    noteBackups()
    if (!isWell()) return
    const problems = await problemsOf(folder, made, machine.state.keepLast)
    if (problems.length > 0) throw new Broken(problems.join('\n'))
  }

  /** Addresses lead where they should. @param before where else they may */
  function checkPublished(before?: Picture): void {
    if (!machine.state.publishes || !isWell() || settled().condition !== 'well') return
    const [now, wanted] = [routesNow(), routesWanted(folder)]
    if (before && difference(now, before) === undefined) return
    const different = difference(now, wanted)
    if (different !== undefined) throw new Broken(`Addresses are published wrongly.\n${different}`)
  }

  async function command(happening: Extract<Happening, { type: 'command' }>): Promise<void> {
    const { killAt, recoveriesKilledAt, seed } = happening
    const routes = routesNow()
    if (killAt === undefined || !isWell()) {
      const ending = await onlyOne(home, perform(happening), killAt)
      note(ending)
      if (ending === 'killed') await recover()
      noteBackups()
      checkPublished(ending === 'killed' || 'error' in ending ? routes : undefined)
      return checkRestored(happening, ending)
    }
    const before = pictureOf(folder)
    const state = structuredClone(machine.state)
    home.keep()
    const ending = await onlyOne(home, perform(happening), killAt)
    note(ending)
    await recover(recoveriesKilledAt)
    await check()
    checkPublished(ending === 'killed' || 'error' in ending ? routes : undefined)
    if (ending !== 'killed') return
    // As the next command does.
    await publish({})
    checkPublished()
    const now = pictureOf(folder)
    // Who is not killed purges that, too.
    if (hasExpired(folder, machine.state.now)) return
    if (isOfSeveral(happening) || difference(now, before) === undefined || unended(folder).length > 0) return
    const wasMade = [...made]
    const after = await pictureAfter(happening, state, seed)
    made.clear()
    for (const [key, backup] of wasMade) if (existsSync(key)) made.set(key, backup)
    const different = difference(now, after)
    if (different !== undefined)
      throw new Broken(
        `${happening.action} is neither done nor undone.\nTo before:\n${difference(now, before)}\nTo after:\n${different}`,
      )
  }

  /** An instance gets nothing of another one, unless the caller names it. */
  function checkRestored({ action, input }: Command, ending: Ending<ActionResult>): void {
    if (action !== 'restore' || input['as'] !== undefined || ending === 'killed' || 'error' in ending) return
    const [, key] = /as it was saved: (\S+)\. /.exec(`${ending.value.message} `) ?? []
    const backup = made.get(`${folder}/save/${key}`)
    const row = rowsOf(folder).find(({ name }) => name === input['name'])
    if (backup && row && backup.instance !== row.id)
      throw new Broken(`${row.name} was restored from a backup of another instance.`)
  }

  /** The result of the command when it is not killed. The machine is there afterwards. */
  async function pictureAfter(happening: Command, state: MachineState, seed: number): Promise<Picture> {
    home.bringBack()
    machine.boot(state)
    machine.state.random = seed
    await onlyOne(home, perform(happening))
    return pictureOf(folder)
  }

  async function together(commands: readonly Command[]): Promise<void> {
    const routes = routesNow()
    const endings = await run(commands.map((each) => programOf(home, perform(each), each.killAt)))
    for (const ending of endings) note(ending)
    await recover()
    await check()
    // What one of them published is between what was before and what is wanted.
    if (endings.includes('killed')) await publish()
    checkPublished(endings.some((ending) => ending !== 'killed' && 'value' in ending) ? undefined : routes)
  }

  /**
   * What comes to an address is answered by its instance; one that sleeps is woken by the server of the manager.
   *
   * @returns whether it was answered
   */
  async function request(seed: number, name: string, killAt?: number): Promise<boolean> {
    const route = settled().condition === 'down' ? undefined : settled().configuration.routes.get(addressOf(name))
    const find = () => rowsOf(folder).find(({ id }) => id === route?.instance)
    const found = find()
    if (!route || !found) return false
    if (route.wakes && found.desired === 'started' && found.observed === 'asleep')
      await command({
        ...{ seed, killAt },
        type: 'command',
        action: 'wake',
        input: { name: found.name },
        recoveriesKilledAt: [],
      })
    const now = find()
    // The waker looks up where it is; the reverse proxy knows only where it was.
    const port = route.wakes ? now?.port : route.port
    const [key] = [...machine.state.instances].find(([, each]) => each.state === 'started' && each.port === port) ?? []
    if (key !== undefined && !key.startsWith(`${found.id}/`)) throw new Broken(`${name} is answered by ${key}.`)
    if (key === undefined && found.observed === 'asleep' && now?.observed !== 'asleep' && unended(folder).length === 0)
      throw new Broken(`A request left ${name} neither awake nor asleep.`)
    return key !== undefined
  }

  /** A row and a file more. */
  function addData(name: string): void {
    const row = rowsOf(folder).find((each) => each.name === name)
    if (!row || !existsSync(`${folder}/instances/${row.id}/app`)) return
    for (const { user, tables } of machine.state.databases.values())
      if (user.includes(row.id)) tables['note']?.push(`of ${row.id} ${machine.random.below(1000)}`)
    writeAsInstance(`${folder}/instances/${row.id}/data/file.txt`, String(machine.random.below(1000)))
  }

  /** As the owner of the folder that it is in. */
  function writeAsInstance(file: string, content: string): void {
    const { uid, gid } = lstatSync(dirname(file))
    writeFileSync(file, content)
    lchownSync(file, uid, gid)
  }

  function changeApplication(name: string, does: 'start' | 'fail' | 'hang'): void {
    const row = rowsOf(folder).find((each) => each.name === name)
    if (!row || !existsSync(`${folder}/instances/${row.id}/app`)) return
    const behaviour = { start: {}, fail: { start: 'fail' }, hang: { health: 'hang' } }[does]
    rmSync(`${folder}/instances/${row.id}/app/fake.json`, { force: true })
    writeAsInstance(`${folder}/instances/${row.id}/app/fake.json`, JSON.stringify(behaviour))
  }

  function setHook({ hook, does }: Extract<Happening, { type: 'hook' }>): void {
    const file = `${folder}/hooks/${hook}.sh`
    rmSync(file, { force: true })
    mkdirSync(dirname(file), { recursive: true })
    if (does !== 'go') writeFileSync(file, `#!/bin/sh\nexit ${does === 'fail' ? 1 : 0}\n`, { mode: 0o755 })
  }

  /** The server of the manager publishes what there is. */
  async function begin(): Promise<void> {
    if (machine.state.publishes) await publish(managersServer)
  }

  async function happen(happening: Happening): Promise<void> {
    const { state } = machine
    switch (happening.type) {
      case 'command':
        return command(happening)
      case 'together':
        return together(happening.commands)
      case 'data':
        return addData(happening.name)
      case 'application':
        return changeApplication(happening.name, happening.does)
      case 'template':
        return home.changeTemplate(++revision, happening.does)
      case 'disk':
        state.isDiskFull = happening.isFull
        state.room = 0
        return undefined
      case 'database server':
        state.databaseServer = happening.condition
        return undefined
      case 'target':
        state.target = happening.condition
        return undefined
      case 'account tools':
        state.accountTools = happening.condition
        return undefined
      case 'proxy':
        return setProxy(happening.condition)
      case 'request': {
        const isAnswered = await request(happening.seed, happening.name, happening.killAt)
        return tell?.(isAnswered ? '  answered' : '  not answered')
      }
      case 'port':
        if (!state.takenPorts.delete(happening.port)) state.takenPorts.add(happening.port)
        return undefined
      case 'hook':
        return setHook(happening)
      case 'time':
        state.now += happening.hours * 3_600_000
        return undefined
    }
  }

  /** Everything is well again: what was left comes to its end, and all can be stopped and removed without a trace. */
  async function end(): Promise<void> {
    const { state } = machine
    state.isDiskFull = false
    state.databaseServer = 'well'
    state.target = 'well'
    state.accountTools = 'well'
    setProxy('well')
    state.takenPorts.clear()
    rmSync(`${folder}/hooks`, { recursive: true, force: true })
    await recover()
    await check()
    await publish()
    checkPublished()
    await wakeAll()
    // Applications may be as broken as they are.
    await mustDo(rowsOf(folder).map(({ name }) => ({ action: 'stop', input: { name } })))
    for (const { name } of rowsOf(folder)) changeApplication(name, 'start')
    for (const { id, title } of query(folder, `select id, title from operation where state = 'attention'`)) {
      const ending = await onlyOne(home, (manager) => manager.context.operations.retry(String(id), caller))
      if (ending === 'killed' || 'error' in ending || ending.value === 'attention')
        throw new Broken(`It cannot be brought to an end: ${String(title)}\n${unended(folder).join('\n')}`)
    }
    await check()
    await mustDo([
      ...rowsOf(folder).flatMap(({ name, protected: isProtected }) => [
        ...(isProtected === 0 ? [] : [{ action: 'unprotect', input: { name } }]),
        { action: 'delete', input: { name, purge: true } },
      ]),
      { action: 'purge', input: { all: true } },
      { action: 'backups prune', input: {} },
    ])
    await check()
    const { databases, users, instances } = state
    const files = [...walk(folder)].filter((path) => /\.status\.json\.\d+\.part$|\.removed\/$/.test(path))
    const addresses = Object.keys(routesNow()).filter((address) => address !== managersHost)
    const left = [
      ...[...databases.keys(), ...users.keys(), ...instances.keys(), ...state.accounts.keys()],
      ...[...files, ...addresses],
    ]
    if (left.length > 0) throw new Broken(`After all was removed there is: ${left.join(', ')}`)
  }

  /** A request wakes each that sleeps, if it can be started at all. */
  async function wakeAll(): Promise<void> {
    if (unended(folder).length > 0) return
    for (const { id, name, desired, observed } of rowsOf(folder)) {
      const { start, health } = behaviourOf(`${folder}/instances/${id}/app`)
      if (desired !== 'started' || observed !== 'asleep' || start === 'fail' || health !== undefined) continue
      if (!(await request(machine.state.random, name))) throw new Broken(`No request wakes ${name}.`)
    }
  }

  /** One after the other, by one process, as a server does it. */
  async function mustDo(all: readonly Command[]): Promise<void> {
    const ending = await onlyOne(home, async (manager) => {
      for (const wanted of all)
        await perform(wanted)(manager).catch((error: Error & { readonly code?: string }) => {
          throw new Broken(
            `${wanted.action} ${JSON.stringify(wanted.input)} is refused: ${error.code} ${error.message}`,
          )
        })
    })
    if (ending !== 'killed' && 'error' in ending) throw ending.error
  }

  return { begin, happen, end }
}

const addressOf = (name: string) => `${name}.${managersHost}`

function silent(): void {}

/** It is several operations, each of which is done or undone. */
function isOfSeveral({ action, input }: Command): boolean {
  return (
    ['refresh', 'saveall', 'backups prune'].includes(action) || input['purge'] === true || input['to'] !== undefined
  )
}
