import { ManagerError } from '../../errors.js'
import { accountAt, asAccountWith } from '../accounts/account.js'
import { plainEnvironment } from '../accounts/environment.js'
import { runForeignProgram } from '../accounts/foreign-program.js'
import { withReadableCopy } from '../application/readable-copy.js'
import { instanceHomeAt } from '../domain/home.js'
import type { Json } from '../domain/json.js'
import { applicationServerOf, type ServerContext } from '../servers/application-server.js'
import type { InstanceSettings } from '../settings/settings.js'

/** An application as its server describes it (`app-server --describe`). */
export interface ApplicationDescription {
  /** Two with the same one have the same data model; absent: an older application server. */
  readonly model?: string
  /** Absolute path of the folder of documents. */
  readonly documents: string
  /** In the order of dumps. */
  readonly objects: readonly ObjectDescription[]
}

export interface ObjectDescription {
  readonly name: string
  readonly table: string
  /** Every application has it. */
  readonly system: boolean
  /** Members of a key of several fields: together they are unique. */
  readonly key: readonly string[]
  /** Those of dumps, in their order. */
  readonly fields: readonly FieldDescription[]
}

export interface FieldDescription {
  readonly name: string
  readonly label: string
  readonly column: string
  /** `string`, `email`, `reference` … */
  readonly type: string
  /** The value of a field that is not filled. */
  readonly empty: Json
  readonly required: boolean
  /** No two records have the same value in it. */
  readonly unique: boolean
  /** created_dt, created_by, updated_dt, updated_by. */
  readonly technical: boolean
  /** For a reference: the object whose records it links to. */
  readonly references?: string
  /** Most characters; absent: no limit. */
  readonly length?: number
  /** Source of a regular expression for the whole value. */
  readonly pattern?: string
  readonly min?: number
  readonly max?: number
  /** Digits in all, and after the point. */
  readonly precision?: number
  readonly scale?: number
}

const timeout = 120_000

/** @throws ManagerError ERR_FAILED with what the application server said. */
export async function describeApplication(
  context: ServerContext,
  app: string,
  of: { readonly folder: string; readonly settings: Pick<InstanceSettings, 'others'> },
): Promise<ApplicationDescription> {
  return withReadableCopy(app, accountAt(of.folder), (readable) => describe(context, readable, of))
}

async function describe(
  context: ServerContext,
  app: string,
  { folder, settings }: { readonly folder: string; readonly settings: Pick<InstanceSettings, 'others'> },
): Promise<ApplicationDescription> {
  const { data } = instanceHomeAt(folder)
  const args = [applicationServerOf(context, app), app, '--data', data, '--describe']
  const account = accountAt(folder)
  const own = { ...(account && plainEnvironment(data, account)), ...settings.others }
  const { program, before, environment: env } = asAccountWith(account, process.execPath, own)
  const { stdout, stderr, code } = await runForeignProgram({
    program,
    args: [...before, ...args],
    environment: { ...(account === undefined && process.env), ...env },
    limitMs: timeout,
    longest: 64 * 2 ** 20,
  })
  const described = code === 0 ? parse(stdout) : undefined
  if (described) return described
  throw new ManagerError('ERR_FAILED', `The application in ${app} does not describe its objects and fields.`, {
    help: 'Use an application server that supports --describe.',
    output: stderr.trim().slice(-2000),
  })
}

function parse(text: string): ApplicationDescription | undefined {
  try {
    const value = JSON.parse(text) as ApplicationDescription & { readonly format?: string; readonly version?: number }
    const isKnown = value.format === 'steward-application' && value.version === 1
    return isKnown && hasTexts(value, 'documents') && value.objects.every(isObject) ? value : undefined
  } catch {
    // It is not JSON, or has nothing where something belongs.
    return undefined
  }
}

/** An application may print what it likes. */
const isObject = (one: ObjectDescription) =>
  hasTexts(one, 'name', 'table') &&
  Array.isArray(one.key) &&
  one.fields.every((field) => hasTexts(field, 'name', 'label', 'column', 'type'))

function hasTexts<T>(value: T, ...names: readonly (keyof T)[]): boolean {
  return names.every((name) => typeof value[name] === 'string')
}
