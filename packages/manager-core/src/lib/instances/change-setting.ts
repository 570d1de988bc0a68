import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { ManagerError } from '../../errors.js'
import { constraintsOf } from '../application/placement.js'
import { debugPortOf } from '../application/webapp-spec.js'
import type { OperationKind, Step } from '../context.js'
import type { Secret } from '../domain/secret.js'
import { withoutCredentials } from '../domain/secret-names.js'
import { fileError } from '../files/file-error.js'
import { replaceFile, writePrivateFile } from '../files/write-private-file.js'
import { instanceVariableOf, type InstanceVariable } from '../settings/instance-variable.js'
import { parseInstanceSettings } from '../settings/parse-instance-settings.js'
import { readShellSettings } from '../settings/read-shell-settings.js'
import { fingerprintOf } from '../settings/stamp-of.js'
import { parseValue } from '../settings/variable.js'
import { rewriteShellSettings } from '../settings/write-shell-settings.js'
import { existing } from './existing.js'

export interface SettingChange {
  /** Absent: the variable is removed. */
  readonly value?: Secret
  /** What `fingerprintOf` gave when the caller read the settings; another one now is a conflict. Absent: any. */
  readonly fingerprint?: string | undefined
}

export type SettingRequest = { readonly id: string; readonly name: string; readonly variable: string }

/** Values as they are shown; null: not set. */
type SettingFacts = {
  readonly name: string
  readonly file: string
  readonly before: string | null
  readonly after: string | null
}

/** Kinds for recovery, which needs no value: it is in the file that takes the place of the present one, or is not needed. */
export const settingKinds = [setSettingKind(), unsetSettingKind()] as const

/** Sets a variable of an instance's settings. The value is in neither the journal nor the history when it is a secret. */
export function setSettingKind(change: SettingChange = {}): OperationKind<SettingRequest, SettingFacts> {
  return settingKind('setting set', change)
}

/** Removes a variable of an instance's settings. */
export function unsetSettingKind(change: SettingChange = {}): OperationKind<SettingRequest, SettingFacts> {
  return settingKind('setting unset', change)
}

function settingKind(kind: string, { value, fingerprint }: SettingChange): OperationKind<SettingRequest, SettingFacts> {
  return {
    kind,
    locks: ({ id }) => [`instance:${id}`],
    async inspect({ id, name: given, variable: wanted }, context) {
      const { name } = existing(context.registry, { id, name: given })
      const file = context.home.instance(id).settings
      const variable = instanceVariableOf(wanted)
      if (fingerprint !== undefined && fingerprint !== fingerprintOf(file))
        throw new ManagerError('ERR_STATE', `The settings of "${name}" have changed since you read them.`, {
          help: 'Read them again, and check whether you still want this change.',
          command: `setting list ${name}`,
        })
      const { [wanted]: before } = valuesIn(file, readFileSync(file, 'utf8'))
      if (value) checkValue(variable, value.reveal())
      else if (variable.row.required)
        throw new ManagerError('ERR_USAGE', `${wanted} is required, so it cannot be removed.`)
      const { placement, debugOrigin } = parseInstanceSettings(changedText(file, wanted, value), file)
      constraintsOf(placement)
      debugPortOf(debugOrigin)
      return { name, file, before: shownValue(variable, before), after: shownValue(variable, value?.reveal()) }
    },
    plan({ id, variable }, { name, file, before, after }) {
      const isSame = before === after && before !== hidden
      return {
        title: after === null ? `Remove ${variable} of instance "${name}"` : `Set ${variable} of instance "${name}"`,
        instance: { id, name },
        steps: isSame ? [] : [prepareStep(file, variable, value), switchStep(file)],
        notes: [`Now: ${before ?? 'not set'}. Then: ${after ?? 'not set'}.`, whenText(instanceVariableOf(variable))],
        message: () => `${variable}: ${before ?? 'not set'} → ${after ?? 'not set'}`,
      }
    },
  }
}

const hidden = '***'
const nextOf = (file: string) => `${file}.next`

function prepareStep(file: string, variable: string, value: Secret | undefined): Step {
  return {
    id: 'prepare',
    title: 'Write the new settings beside the present ones',
    do: () =>
      writePrivateFile(nextOf(file), changedText(file, variable, value)).catch((error: unknown) => {
        throw fileError(error, 'Cannot write the settings of the instance')
      }),
    undo: () => rm(nextOf(file), { force: true }),
    check: () => 'not-done',
  }
}

function switchStep(file: string): Step {
  return {
    id: 'switch',
    title: 'Replace the present settings',
    pointOfNoReturn: true,
    do: () => replaceFile(nextOf(file), file),
    check: () => (existsSync(nextOf(file)) ? 'not-done' : 'done'),
  }
}

/** The variables of a settings file. */
function valuesIn(file: string, text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(readShellSettings(text, { file }).map(({ name, value }) => [name, value]))
}

function changedText(file: string, variable: string, value: Secret | undefined): string {
  const text = readFileSync(file, 'utf8')
  const { [variable]: _before, ...others } = valuesIn(file, text)
  return rewriteShellSettings(text, value ? { ...others, [variable]: value.reveal() } : others, file)
}

/** @throws ManagerError ERR_USAGE saying what is allowed, without the value */
function checkValue({ name, row }: InstanceVariable, text: string): void {
  const parsed = parseValue(row, text)
  const allowed = /\p{Cc}/u.test(text)
    ? 'one line of text, without control characters'
    : name === 'SERVICE_USER' && !/^[\w.@-]+$/.test(text)
      ? 'letters, digits and . _ @ -'
      : 'allowed' in parsed
        ? parsed.allowed
        : undefined
  if (allowed !== undefined) throw new ManagerError('ERR_USAGE', `${name} must be ${allowed}.`)
}

/** As the history may have it; null: not set. */
function shownValue({ row }: InstanceVariable, text: string | undefined): string | null {
  if (text === undefined || text === '') return null
  return row.type === 'secret' || withoutCredentials(text) !== text ? hidden : text
}

/** When another value of a variable takes effect, in a sentence. */
export function whenText({ row: { change } }: InstanceVariable): string {
  return change && 'from' in change && change.from === 'now'
    ? 'It takes effect immediately.'
    : 'It takes effect when the instance is started or restarted.'
}
