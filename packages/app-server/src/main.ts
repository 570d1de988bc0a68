import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { DefinitionError, RestError, StoreError } from '@steward/rest-core/errors'
import { resetAdministrator } from '@steward/rest-core/system'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import type { Logger } from 'pino'
import { withAdminPassword } from './lib/admin-password.js'
import type { AppDefinition } from './lib/app-definition.js'
import { loadAppDefinition } from './lib/app-definition.js'
import { definitionFormats, type DefinitionFormat } from './lib/describe/definition-format.js'
import { isDatabaseUrl, isInMemory } from './lib/open-database.js'
import type { Application, ApplicationOptions } from './lib/create-application.js'
import { namePattern } from './lib/app-schema.js'
import type { TaskFlags } from './lib/commands.js'
import type { PortableFlags } from './lib/portable.js'
import { createLogRing } from './lib/log-ring.js'
import type { MigrateFlags, MigrateTask } from './lib/migrations/migrate.js'
import { releaseMemorySoon } from './lib/release-memory.js'
import { inheritedListeners } from './lib/inherited-listeners.js'
import type { Listener, ListenOptions } from './lib/serve.js'
import type { Settings } from './lib/settings.js'
import { SettingsError, readEnvironmentFile, readPort, readSettings, readWorkers } from './lib/settings.js'
import { platformVersion } from './lib/version.js'
import { welcome } from './lib/welcome.js'
import type { WorkerTask } from './lib/workers/messages.js'
import { tooManyWorkers, workerCount } from './lib/workers/worker-count.js'

interface Flags extends TaskFlags, PortableFlags {
  readonly database?: string
  readonly name?: string
  readonly title?: string
  readonly host?: string
  readonly port?: number
  readonly workers?: number | 'auto'
  readonly env?: string
  readonly data?: string
  readonly destructive?: boolean
  readonly resetAdmin?: boolean
  readonly check?: boolean
  readonly plan?: boolean
  readonly watch?: boolean
  readonly lint?: boolean
  readonly records?: boolean
  readonly sql?: boolean
  readonly sync?: boolean
  readonly describe?: boolean
  readonly diff?: boolean
  readonly format?: DefinitionFormat
  readonly schema?: readonly string[]
  readonly types?: boolean
  readonly init?: boolean
  readonly verbose?: boolean
}

/**
 * The command line. Resolves with the exit code when the server was stopped: 0 stopped or done, 1 failed, 2 wrong usage.
 *
 * @param args without the program's name.
 */
export async function main(args: readonly string[]): Promise<number> {
  let run: Promise<number> = Promise.resolve(0)
  const command = createCommand((folder, flags) => {
    run = start(folder, flags, args).catch((error: unknown) => report(error, flags.verbose))
  })
  addMigrate(command, (task, folder, flags) => {
    run = migrate(task, folder, flags).catch((error: unknown) => report(error, flags.verbose))
  })
  try {
    command.parse(args, { from: 'user' })
  } catch (error) {
    return error instanceof CommanderError && error.exitCode === 0 ? 0 : 2
  }
  return run
}

function createCommand(action: (folder: string | undefined, flags: Flags) => void): Command {
  return new Command('app-server')
    .description(
      'Serves an application (a folder with app.yaml and objects/) or the tables of a database as a REST service.',
    )
    .argument('[folder]', 'folder of the application (default: serve the tables of --database)')
    .option(
      '--database <url>',
      'sqlite:<file>, postgres://…, mysql://…, oracle://… or mssql://… (prefer STEWARD_DATABASE: other users can see passwords in command lines)',
    )
    .option('--name <name>', 'without a folder: name of the service in addresses (default: database)', parseName)
    .option(
      '--schema <names>',
      'schemas of the database to read, separated by commas (default: that of the connection)',
      parseNames,
    )
    .option('--title <text>', 'without a folder: title of the service (default: the name, or Database)')
    .option('--host <name>', 'address to listen on (default: 127.0.0.1)')
    .option('--port <number>', 'port to listen on, 0 for a free one (default: 8080)', parsePort)
    .option(
      '--workers <number>',
      'number of server processes, or auto: one per CPU core (default: 1); SIGHUP replaces them one by one',
      parseWorkers,
    )
    .option('--watch', 'while developing: start again after each change of a file in the folder')
    .option('--env <name>', 'environment of app.yaml to use (default: STEWARD_ENV, else NODE_ENV)')
    .option(
      '--data <folder>',
      'folder for secrets, documents and embedded databases (default: data in the folder, or steward-data here)',
    )
    .option('--destructive', 'drop columns of the database that no field uses')
    .option(
      '--reset-admin',
      'give the administrator a new password, print it, and exit; creates an administrator if there is none',
    )
    .option('--unittests [name]', 'run the tests of the application (tests/<name>.ts, or all), and exit')
    .option('--import <file>', 'import an XML, JSON, CSV or ZIP file, and exit')
    .option('--export <objects>', 'export the records of these objects (separated by commas), and exit')
    .option(
      '--output <path>',
      'file of an export, with the extension of its format (default: JSON on standard output); or folder for definitions, one file per object',
    )
    .option('--object <name>', "object of the records in a CSV file (default: the file's name)")
    .option('--dump <file>', 'write all records in a format for every type of database, and exit (-: standard output)')
    .option('--load <file>', 'fill the empty database with the records of a dump, and exit (-: standard input)')
    .option('--check', 'load the application without a database, print its problems as JSON, and exit')
    .option('--plan', 'as --check; also print what a start would change in the database, without changing it')
    .option('--sql', 'with --plan: print the changes as an SQL script, for other tools to review and run')
    .option(
      '--lint',
      'find unused fields and objects, missing indexes and wrong names in publications, and exit (1: errors were found)',
    )
    .option('--records', 'with --lint: also check grants and records in the database, without changing it')
    .option('--json', 'with --lint or --unittests: print JSON')
    .option('--sync', 'change the tables of the database to match the application, and exit')
    .option(
      '--describe',
      'print the objects of the application and their fields as JSON, or definitions of the tables of a database (its URL instead of the folder), and exit',
    )
    .option('--format <name>', 'format of the definitions of --describe: yaml or ts (default: yaml)', parseFormat)
    .option(
      '--diff',
      'print how the database differs from the definitions of the application, and exit (1: it differs)',
    )
    .option('--init', 'write a small application to the folder, which must be new or empty, and exit')
    .option('--types', 'write types and schemas for editors and tsc to the folder .steward, and exit')
    .option('--verbose', 'show where an error comes from')
    .version(platformVersion, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', helpAfter)
    .exitOverride()
    .helpCommand(false)
    .action(action)
}

interface MigrateOptions extends MigrateFlags, Pick<Flags, 'database' | 'env' | 'data' | 'verbose'> {}

/** To serve a folder of that name: `./migrate`. */
function addMigrate(
  program: Command,
  action: (task: MigrateTask, folder: string, flags: MigrateOptions) => void,
): void {
  const group = program
    .command('migrate')
    .description("runs the application's own changes of its database, from the folder migrations")
    .helpCommand(false)
  const add = (task: MigrateTask, text: string, named = false): Command => {
    const command = group.command(task).description(text)
    if (named) command.argument('<name>', 'what it does, e.g. split_names')
    return command
      .argument('[folder]', 'folder of the application', '.')
      .option('--database <url>', 'as for app-server; prefer STEWARD_DATABASE')
      .option('--env <name>', 'environment of app.yaml to use (default: STEWARD_ENV, else NODE_ENV)')
      .option('--data <folder>', 'folder of embedded databases (default: data in the folder)')
      .option('--verbose', 'show where an error comes from')
      .action((...args: unknown[]) => {
        const [name, folder] = (named ? args : [undefined, ...args]) as [string | undefined, string]
        const flags = args.at(-2) as MigrateOptions
        action(task, folder, { ...flags, ...(name !== undefined && { name }) })
      })
  }
  add('make', 'writes the file of a new migration', true).addOption(
    new Option('--when <time>', 'run it before or after the tables follow the definitions')
      .choices(['before', 'after'])
      .default('after'),
  )
  add('up', 'runs the pending ones and changes the tables, as a start would')
  add('list', 'prints those that were run and those that are pending')
  add('down', 'undoes the last one')
  add('rollback', 'undoes the last batch: those that were run together')
  add('unlock', 'takes away the lock that a killed server has left')
}

async function migrate(task: MigrateTask, folder: string, flags: MigrateOptions): Promise<number> {
  // Before the mask: sources are no secret.
  if (task !== 'make') process.umask(0o077)
  const settings = readAllSettings(flags)
  const definition = await loadDefinition(folder, settings, {})
  const { migrate: perform } = await import('./lib/migrations/migrate.js')
  process.stdout.write(await perform(task, placeOf(folder, flags, settings), definition, flags))
  return 0
}

const helpAfter = `
Environment variables:
  STEWARD_DATABASE, STEWARD_HOST, STEWARD_PORT, STEWARD_WORKERS, STEWARD_ENV  as the options
  STEWARD_SYNCHRONOUS, STEWARD_LOG_LEVEL
  STEWARD_ADMIN_LOGIN, STEWARD_ADMIN_PASSWORD      the administrator, who is created if missing
  STEWARD_TOKEN_SECRET     key that signs tokens: base64 of at least 32 random bytes, the same for all servers;
                           earlier keys may follow, separated by commas
  STEWARD_DOCUMENTS        folder or s3://bucket/prefix, instead of that of app.yaml
  STEWARD_SERVICE_USER, STEWARD_SERVICE_PASSWORD   credentials of /io, which is disabled without them
  STEWARD_NEUTRALISED=true     send no mail, webhooks or other messages, as for copies
  STEWARD_TRUSTED_PROXIES  addresses of reverse proxies, if app.yaml has none
  LISTEN_FDS, LISTEN_PID   Unix sockets that listen already, as systemd passes them on: requests are taken there, too
  STEWARD_ENV_FILE         file with further variables (NAME=value), to keep them secret

Examples:
  $ app-server my-application --init
  $ app-server my-application
  $ app-server my-application --port 80 --host 0.0.0.0 --env production
  $ app-server my-application --workers auto
  $ app-server my-application --watch
  $ app-server --database sqlite:shop.db --name shop
  $ STEWARD_DATABASE=postgres://shop@localhost/shop app-server
  $ app-server migrate make split_names my-application
  $ app-server --describe sqlite:shop.db --output my-application/objects
  $ app-server my-application --diff`

function parsePort(text: string): number {
  try {
    return readPort(text, '--port') as number
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
}

function parseWorkers(text: string): number | 'auto' {
  try {
    return readWorkers(text, '--workers') as number | 'auto'
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
}

function parseFormat(text: string): DefinitionFormat {
  const format = definitionFormats.find((name) => name === text)
  if (format) return format
  throw new InvalidArgumentError(`Use ${definitionFormats.join(' or ')}.`)
}

function parseNames(text: string, before: readonly string[] = []): readonly string[] {
  return [...new Set([...before, ...text.split(',').map((name) => name.trim())])].filter((name) => name !== '')
}

function parseName(text: string): string {
  if (new RegExp(namePattern).test(text)) return text
  throw new InvalidArgumentError(
    '--name must begin with a letter and have at most 63 letters, digits, "_" and "-", because it stands in addresses.',
  )
}

async function start(folder: string | undefined, flags: Flags, args: readonly string[]): Promise<number> {
  // Before the mask: sources are no secret.
  if (flags.init) return init(folder, flags)
  // No other account of this machine may read databases, documents, secrets and exports.
  process.umask(0o077)
  const settings = readAllSettings(flags)
  if (flags.watch) {
    if (folder === undefined) throw new SettingsError('--watch requires the folder of an application.')
    const { serveAgainOnChanges } = await import('./lib/watch.js')
    const dataFolder = flags.data ?? join(folder, 'data')
    return serveAgainOnChanges({ folder, dataFolder, args: args.filter((arg) => arg !== '--watch') })
  }
  if (flags.records && !flags.lint) throw new SettingsError('--records requires --lint.')
  if (flags.json && !flags.lint && flags.unittests === undefined)
    throw new SettingsError('--json requires --lint or --unittests.')
  if (flags.sql && !flags.plan) throw new SettingsError('--sql requires --plan.')
  if (flags.describe && (folder === undefined || isDatabaseUrl(folder))) return describeTables(folder, flags, settings)
  if (flags.check || (flags.plan && !flags.sql)) return check(folder, flags, settings)
  if (flags.lint) return lint(folder, flags, settings)
  if (flags.schema && folder !== undefined && !flags.diff)
    throw new SettingsError(
      '--schema belongs to --describe, --diff, or a database without a folder: definitions name their tables, with schemas.',
    )
  const definition = await loadDefinition(folder, settings, flags)
  if (flags.sql) return printSql(folder, flags, { settings, definition })
  if (flags.sync) return sync(folder, flags, { settings, definition })
  if (flags.describe) return describe(folder, flags, definition)
  if (flags.diff) return diff(folder, flags, { settings, definition })
  if (flags.types) return writeTypes(folder)
  if (flags.dump !== undefined || flags.load !== undefined) {
    if (folder === undefined) throw new SettingsError('--dump and --load require the folder of an application.')
    const dataFolder = resolve(flags.data ?? join(folder, 'data'))
    const { runPortable } = await import('./lib/portable.js')
    await runPortable({ folder: resolve(folder), dataFolder, definition, settings }, flags)
    return 0
  }
  // What only answers a question does without the server, which takes longest to load.
  const { createApplication } = await import('./lib/create-application.js')
  const { bearUnwritableOutput, createLogger } = await import('./lib/logger.js')
  const logs = createLogRing()
  const { worker } = settings
  const logger = await createLogger(settings.logLevel ?? definition.log?.level ?? 'info', {
    ring: logs,
    worker: worker?.number,
  })
  const open = (options: Partial<ApplicationOptions> = {}) =>
    createApplication({
      ...options,
      folder: resolve(folder ?? '.'),
      dataFolder: resolve(flags.data ?? (folder === undefined ? 'steward-data' : join(folder, 'data'))),
      definition,
      settings,
      logger,
      logs,
      introspect: folder === undefined,
      schemas: flags.schema,
      destructive: flags.destructive ?? false,
    })
  if (flags.resetAdmin) return resetAdmin(await open({ makeAdministrator: false }), settings)
  // A password that would have to be shown is left to a start that serves.
  const makeAdministrator = settings.adminPassword !== undefined
  if (isTask(flags)) return runAndClose(await open({ makeAdministrator }), resolve(folder ?? '.'), flags)

  bearUnwritableOutput()
  const host = flags.host ?? settings.host ?? definition.host ?? '127.0.0.1'
  const inherited = worker?.inherited ?? inheritedListeners(process.env)
  const address = { host, port: flags.port ?? settings.port ?? definition.port ?? 8080, inherited }
  if (worker) return serveAsWorker(worker, { open, address, definition, settings })
  const count = workerCount(flags.workers ?? settings.workers ?? definition.workers ?? 1)
  if (count > 1) {
    if (isInMemory(settings.database ?? definition.database))
      throw new SettingsError('sqlite::memory: is a database of one process. Use a file, or leave out --workers.')
    const warning = tooManyWorkers(count)
    if (warning !== undefined) logger.warn(warning)
    const { runWorkers } = await import('./lib/workers/run-workers.js')
    return runWorkers({ count, args, inherited, logger })
  }
  const { listen } = await import('./lib/serve.js')
  const listener = await listen(address)
  try {
    const application = await open()
    listener.serve(application.koa)
    greet(application, { definition, settings, host, port: listener.port })
    releaseMemorySoon()
    await untilStopped(logger)
    await stopServing(application, listener)
    return 0
  } finally {
    await listener.stop()
  }
}

function readAllSettings({ database, env }: Pick<Flags, 'database' | 'env'>): Settings {
  readEnvironmentFile(process.env)
  const fromEnvironment = readSettings(process.env)
  return {
    ...fromEnvironment,
    database: database ?? fromEnvironment.database,
    environment: env ?? fromEnvironment.environment,
  }
}

interface WorkerParts {
  readonly open: (options: Partial<ApplicationOptions>) => Promise<Application>
  readonly address: ListenOptions
  readonly definition: AppDefinition
  readonly settings: Settings
}

async function serveAsWorker(
  { number, first, prepare, of: processes }: WorkerTask,
  { open, address, definition, settings }: WorkerParts,
): Promise<number> {
  const { joinPrimary } = await import('./lib/workers/join-primary.js')
  const { listen } = await import('./lib/serve.js')
  const primary = joinPrimary()
  // Until another one is ready, the others take all connections.
  let listener = first ? await listen(address) : undefined
  try {
    const application = await open({
      makeAdministrator: first,
      isPrepared: !prepare,
      withUpkeep: number === 1,
      processes,
      primary,
    })
    listener ??= await listen(address)
    listener.serve(application.koa)
    if (first) greet(application, { definition, settings, host: address.host, port: listener.port, workers: processes })
    primary.ready()
    releaseMemorySoon()
    await primary.stopped
    await stopServing(application, listener)
    return 0
  } finally {
    await listener?.stop()
    primary.leave()
  }
}

interface Served {
  readonly definition: AppDefinition
  readonly settings: Settings
  readonly host: string
  readonly port: number
  readonly workers?: number
}

function greet({ newAdministrator, administrator }: Application, { settings, ...served }: Served): void {
  const { neutralised } = settings
  const isManaged = process.env.STEWARD_RUN !== undefined
  process.stdout.write(welcome({ ...served, newAdministrator, administrator, neutralised, isManaged }))
}

async function stopServing(application: Application, listener: Listener): Promise<void> {
  await Promise.all([application.endStreams(), listener.stop()])
  await application.close()
}

async function check(folder: string | undefined, flags: Flags, settings: Settings): Promise<number> {
  const { checkApplication } = await import('./lib/check-application.js')
  const place = placeOf(folder, flags, settings)
  const checked = await checkApplication(place, { withDatabase: flags.plan ?? false })
  process.stdout.write(`${JSON.stringify(checked)}\n`)
  const { problems, database, migrations = [] } = checked
  // They may be there for what is refused here.
  const isEstimate = migrations.some(({ when }) => when === 'before')
  const isRefused = database?.refusal !== undefined || database?.steps.some(({ destructive }) => destructive)
  return problems.length > 0 || (isRefused && !isEstimate) ? 1 : 0
}

/** 0: no error was found, 1: some were. */
async function lint(folder: string | undefined, flags: Flags, settings: Settings): Promise<number> {
  const { lintApplication } = await import('./lib/lint/lint-application.js')
  const { formatLint } = await import('./lib/lint/format-lint.js')
  const { records: withRecords = false } = flags
  const found = await lintApplication(placeOf(folder, flags, settings), { withRecords })
  process.stdout.write(flags.json ? `${JSON.stringify(found)}\n` : formatLint(found))
  return found.findings.some(({ severity }) => severity === 'error') ? 1 : 0
}

async function sync(
  folder: string | undefined,
  flags: Flags,
  { settings, definition }: { readonly settings: Settings; readonly definition: AppDefinition },
): Promise<number> {
  const { syncDatabase } = await import('./lib/check-application.js')
  const place = placeOf(folder, flags, settings)
  const { before, plan, after } = await syncDatabase(place, definition, flags.destructive ?? false)
  for (const name of before) process.stdout.write(`migration ${name}\n`)
  for (const { description } of plan.steps) process.stdout.write(`${description}\n`)
  for (const name of after) process.stdout.write(`migration ${name}\n`)
  process.stdout.write('The database fits the application.\n')
  return 0
}

/** Nothing but the script goes to stdout. */
async function printSql(
  folder: string | undefined,
  flags: Flags,
  { settings, definition }: { readonly settings: Settings; readonly definition: AppDefinition },
): Promise<number> {
  const { planDatabase } = await import('./lib/check-application.js')
  const { sqlScript } = await import('@steward/db-adapters')
  const { plan, migrations } = await planDatabase(placeOf(folder, flags, settings), definition)
  if (plan.noSql !== undefined) throw new SettingsError(`${plan.noSql} Change the database with --sync.`)
  for (const { name, when } of migrations)
    process.stdout.write(`-- Migration ${name} runs ${when} these changes, and is no SQL: app-server migrate up\n`)
  process.stdout.write(sqlScript(plan))
  return 0
}

function placeOf(folder: string | undefined, { data, ...flags }: Partial<Flags>, settings: Settings) {
  if (folder === undefined) {
    const task = (['plan', 'check', 'lint', 'diff'] as const).find((name) => flags[name]) ?? 'sync'
    throw new SettingsError(`--${task} requires the folder of an application.`)
  }
  return { folder: resolve(folder), dataFolder: resolve(data ?? join(folder, 'data')), settings }
}

async function describe(folder: string | undefined, flags: Flags, definition: AppDefinition): Promise<number> {
  if (folder === undefined) throw new SettingsError('--describe requires the folder of an application.')
  const dataFolder = resolve(flags.data ?? join(folder, 'data'))
  const { describeApplication } = await import('./lib/describe-application.js')
  process.stdout.write(`${JSON.stringify(await describeApplication(resolve(folder), dataFolder, definition))}\n`)
  return 0
}

/** Describes a database that has no definitions yet. */
async function describeTables(url: string | undefined, flags: Flags, settings: Settings): Promise<number> {
  const database = url ?? settings.database
  if (database === undefined)
    throw new SettingsError('--describe requires the folder of an application, or the URL of a database.')
  const { describeUrl } = await import('./lib/describe/describe-url.js')
  const { text, isEmpty } = await describeUrl(database, flags)
  process.stdout.write(text)
  return isEmpty ? 1 : 0
}

/** 0: nothing differs, 1: something does, 2: it could not be compared. */
async function diff(
  folder: string | undefined,
  flags: Flags,
  { settings, definition }: { readonly settings: Settings; readonly definition: AppDefinition },
): Promise<number> {
  const { diffApplication } = await import('./lib/describe/diff-application.js')
  const place = placeOf(folder, flags, settings)
  try {
    const differences = await diffApplication(place, definition, flags.schema)
    const end = differences.length === 0 ? ['The definitions fit the database.'] : []
    process.stdout.write(`${[...differences, ...end].join('\n')}\n`)
    return differences.length === 0 ? 0 : 1
  } catch (error) {
    report(error, flags.verbose)
    return 2
  }
}

async function writeTypes(folder: string | undefined): Promise<number> {
  if (folder === undefined) throw new SettingsError('--types requires the folder of an application.')
  const { writeEditorFiles } = await import('./lib/editor-files.js')
  process.stdout.write(`${await writeEditorFiles(resolve(folder))}\n`)
  return 0
}

async function init(folder: string | undefined, { name, title }: Flags): Promise<number> {
  if (folder === undefined) throw new SettingsError('--init requires the folder of a new application.')
  if (name !== undefined || title !== undefined)
    throw new SettingsError(
      '--name and --title are for a database without a folder. --init takes the name of the folder.',
    )
  const { initApplication } = await import('./lib/init-application.js')
  process.stdout.write(await initApplication(folder))
  return 0
}

async function loadDefinition(
  folder: string | undefined,
  settings: Settings,
  { name, title }: Pick<Flags, 'name' | 'title'>,
): Promise<AppDefinition> {
  if (folder === undefined) {
    if (settings.database === undefined)
      throw new SettingsError(
        'Give the folder of an application, or a database with --database. See app-server --help.',
      )
    return { name: name ?? 'database', title: title || (name ?? 'Database'), version: platformVersion }
  }
  if (name !== undefined || title !== undefined)
    throw new SettingsError(
      '--name and --title are for a database without a folder. This application has them in app.yaml.',
    )
  const file = join(folder, 'app.yaml')
  // What belongs to another user is not gone.
  const code = await access(file, constants.R_OK).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  )
  if (code === 'EACCES')
    throw new SettingsError(`${file} cannot be read by this user: correct its owner and mode, or those of its folder.`)
  if (code !== undefined)
    throw new SettingsError(`${folder} has no app.yaml, so it is not the folder of an application.`)
  return loadAppDefinition(folder, settings)
}

/** Tasks of the command line run without serving. */
function isTask({ unittests, import: file, export: names }: TaskFlags): boolean {
  return unittests !== undefined || file !== undefined || names !== undefined
}

async function runAndClose(application: Application, folder: string, flags: Flags): Promise<number> {
  const { runTask } = await import('./lib/commands.js')
  try {
    return await runTask(application.service, folder, flags)
  } finally {
    await application.close()
  }
}

async function resetAdmin(application: Application, { adminLogin, adminPassword }: Settings): Promise<number> {
  try {
    const { login, generatedPassword, isNew } = await withAdminPassword(
      resetAdministrator(application.service, { login: adminLogin, password: adminPassword }),
    )
    const who = isNew ? `Administrator "${login}" was made with` : `${login} has`
    process.stdout.write(
      generatedPassword === undefined
        ? `${who} the password of STEWARD_ADMIN_PASSWORD${isNew ? '' : ' now'}.\n`
        : `${who} ${isNew ? 'the' : 'a new'} password: ${generatedPassword}\n`,
    )
    return 0
  } finally {
    await application.close()
  }
}

/** Resolves on the first SIGINT or SIGTERM; a second one ends the process at once. */
function untilStopped(logger: Logger): Promise<void> {
  return new Promise((stop) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        logger.info(`${signal}: finishing running requests`)
        process.once(signal, () => process.exit(130))
        stop()
      })
    }
  })
}

function report(error: unknown, verbose = false): number {
  process.stderr.write(`app-server: ${verbose && error instanceof Error ? error.stack : explain(error)}\n`)
  return 1
}

function explain(error: unknown): string {
  if (DefinitionError.is(error))
    return `the application is not right:\n${error.messages.map((text) => `  ${text}`).join('\n')}`
  if (RestError.is(error) && error.messages.length > 1)
    return `${error.messages.length} mistakes:\n${error.messages.map(({ text }) => `  ${text}`).join('\n')}`
  if (SettingsError.is(error) || StoreError.is(error) || RestError.is(error)) return error.message
  return `${error instanceof Error ? error.message : String(error)} (for the location, add --verbose)`
}
