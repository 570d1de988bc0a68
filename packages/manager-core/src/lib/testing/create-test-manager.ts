import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ActionResult } from '../action.js'
import type { ManagerContext } from '../context.js'
import type { Caller } from '../domain/caller.js'
import { fullGrant } from '../domain/grant.js'
import type { Input } from '../domain/input.js'
import type { Instance } from '../domain/instance.js'
import { createManager, type Manager, type ManagerOptions } from '../manager.js'
import { removeSockets } from '../runtime/instance-socket.js'
import { endProcessesOf } from './end-processes.js'
import { fakeApplicationServer, tellFake, writeTemplate, type FakeApplication } from './fake-application.js'
import { takePorts } from './take-ports.js'

export interface TestManagerOptions extends Partial<Omit<ManagerOptions, 'home'>> {
  /** More lines of `config.sh`. */
  readonly config?: readonly string[]
  /** Lines of `version-1.0.sh`. Default: the template of the test. */
  readonly version?: readonly string[]
  /** Whether version 1.0 is fetched at once. Default: yes. */
  readonly refresh?: boolean
  /** How the application behaves that is in the template. */
  readonly fake?: FakeApplication
  /** A folder with `home` and `template` that is there already; it is removed in the end all the same. */
  readonly folder?: string
  /** Default: that of the sources. */
  readonly createManager?: typeof createManager
}

/** A manager with a home of its own in a temporary folder, serving fake applications. */
export interface TestManager {
  readonly manager: Manager
  readonly context: ManagerContext
  /** Holds `home` and `template`; removed in the end. */
  readonly folder: string
  readonly home: string
  /** Folder of the template of version 1.0; what is changed there comes with the next refresh. */
  readonly template: string
  readonly caller: Caller
  perform(action: string, input?: Readonly<Record<string, Input>>, caller?: Partial<Caller>): Promise<ActionResult>
  instance(name: string): Instance
  /** Path in the home of an instance. */
  path(name: string, ...parts: readonly string[]): string
  /** Sets how the application of an instance behaves from now on, or from its next start. */
  tell(name: string, fake: FakeApplication): void
  /** Last lines that the application of an instance wrote. */
  log(name: string): string
  /** Another manager of the same home, as another command would have it; closed with this one. */
  another(options?: Partial<ManagerOptions>): Manager
  /** Ends all processes of its instances and removes everything. */
  close(): Promise<void>
}

/** @throws ManagerError when version 1.0 cannot be fetched; nothing is left then. */
export async function createTestManager(options: TestManagerOptions = {}): Promise<TestManager> {
  const {
    config = [],
    refresh = true,
    fake,
    folder: given,
    version,
    createManager: create,
    ...managerOptions
  } = options
  const folder = given ?? mkdtempSync(join(tmpdir(), 'steward-manager-'))
  const home = join(folder, 'home')
  const template = join(folder, 'template')
  const ports = given === undefined ? takePorts() : undefined
  if (ports) {
    mkdirSync(home)
    writeTemplate(template, { fake })
    writeLines(join(home, 'config.sh'), [
      'export APPS_BASEURL=http://localhost:8000',
      `export APPS_PORTS=${ports.range}`,
      // Hundreds of instances are made: those that are about accounts say so.
      'export APPS_ISOLATION=no',
      ...config,
    ])
    writeLines(join(home, 'version-1.0.sh'), version ?? [`export APPS_TEMPLATE=folder:${template}`])
  }
  const opened: Manager[] = []
  const another = (more: Partial<ManagerOptions> = {}) => {
    const made = (create ?? createManager)({
      home,
      applicationServer: fakeApplicationServer,
      defaultTemplate: template,
      ...managerOptions,
      ...more,
    })
    opened.push(made)
    return made
  }
  const manager = another()
  const { context } = manager
  const caller: Caller = { actor: 'tester', surface: 'cli', grant: fullGrant }
  const path = (name: string, ...parts: readonly string[]) =>
    join(home, 'instances', context.registry.get(name).id, ...parts)

  async function close(): Promise<void> {
    await endProcessesOf(folder)
    for (const id of foldersIn(join(home, 'instances'))) removeSockets({ id, folder: join(home, 'instances', id) })
    for (const each of opened) each.close()
    ports?.release()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }

  try {
    if (refresh && given === undefined) await context.templates.refresh()
  } catch (error) {
    await close()
    throw error
  }
  return {
    manager,
    context,
    folder,
    home,
    template,
    caller,
    perform: (action, input = {}, more = {}) => manager.perform(action, input, { ...caller, ...more }),
    instance: (name) => context.registry.get(name),
    path,
    tell: (name, how) => tellFake(path(name, 'app'), how),
    log: (name) => readFileSync(path(name, 'logs', 'application.log'), 'utf8'),
    another,
    close,
  }
}

/** None, where a test has put something else. */
function foldersIn(path: string): readonly string[] {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(path) : []
}

function writeLines(file: string, lines: readonly string[]): void {
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 })
}
