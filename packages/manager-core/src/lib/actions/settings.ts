import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { ManagerError } from '../../errors.js'
import { whyNotSetting } from '../access/setting-rights.js'
import type { Action, ActionResult, Option, Parameter } from '../action.js'
import type { ManagerContext } from '../context.js'
import type { Caller } from '../domain/caller.js'
import type { Instance } from '../domain/instance.js'
import { countText } from '../domain/readable.js'
import { isSecretName } from '../domain/secret-names.js'
import { Secret } from '../domain/secret.js'
import { setSettingKind, unsetSettingKind, whenText, type SettingChange } from '../instances/change-setting.js'
import { instanceVariableOf, type InstanceVariable } from '../settings/instance-variable.js'
import type { SettingDescription } from '../settings/settings.js'
import { fingerprintOf } from '../settings/stamp-of.js'
import { defineAction, type CallOf } from './define-action.js'
import { runOperation } from './run-operation.js'
import { nameOfInstance } from './shared-inputs.js'

const variableName = {
  name: 'variable',
  type: 'text',
  required: true,
  summary: 'Variable, such as SERVICE_SLEEP_AFTER',
} as const satisfies Parameter

const ifUnchanged = {
  name: 'fingerprint',
  type: 'text',
  summary: 'Only if the settings are still as "setting list" answered them with this fingerprint',
} as const satisfies Option

const list = defineAction({
  name: 'setting list',
  group: 'Instances',
  summary: 'List the settings of an instance, and which of them you can change',
  description:
    'Shows the variables of the settings file (settings.sh) of the instance, with the defaults of its version and of ' +
    'the manager. Without --all, shows only variables that have a value. Passwords and keys are shown as ***.',
  parameters: [nameOfInstance],
  options: [{ name: 'all', type: 'flag', summary: 'Include variables without a value' }],
  ability: 'read',
  mutating: false,
  examples: ['setting list demo', 'setting list demo --all --json'],
  view: {
    type: 'table',
    columns: ['name', 'value', 'default', 'changeable', 'origin'],
    below: 'hint',
    empty: 'No variable has a value. To include those without a value, add --all.',
  },
  async handler({ context, caller, input }) {
    // Before they are read: a change meanwhile is a conflict then.
    const fingerprint = fingerprintOf(context.home.instance(input.name.id).settings)
    const all = itemsOf(context, caller, input.name)
    const shown = all.filter(({ value, hint }) => input.all || value !== null || hint !== undefined)
    return {
      message: `${shown.length} of ${countText(all.length, 'variable')}`,
      list: shown.map((setting) => ({ ...setting })),
      data: { fingerprint },
    }
  },
})

const set = defineAction({
  name: 'setting set',
  group: 'Instances',
  summary: 'Change a setting of an instance',
  description:
    'Writes a variable to the settings file (settings.sh) of the instance; comments and order of the file stay. ' +
    'Variables that the manager derives are not changed; "setting list" shows why. Credentials require the ability ' +
    'sensitive as well; limits, placement, debugger, code quality and new variables of the application require the ' +
    'ability admin for the whole manager. Values of secrets are read from standard input or at a prompt (--stdin) and ' +
    'appear nowhere, not even in the history.',
  parameters: [
    nameOfInstance,
    variableName,
    { name: 'value', type: 'text', secret: true, readWith: 'stdin', summary: 'New value' },
  ],
  options: [
    {
      name: 'stdin',
      type: 'flag',
      surfaces: ['cli'],
      summary: 'Read the value from standard input, or ask for it; required for secrets',
    },
    ifUnchanged,
  ],
  ability: 'operate',
  mutating: true,
  examples: [
    'setting set demo SERVICE_SLEEP_AFTER 600',
    'setting set demo SERVICE_PASSWORD --stdin',
    'setting set demo SERVICE_LIMIT_MEMORY 1024 --dry-run',
  ],
  view: { type: 'record' },
  async handler(call) {
    const { value, stdin, variable: name } = call.input
    const variable = checkedVariable(call)
    if (value === undefined)
      throw new ManagerError('ERR_USAGE', `Which value should ${name} have?`, {
        help: `To remove a variable: manager setting unset ${call.input.name.name} ${name}`,
      })
    if (variable.row.type === 'secret' && call.caller.surface !== 'api' && !stdin)
      throw new ManagerError('ERR_USAGE', `${name} is a secret, and other users of the machine can see arguments.`, {
        help: 'Leave the value out: it is read from standard input, or you are asked for it.',
        command: `setting set ${call.input.name.name} ${name} --stdin`,
      })
    return change(call, variable, { value: new Secret(value), fingerprint: call.input.fingerprint })
  },
})

const unset = defineAction({
  name: 'setting unset',
  group: 'Instances',
  summary: 'Remove a setting of an instance, so that its default applies',
  description: 'The rights are those of "setting set".',
  parameters: [nameOfInstance, variableName],
  options: [ifUnchanged],
  ability: 'operate',
  mutating: true,
  examples: ['setting unset demo SERVICE_SLEEP_AFTER'],
  view: { type: 'record' },
  handler: (call) => change(call, checkedVariable(call), { fingerprint: call.input.fingerprint }),
})

export const settingActions: readonly Action[] = [list, set, unset]

type Call = CallOf<typeof nameOfInstance | typeof variableName>

/** @throws ManagerError ERR_USAGE, ERR_ACCESS */
function checkedVariable({ context, caller, input }: Call): InstanceVariable {
  const variable = instanceVariableOf(input.variable)
  const { name } = variable
  const isSet = described(context, input.name).some((one) => one.name === name && one.value !== undefined)
  const { isShared } = surroundingsOf(context, input.name)
  const why = whyNotSetting(variable, caller, { isSet, isShared: isShared(name) })
  if (why === undefined) return variable
  throw new ManagerError('ERR_ACCESS', `${name} cannot be changed. ${why}`)
}

async function change(call: Call, variable: InstanceVariable, wanted: SettingChange): Promise<ActionResult> {
  const { context, caller, input } = call
  const { id, name } = input.name
  const kind = wanted.value ? setSettingKind(wanted) : unsetSettingKind(wanted)
  return runOperation(call, kind, { id, name, variable: variable.name }, () => {
    const item = itemsOf(context, caller, input.name).find((one) => one.name === variable.name)
    return {
      message: `${variable.name} of "${name}" is ${wanted.value ? 'set' : 'removed'}. ${whenText(variable)}`,
      ...(item && { item: { ...item } }),
    }
  })
}

/** A setting of an instance, as `setting list` answers it. */
export interface WireSetting {
  readonly name: string
  /** Secrets are `***`; null: it has none of its own. */
  readonly value: string | null
  /** What applies then; null: nothing, or a secret. */
  readonly default: string | null
  /** Where the value is, or else the default: `settings.sh:3`, `version-1.0.sh:2`, `config.sh:8`, `default`. */
  readonly origin: string
  readonly summary: string
  /** `text`, `integer`, `limit`, `choice`, `true-false`, `url`, `secret` … */
  readonly type: string
  readonly choices?: readonly string[]
  readonly min?: number
  readonly max?: number
  readonly secret: boolean
  readonly required: boolean
  /** Whether the caller may change it; `reason` says why not. */
  readonly changeable: 'yes' | 'no'
  readonly reason?: string
  /** When another value takes effect: at the next start of the instance, or now. */
  readonly effect: 'start' | 'now'
  readonly hint?: string
}

/** As the caller may see and change them. */
function itemsOf(context: ManagerContext, caller: Caller, instance: Instance): readonly WireSetting[] {
  const { inherited, isShared } = surroundingsOf(context, instance)
  return described(context, instance).map(({ name, value, default: ofNone, origin, summary, hint }) => {
    const variable = knownVariable(name)
    const { type = 'text', choices, min, max, required = false, change: way } = variable?.row ?? {}
    const isSet = value !== undefined && origin !== 'default'
    const reason = variable
      ? whyNotSetting(variable, caller, { isSet, isShared: isShared(name) })
      : 'The manager has no variable of this name. Change it in the file.'
    const from = ofNone === undefined ? inherited(name) : undefined
    return {
      name,
      value: isSet ? value : null,
      default: ofNone ?? from?.value ?? null,
      // All of them are in the folder of the instance.
      origin: isSet ? basename(origin) : (from?.origin ?? 'default'),
      summary,
      type,
      ...(choices && { choices }),
      ...(min !== undefined && { min }),
      ...(max !== undefined && { max }),
      // Parts of addresses are hidden, too.
      secret: type === 'secret' || (isSet && value.includes('***')),
      required,
      changeable: reason === undefined ? 'yes' : 'no',
      ...(reason !== undefined && { reason }),
      effect: way && 'from' in way ? way.from : 'start',
      ...(hint !== undefined && { hint }),
    }
  })
}

function described({ settings, home }: ManagerContext, { id }: Instance): readonly SettingDescription[] {
  return settings.describe({ folder: home.instance(id).folder })
}

/** Undefined: the file has a variable of this name, which means nothing. */
function knownVariable(name: string): InstanceVariable | undefined {
  try {
    return instanceVariableOf(name)
  } catch {
    return undefined
  }
}

/** What the version and the manager have beside the settings of an instance. */
function surroundingsOf({ settings, home }: ManagerContext, { version }: Instance) {
  const ofVersion = existsSync(home.versionSettings(version)) ? settings.describe({ version }) : []
  const all = [...ofVersion, ...settings.describe()].filter(({ value }) => value !== undefined)
  const environment = settings.environment()
  return {
    /** The value that applies while the instance has none, and where it is. */
    inherited(name: string): SettingDescription | undefined {
      const found = all.find((one) => one.name === name.replace(/^SERVICE_/, 'APPS_'))
      return found === undefined || isSecretName(name) || name === 'SERVICE_QUALITY_LOGIN' ? undefined : found
    },
    isShared: (name: string) => Object.hasOwn(environment, name) || all.some((one) => one.name === name),
  }
}
