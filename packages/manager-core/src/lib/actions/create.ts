import { resolve } from 'node:path'
import { ManagerError } from '../../errors.js'
import type { ActionResult, Option } from '../action.js'
import { inspectAnonymisation } from '../anonymise/inspect-anonymisation.js'
import { reportOf, type AnonymisationReport } from '../anonymise/report.js'
import type { ManagerContext } from '../context.js'
import { databaseTypes, type Instance } from '../domain/instance.js'
import { randomId, randomName } from '../domain/names.js'
import { checkOwner, type Owner } from '../domain/owner.js'
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
  { name: 'no-start', type: 'flag', summary: 'Leave it stopped' },
] as const satisfies readonly Option[]

const ownerOptions = [
  { name: 'owner_email', type: 'text', summary: 'E-mail address of the person whom it is for' },
  { name: 'firstname', type: 'text', summary: 'First name of that person' },
  { name: 'lastname', type: 'text', summary: 'Last name of that person' },
  { name: 'phone', type: 'text', summary: 'Phone number of that person' },
  { name: 'company', type: 'text', summary: 'Company of that person' },
] as const satisfies readonly Option[]

export const add = defineAction({
  name: 'add',
  group: 'Instances',
  summary: 'Add an instance of a version, or as a clone of another instance, and start it',
  description:
    'Without a name it gets one of 10 letters and digits. The second argument is a version or, when there is no such ' +
    'version, the name of an instance to clone (see clone); without it, it is the default version. Options go before ' +
    'the defaults of config.sh: APPS_DEFAULTDATABASE, APPS_RUNTIME, APPS_DEFAULTPROTECTED, APPS_DEFAULTAUTOSAVE, APPS_DEFAULTAUTOUPDATE. ' +
    'It has a database with a user of its own, generated passwords, and a port of APPS_PORTS on 127.0.0.1. When anything ' +
    'fails, an unhealthy first start too, nothing of it is left.',
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
    'The instance is not changed and goes on; it is only paused while its data is copied. The clone gets new secrets ' +
    '(database user, I/O password, key of tokens); the users in its data keep their passwords, the administrator too. ' +
    'It is neither protected nor saved or upgraded automatically unless the options say so, has no custom URL, and is ' +
    'started when the instance is. With --database of another type the data is moved over in a portable form. With ' +
    '--anonymise records are changed on their way, so that the clone never holds what they were; it sends nothing out ' +
    '(see neutralise), its administrator has the password of its settings, and a report tells what was changed and ' +
    'which columns look personal and have no rule. With --dry-run that report tells what would be changed.',
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
      summary: 'Anonymise it by the rules of this file; it is neutralised, too',
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
    const state = made.desired === 'started' ? `started: ${address}` : 'there, stopped'
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

/** Whoever made it wants to see it now. */
async function howToLogIn({ settings, home }: ManagerContext, { id, name, source }: Instance): Promise<string> {
  if (source.startsWith('instance:'))
    return `Log in with the users and passwords of "${source.slice('instance:'.length)}".`
  const { adminUser } = await settings.instance(home.instance(id).folder)
  return `Log in as ${adminUser}; this shows the password: manager iocredentials ${name}`
}

/** What is said of the owner; the rest is as it would be without. */
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
  // Of one that failed it is told why there is none, unless an instance has its name.
  if (versions.includes(text) || (isFailed && !registry.find(text))) return { version: text }
  const instance = registry.find(text)
  if (instance) return { instance: instance.id, name: instance.name }
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text
  throw new ManagerError('ERR_NOT_FOUND', `There is neither a version nor an instance "${shown}".`, {
    help: versions.length > 0 ? `Versions: ${versions.join(', ')}.` : 'No version was fetched yet.',
    command: versions.length > 0 ? 'versions' : 'refresh',
  })
}

function freeName(context: Pick<ManagerContext, 'registry'>): string {
  const name = randomName()
  return context.registry.find(name) ? freeName(context) : name
}
