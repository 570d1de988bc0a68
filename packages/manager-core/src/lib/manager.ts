import { existsSync } from 'node:fs'
import { ManagerError } from '../errors.js'
import type { Action, ActionResult } from './action.js'
import { createPerform } from './actions/around/perform.js'
import type { Performance } from './actions/around/performance.js'
import { visibleTo } from './actions/around/scoped.js'
import { checkInput } from './actions/check-input.js'
import { actions, findAction } from './actions/index.js'
import { operationKinds } from './actions/kinds.js'
import { checkTemplateCode } from './application/check-template-code.js'
import { createBackups } from './backup/create-backups.js'
import { createCertificates } from './certificates/create-certificates.js'
import type { ManagerContext } from './context.js'
import { createDatabases } from './databases/create-databases.js'
import type { Caller } from './domain/caller.js'
import { homeAt } from './domain/home.js'
import type { Input } from './domain/input.js'
import { createRefusals } from './history/refusals.js'
import { createHooks } from './hooks/create-hooks.js'
import { createMailer } from './mail/create-mailer.js'
import { createOperations } from './operation/engine.js'
import type { JournalPoint } from './operation/operation.js'
import { createProxies } from './proxies/create-proxies.js'
import { createRuns } from './runs/create-runs.js'
import { builtInRuntimes, type RuntimeRow } from './runtime/built-in.js'
import { createRuntimes } from './runtime/runtimes.js'
import { createSettings } from './settings/create-settings.js'
import { assertNotLost } from './store/lost-registry.js'
import type { Registry } from './store/registry.js'
import { openRegistry } from './store/registry.js'
import { createRegistryCopies } from './store/registry-copies.js'
import { createLocks } from './system/locks.js'
import { createPlugins } from './system/plugins.js'
import { systemUptime, type Uptime } from './system/uptime.js'
import { createTargets, type TargetsOptions } from './targets/create-targets.js'
import { createTemplates } from './templates/create-templates.js'

export interface ManagerOptions {
  /** The manager's home, `APPS_HOME`. */
  readonly home: string
  /** Environment that settings may come from that `config.sh` does not say. Default: none. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Absolute path of the program that serves an application. */
  readonly applicationServer: string
  /** Absolute path of the template that ships with the manager. */
  readonly defaultTemplate: string
  /** What performs actions, for timers: the program, absolute, with its first arguments. Default: this process's. */
  readonly command?: readonly string[]
  /** Default: the system's. */
  readonly clock?: () => Date
  /** How long the machine has been running. Default: as the system says, or with a clock of its own as that says. */
  readonly uptime?: () => Uptime
  /** How targets of backups are opened and used, for tests of faults. */
  readonly targets?: Pick<TargetsOptions, 'open' | 'retries'>
  /** Runtimes beside those that come with the manager, by their names. */
  readonly runtimes?: Readonly<Record<string, RuntimeRow>>
  /** Called after each entry of the journal, for tests of crashes. */
  readonly onJournal?: (point: JournalPoint) => void
}

/** The instances manager: what surfaces call. It prints nothing and keeps no process alive. */
export interface Manager {
  readonly actions: readonly Action[]
  readonly context: ManagerContext
  /**
   * Checks the inputs and whether the caller may, recovers what dead owners left, and runs the action.
   *
   * @param action name or alias
   * @throws ManagerError
   */
  perform(action: string, input: Readonly<Record<string, Input>>, caller: Caller): Promise<ActionResult>
  /**
   * Checks the inputs and has a worker perform the action (`context.runs`).
   *
   * @param action name or alias
   * @returns the id of the run, under which its operation is found, too
   * @throws ManagerError
   */
  begin(action: string, input: Readonly<Record<string, Input>>, caller: Caller): Promise<string>
  close(): void
}

/** @throws ManagerError ERR_USAGE */
function actionOf(name: string): Action {
  const action = findAction(name)
  if (action) return action
  throw new ManagerError('ERR_USAGE', `Unknown action "${name.slice(0, 40)}".`, { command: '--help' })
}

/** No I/O before the first call. */
export function createManager(options: ManagerOptions): Manager {
  const { environment = {}, clock = () => new Date(), onJournal, applicationServer, defaultTemplate } = options
  const { uptime = options.clock ? () => ({ boot: '', seconds: clock().getTime() / 1000 }) : systemUptime } = options
  const { command = [process.execPath, process.argv[1] ?? ''] } = options
  const home = homeAt(options.home)
  let registry: Registry | undefined
  const once = <T>(make: () => T) => {
    let made: { readonly value: T } | undefined
    return () => (made ??= { value: make() }).value
  }
  const settings = once(() => createSettings({ home, environment }))
  const openedRegistry = () => {
    if (registry) return registry
    if (!existsSync(home.config))
      throw new ManagerError('ERR_HOME', `${home.folder} is not a manager's home: it has no config.sh.`, {
        help: 'Create a home there with "manager init", or name another folder with --home or APPS_HOME.',
        command: `init --home ${home.folder}`,
      })
    assertNotLost(home)
    return (registry = openRegistry({ file: home.database, clock }))
  }
  const plugins = createPlugins(home.folder)
  const parts = {
    settings,
    registry: openedRegistry,
    registryCopies: once(() =>
      createRegistryCopies({
        folder: home.registryCopies,
        file: home.database,
        registry: openedRegistry,
        clock,
      }),
    ),
    locks: once(() => createLocks(home.locks)),
    operations: once(() =>
      createOperations({ context: () => context, kinds: () => operationKinds, clock, onPoint: onJournal }),
    ),
    runs: once(() => createRuns({ context: () => context, environment })),
    runtimes: once(() =>
      createRuntimes({
        table: { ...builtInRuntimes, ...options.runtimes },
        plugins,
        parts: { settings, instances: home.instances },
        nameOf: (id) => openedRegistry().byId(id)?.runtime,
      }),
    ),
    databases: once(() => createDatabases({ home, settings, plugins })),
    templates: once(() =>
      createTemplates({
        home,
        settings,
        plugins,
        registry: openedRegistry,
        clock,
        defaultTemplate,
        locks: () => context.locks,
        check: (folder, version, signal) => checkTemplateCode(context, { folder, version, signal }),
      }),
    ),
    backups: once(() => createBackups({ settings, registry: openedRegistry, clock })),
    targets: once(() => createTargets({ settings, home, ...options.targets })),
    certificates: once(() => createCertificates({ home, settings })),
    hooks: once(() => createHooks({ home, settings })),
    mailer: once(() => createMailer({ settings })),
    proxies: once(() => createProxies(() => context)),
  }
  const context = Object.defineProperties(
    { home, plugins, clock, uptime, applicationServer, defaultTemplate, command },
    Object.fromEntries(Object.entries(parts).map(([name, get]) => [name, { get, enumerable: true }])),
  ) as ManagerContext

  const refusals = once(() => createRefusals(context))

  const begun = (name: string, input: Readonly<Record<string, Input>>, caller: Caller): Performance => {
    const action = actionOf(name)
    return { context, action, input: checkInput(action, input), caller }
  }
  const perform = createPerform(async (performance, rest) =>
    rest({ ...performance, visible: visibleTo(performance, refusals) }),
  )

  return {
    actions,
    context,
    async begin(name, input, caller) {
      const performance = begun(name, input, caller)
      visibleTo(performance, refusals)
      return context.runs.begin(performance.action, performance.input, caller)
    },
    perform: async (name, input, caller) => perform(begun(name, input, caller)),
    close: () => registry?.close(),
  }
}
