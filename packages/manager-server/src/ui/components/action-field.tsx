import { useId } from 'preact/hooks'
import type { RuntimeItem, WireInput } from '@steward/manager-core'
import type { FieldValue } from '../lib/action-input.js'
import { hasText, inputSummaryOf, t } from '../lib/i18n.js'
import { useApi } from '../lib/use-api.js'
import { useTargets } from '../lib/use-targets.js'

export interface ActionFieldProps {
  /** Name of the action that takes it. */
  readonly action: string
  readonly input: WireInput
  readonly value: FieldValue
  readonly onChange: (value: FieldValue) => void
  /** Names to choose from, of inputs that are an instance or a version. */
  readonly names?: readonly string[] | undefined
  readonly autofocus?: boolean
  /** What it is when nothing is chosen. Default: that is not known. */
  readonly usual?: string | undefined
}

/** The control of one input, by its type, with its label and what it is for. */
export function ActionField({ action, input, value, onChange, names, usual, autofocus = false }: ActionFieldProps) {
  const id = useId()
  const { name, type, required } = input
  const { text, lang } = inputSummaryOf(action, input)
  const runtimes = useRuntimes(type === 'runtime')
  const label = labelOf(name)
  const isPlain = label === text
  const common = { id, name, required, autofocus, ...(!isPlain && { 'aria-describedby': `${id}-about` }) }
  const about = !isPlain && (
    <p class="field-about" id={`${id}-about`} lang={lang}>
      {text}
    </p>
  )
  if (isOfTargets(action, input))
    return <TargetsField label={label} value={String(value)} onChange={onChange} noneIsAll={action !== 'save'} />
  if (type === 'flag')
    return (
      <div class="field field-check">
        <input
          {...common}
          type="checkbox"
          checked={value === true}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
        <label for={id}>{label}</label>
        {about}
      </div>
    )
  const current = String(value)
  const choices = type === 'runtime' ? runtimes : choicesOf(input, names)
  return (
    <div class="field">
      <label for={id}>
        {label}
        {!required && <span class="field-optional"> {t('form.optional')}</span>}
      </label>
      {choices ? (
        <select {...common} value={current} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          <option value="" disabled={required}>
            {required ? t('form.choose') : usual ? t('create.isDefault', { value: usual }) : t('form.default')}
          </option>
          {choices.map(([key, shown, why]) => (
            <option key={key} value={key} disabled={why !== undefined} title={why}>
              {shown}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...common}
          {...textAttributes(input)}
          value={current}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
      {about}
    </div>
  )
}

/** Where backups are copied to. */
function isOfTargets(action: string, { name }: WireInput): boolean {
  return name === 'to' && ['save', 'saveall', 'backups-export'].includes(action)
}

interface TargetsFieldProps extends Pick<ActionFieldProps, 'onChange'> {
  readonly label: string
  /** Names with commas between them; empty: as it is usual for the action. */
  readonly value: string
  /** The action takes all of them when none is chosen. */
  readonly noneIsAll: boolean
}

/** A box for each target; nothing where there are none. */
function TargetsField({ label, value, onChange, noneIsAll }: TargetsFieldProps) {
  const targets = useTargets() ?? []
  const chosen = value.split(',').filter(Boolean)
  if (targets.length === 0) return null
  return (
    <fieldset class="field">
      <legend>{label}</legend>
      {targets.map(({ name }) => (
        <label key={name} class="field-check">
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={({ currentTarget: { checked } }) =>
              onChange([...chosen.filter((one) => one !== name), ...(checked ? [name] : [])].join(','))
            }
          />
          <span>{name}</span>
        </label>
      ))}
      {noneIsAll && <p class="field-about">{t('form.allTargets')}</p>}
    </fieldset>
  )
}

/** The name of an input for people; those that are not in the texts speak for themselves. */
export function labelOf(name: string): string {
  const key = `field.${name}`
  if (hasText(key)) return t(key)
  const words = name.replaceAll(/[-_]/g, ' ')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

/** Who cannot be chosen says why. */
type Choice = readonly [key: string, label: string, why?: string]

function choicesOf({ type, choices }: WireInput, names: readonly string[] | undefined): readonly Choice[] | undefined {
  if (type === 'yes-no')
    return [
      ['yes', t('yes')],
      ['no', t('no')],
    ]
  const own = type === 'choice' ? choices : type === 'instance' || type === 'version' ? names : undefined
  return own?.map((one) => [one, one])
}

/** What can run instances; that which cannot be used on that machine says why. */
function useRuntimes(isWanted: boolean): readonly Choice[] {
  const { data } = useApi<{ readonly list: readonly RuntimeItem[] }>(isWanted ? 'runtimes' : undefined)
  return (data?.list ?? []).map(({ name, usable, message }) =>
    usable === 'yes' ? [name, name] : [name, `${name} – ${message.replace(/\. .*/, '.')}`, message],
  )
}

/** Attributes of a text field. Passwords are neither offered from the browser's store nor kept in it. */
function textAttributes({ type, min, max, secret }: WireInput) {
  if (secret) return { type: 'password', autocomplete: 'new-password' } as const
  if (type === 'integer') return { type: 'number', inputMode: 'numeric', min, max, step: 1 } as const
  const plain = { type: 'text', autocomplete: 'off', spellcheck: false } as const
  if (type !== 'new-name') return plain
  return { ...plain, pattern: '[A-Za-z0-9]{3,20}', title: t('form.newName'), maxLength: 20 }
}
