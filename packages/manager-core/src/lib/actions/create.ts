import { resolve } from 'node:path'
import { ManagerError } from '../../errors.js'
import type { ActionResult, Option } from '../action.js'
import { inspectAnonymisation } from '../anonymise/inspect-anonymisation.js'
import { reportOf, type AnonymisationReport } from '../anonymise/report.js'
import type { ManagerContext } from '../context.js'
import { databaseTypes, type Instance } from '../domain/instance.js'
import { randomId, randomName } from '../domain/names.js'
import { checkOwner, type Owner } from '../domain/owner.js'
import { isWebapp } from '../files/webapp.js'
import { addKind, cloneKind } from '../instances/create.js'
import type { CreationRequest } from '../instances/creation.js'
import { wireInstance } from '../instances/wire-instance.js'
import { publicUrlOf } from '../settings/public-url.js'
import { defineAction, type CallOf, type InputsOf } from './define-action.js'
import { runOperation } from './run-operation.js'
import { runtimeOption } from './shared-inputs.js'

const options = [
  { name: 'database', type: 'choice', choices: databaseTypes, summary: 'Type of its database' },
  runtimeOption,
  { name: 'protected', type: 'yes-no', summary: 'Protect it from reset and delete' },
  { name: 'auto_save', type: 'yes-no', summary: 'Include it in nightly backups (saveall)' },
  { name: 'auto_update', type: 'yes-no', summary: 'Include it in nightly upgrades (upgradeall)' },
  { name: 'no-start', type: 'flag', summary: 'Do not start it' },
] as const satisfies readonly Option[]

const ownerOptions = [
  { name: 'owner_email', type: 'text', summary: 'E-mail address of the owner' },
  { name: 'firstname', type: 'text', summary: 'First name of the owner' },
  { name: 'lastname', type: 'text', summary: 'Last name of the owner' },
  { name: 'phone', type: 'text', summary: 'Phone number of the owner' },
  { name: 'company', type: 'text', summary: 'Company of the owner' },
] as const satisfies readonly Option[]

export const add = defineAction({
  name: 'add',
  group: 'Instances',
  summary: 'Add an instance of a version, or a clone of an instance, and start it',
  description:
    'Without a name, the instance gets a random one of 10 letters and digits. The second argument is a version, ' +
    'or else the name of an instance to clone (see clone); the default is the default version. Options override ' +
    'the defaults in config.sh: APPS_DEFAULTDATABASE, APPS_RUNTIME, APPS_DEFAULTPROTECTED, APPS_DEFAULTAUTOSAVE, ' +
    'APPS_DEFAULTAUTOUPDATE. The instance gets its own database and database user, generated passwords, and a ' +
    'port of APPS_PORTS on 127.0.0.1. If any step fails, including the first start, everything is removed again.',
  parameters: [
    { name: 'name', type: 'new-name', summary: 'Name: 3 to 20 letters and digits' },
    { name: 'from', type: 'text', summary: 'Version, or instance to clone' },
  ],
  options: [...options, ...ownerOptions],
  ability: 'operate',
  mutating: true,
  examples: ['add', 'add demo', 'add demo 1.0 --database postgresql --auto-save yes', 'add test demo --no-start'],
  view: { type: 'record' },
  async handler(call) {
    const { context, input } = call
    const from = await originOf(input.from, context)
    const owner = ownerOf(input)
    checkOwner(owner)
    return create(call, addKind, { name: input.name, from, owner })
  },
})

export const clone = defineAction({
  name: 'clone',
  aliases: ['cp'],
  group: 'Instances',
  summary: 'Clone an instance: the same application and data under another name',
  description:
    'The instance keeps running; it is only paused while its data is copied. The clone gets new secrets ' +
    '(database user, I/O password, token key); users in its data, including the administrator, keep their ' +
    'passwords. Unless options say otherwise, the clone is not protected and not included in nightly backups and ' +
    'upgrades. It has no custom URL, and is started if the instance is. If --database names another type, the ' +
    'data is converted. With --anonymise, records are anonymised while they are copied, so the clone never holds ' +
    'the originals; it sends nothing out (see neutralise), its administrator has the password of its settings, ' +
    'and a report lists what was changed and which columns look personal but have no rule. With --dry-run, the ' +
    'report lists what would be changed.',
  parameters: [
    { name: 'name', type: 'instance', required: true, summary: 'Instance to clone' },
    { name: 'new', type: 'new-name', required: true, summary: 'Name of the clone' },
  ],
  options: [
    ...options,
    {
      name: 'anonymise',
      type: 'file',
      nonEmpty: true,
      summary: 'Anonymise the clone by the rules in this file, and neutralise it',
    },
  ],
  ability: 'operate',
  mutating: true,
  // The clone would be out of their scope.
  scoped: false,
  examples: [
    'clone demo demo2',
    'clone demo test --database postgresql --no-start',
    'clone demo test --anonymise rules.yaml',
    'clone demo test --anonymise rules.yaml --dry-run',
  ],
  view: { type: 'record' },
  handler(call) {
    const { input } = call
    const { id, name } = input.name
    const rules = input.anonymise === undefined ? undefined : resolve(input.anonymise)
    return create(call, cloneKind, { name: input.new, from: { instance: id, name }, rules })
  },
})

async function create(
  call: CallOf<(typeof options)[number]>,
  kind: typeof addKind,
  {
    name,
    from,
    rules,
    owner,
  }: Pick<CreationRequest, 'from' | 'rules' | 'owner'> & {
    readonly name: string | undefined
  },
): Promise<ActionResult> {
  const { context, input } = call
  const request: CreationRequest = {
    id: randomId(),
    name: name ?? freeName(context),
    from,
    database: input.database ?? null,
    runtime: input.runtime ?? null,
    protected: input.protected ?? null,
    autoSave: input.auto_save ?? null,
    autoUpdate: input.auto_update ?? null,
    start: input['no-start'] ? false : null,
    ...(rules !== undefined && { rules }),
    ...(owner && { owner }),
  }
  const result = await runOperation(call, kind, request, async ({ instance, outcomes }) => {
    const made = context.registry.get(instance.name)
    const address = publicUrlOf(made, context.settings.global)
    const state = made.desired === 'started' ? `started: ${address}` : 'ready, stopped'
    const origin = 'instance' in from ? `a clone of "${from.name}"` : `version ${made.version}`
    return {
      message: `Instance "${made.name}" (${origin}, ${made.database}) is ${state}${rules === undefined ? `\n${await howToLogIn(context, made)}` : ''}`,
      item: wireInstance(made, context.settings.global),
      ...(rules !== undefined && { list: (outcomes.get('data') as AnonymisationReport).columns }),
    }
  })
  if (rules === undefined || !call.caller.dryRun || !('instance' in from)) return result
  const { plan } = await inspectAnonymisation(context, context.home.instance(from.instance).folder, rules)
  const { columns, warnings } = reportOf(plan)
  return { ...result, list: columns, ...(warnings.length > 0 && { warnings }) }
}

/** Its maker wants to see it now. */
async function howToLogIn({ settings, home }: ManagerContext, { id, name, source }: Instance): Promise<string> {
  if (source.startsWith('instance:')) return `Log in with a user of "${source.slice('instance:'.length)}".`
  const { folder, app } = home.instance(id)
  if (isWebapp(app)) return 'Its users are those of its web application.'
  const { adminUser } = await settings.instance(folder)
  return `Log in as ${adminUser}. To show the password: manager iocredentials ${name}`
}

/** What is given about the owner; the rest keeps its defaults. */
function ownerOf({
  owner_email: ownerEmail,
  firstname,
  lastname,
  phone,
  company,
}: InputsOf<(typeof ownerOptions)[number]>): Partial<Owner> {
  const said = { ownerEmail, firstname, lastname, phone, company }
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
}

/** A version goes before an instance of the same name. */
async function originOf(
  text: string | undefined,
  { templates, registry }: ManagerContext,
): Promise<CreationRequest['from']> {
  if (text === undefined) return { version: null }
  const versions = (await templates.list()).map(({ version }) => version)
  const isFailed = (await templates.failed()).some(({ version }) => version === text)
  // When it failed, the message says why there is none, unless an instance has its name.
  if (versions.includes(text) || (isFailed && !registry.find(text))) return { version: text }
  const instance = registry.find(text)
  if (instance) return { instance: instance.id, name: instance.name }
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text
  throw new ManagerError('ERR_NOT_FOUND', `No version or instance is named "${shown}".`, {
    help: versions.length > 0 ? `Versions: ${versions.join(', ')}.` : 'No version has been fetched yet.',
    command: versions.length > 0 ? 'versions' : 'refresh',
  })
}

function freeName(context: Pick<ManagerContext, 'registry'>): string {
  const name = randomName()
  return context.registry.find(name) ? freeName(context) : name
}
