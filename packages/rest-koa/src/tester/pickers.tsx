import type { ObjectMetadata } from '@steward/rest-core'
import { SelectField, TextField } from './controls.js'
import type { Common } from './controls.js'
import type { Draft } from './draft.js'
import { t } from './i18n.js'
import { isDocument, named, searchableFields } from './metadata.js'
import type { Loaded } from './use-service.js'

interface Named {
  readonly name: string
  readonly label: string
}

/** A name out of a list; typed where the list is unavailable. While it loads the control is what it will be. */
function NamePicker(props: Common & { list: Loaded<readonly Named[]>; waiting?: string; none?: string }) {
  const { list, waiting = t('loading'), none, ...common } = props
  if (list.problem) return <TextField {...common} />
  const first = !list.value ? waiting : list.value.length === 0 ? t('form.none') : (none ?? t('form.choose'))
  const choices = (list.value ?? []).map(({ name, label }) => ({ value: name, label: named(name, label) }))
  return <SelectField {...common} choices={[{ value: '', label: first }, ...choices]} />
}

export function ObjectPicker(props: {
  value: string
  /** All objects may be meant. */
  optional: boolean
  objects: Loaded<readonly string[]>
  onInput: (value: string) => void
}) {
  const { value, optional, objects, onInput } = props
  return (
    <NamePicker
      name="object"
      label={t('form.object')}
      value={value}
      onInput={onInput}
      required={!optional}
      {...(optional && { none: t('form.allObjects') })}
      {...(objects.problem && { hint: t('form.listFailed', { problem: objects.problem }) })}
      list={mapped(objects, (names) => names.map((name) => ({ name, label: name })))}
    />
  )
}

interface OfObject {
  readonly draft: Draft
  readonly change: (changes: Partial<Draft>) => void
  readonly metadata: Loaded<ObjectMetadata>
}

/** Name of an action, publication or pivot table, whichever the operation is about. */
export function DefinitionPicker({ draft, change, metadata }: OfObject) {
  const kind = draft.operation as 'action' | 'publication' | 'crosstab'
  const list = mapped(metadata, (object): readonly (Named & { help: string })[] => object[`${kind}s`])
  return (
    <NamePicker
      name={kind}
      label={t(`operation.${kind}`)}
      required
      value={draft[kind]}
      hint={list.value?.find(({ name }) => name === draft[kind])?.help || undefined}
      onInput={(value) => change({ [kind]: value, parameters: {} })}
      list={list}
      waiting={waitingFor(draft.object)}
    />
  )
}

/** Field of a document or image. */
export function DocumentFieldPicker({ draft, change, metadata }: OfObject) {
  return (
    <NamePicker
      name="documentField"
      label={t('form.field')}
      required
      value={draft.documentField}
      onInput={(documentField) => change({ documentField })}
      list={mapped(metadata, ({ fields }) => fields.filter((field) => isDocument(field) && field.ref === null))}
      waiting={waitingFor(draft.object)}
    />
  )
}

/** Field of a filter. */
export function FilterFieldPicker(props: {
  object: string
  value: string
  metadata: Loaded<ObjectMetadata>
  onInput: (value: string) => void
}) {
  const { object, value, metadata, onInput } = props
  const list = mapped(metadata, searchableFields)
  return <NamePicker label={t('form.field')} value={value} onInput={onInput} list={list} waiting={waitingFor(object)} />
}

function waitingFor(object: string): string {
  return t(object === '' ? 'form.objectFirst' : 'loading')
}

function mapped<T, U>({ value, problem }: Loaded<T>, map: (value: T) => U): Loaded<U> {
  return { value: value === undefined ? undefined : map(value), problem }
}
