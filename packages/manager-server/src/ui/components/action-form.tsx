import { useLayoutEffect, useRef } from 'preact/hooks'
import type { ListedInstance, WireAction, WireInput, WireVersion } from '@steward/manager-core'
import { subjectOf, type FieldValue, type FieldValues } from '../lib/action-input.js'
import { hasText, summaryOf, t } from '../lib/i18n.js'
import { useApi } from '../lib/use-api.js'
import '../styles/action-form.css'
import { ActionField } from './action-field.js'

export interface ActionFormProps {
  /** Id of the form, for the button that submits it. */
  readonly id: string
  readonly action: WireAction
  /** What it is about; none: the form asks. */
  readonly instances: readonly string[]
  /** Inputs that are asked for. */
  readonly inputs: readonly WireInput[]
  readonly values: FieldValues
  readonly onValue: (name: string, value: FieldValue) => void
  /** What must be typed because something will be lost; undefined: nothing. */
  readonly confirmation: string | undefined
  /** Until when it can be undone, for people; undefined: it cannot. */
  readonly undoableUntil?: string | undefined
  readonly onSubmit: () => void
}

/** Fields that are visible at first; the others are below a heading. Not specified; chosen for a small screen. */
const mostFields = 4

/** Asks for the inputs of an action, and for the name of what would be lost. */
export function ActionForm(props: ActionFormProps) {
  const { id, action, inputs, values, onValue, confirmation, undoableUntil, onSubmit } = props
  const names = useNames(inputs)
  const isFirst = (input: WireInput) =>
    (inputs.length <= mostFields && undoableUntil === undefined) ||
    action.parameters.some(({ name }) => name === input.name) ||
    input.required
  const field = (input: WireInput, at: number) => (
    <ActionField
      action={props.action.name}
      key={input.name}
      input={input}
      value={values[input.name] ?? ''}
      onChange={(value) => onValue(input.name, value)}
      names={names[input.type]}
      autofocus={at === 0}
    />
  )
  const rest = inputs.filter((input) => !isFirst(input))
  return (
    <form
      id={id}
      class="action-form"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <About {...props} />
      {inputs.filter(isFirst).map(field)}
      {rest.length > 0 && (
        <details class="more-fields">
          <summary>{t('form.advanced')}</summary>
          {rest.map((input) => field(input, -1))}
        </details>
      )}
      {confirmation !== undefined && <Confirmation {...props} wanted={confirmation} />}
    </form>
  )
}

/** What a button that does it says; undefined: the texts do not know it. */
export function titleOf(action: string): string | undefined {
  const key = `action.${action}`
  return hasText(key) ? t(key) : undefined
}

/** The action table speaks English; what is done most often is also said here. */
function About({ action, instances, undoableUntil }: ActionFormProps) {
  const { name, description } = action
  if (undoableUntil !== undefined)
    return <p>{t('about.delete', { name: instances[0] ?? '', count: instances.length, until: undoableUntil })}</p>
  const key = `about.${name}`
  // What cannot be undone is said where it is confirmed.
  const isOurs = hasText(key) && key !== 'about.delete'
  const { text, lang } = summaryOf(action)
  return (
    <div class="action-about">
      <p lang={isOurs ? undefined : lang}>{isOurs ? t(key) : `${text}.`}</p>
      {description && (
        <details>
          <summary>{t('form.more')}</summary>
          <p lang="en">{description}</p>
        </details>
      )}
    </div>
  )
}

function Confirmation({ action, instances, values, wanted }: ActionFormProps & { readonly wanted: string }) {
  const field = useRef<HTMLInputElement>(null)
  const check = () => {
    const element = field.current as HTMLInputElement
    element.setCustomValidity(element.value === wanted ? '' : t('form.confirmWrong'))
  }
  // Also with each key, at once: who types fast and presses Enter must not have to do it twice.
  useLayoutEffect(check, [wanted])
  const key = `lost.${action.name}`
  const name = instances.length > 0 ? instances.join(', ') : String(values[subjectOf(action)?.name ?? ''] ?? '')
  const english = (action.destructive ?? '').replaceAll(/\{(\w+)\}/g, (place, input: string) =>
    String(input === 'name' ? name : (values[input] ?? place)),
  )
  return (
    <div class="confirmation">
      <p lang={hasText(key) ? undefined : 'en'}>{hasText(key) ? t(key, { name }) : english}</p>
      <label>
        {t(instances.length > 1 ? 'bulk.confirm' : 'form.confirm', { name: wanted })}
        <input ref={field} type="text" name="confirmation" autocomplete="off" spellcheck={false} onInput={check} />
      </label>
    </div>
  )
}

/** Names to choose from, by type of input. */
function useNames(inputs: readonly WireInput[]): Partial<Record<WireInput['type'], readonly string[]>> {
  const has = (type: WireInput['type']) => inputs.some((input) => input.type === type)
  const versions = useApi<{ readonly list: readonly WireVersion[] }>(has('version') ? 'versions' : undefined)
  const instances = useApi<{ readonly list: readonly ListedInstance[] }>(has('instance') ? 'list' : undefined)
  return {
    version: versions.data?.list.map(({ version }) => version) ?? [],
    instance: instances.data?.list.map(({ name }) => name) ?? [],
  }
}
