import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { Dialog, Skeleton } from '@steward/page-kit'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { DialogForm, useSaving, type Errors } from '../components/dialog-form.js'
import { Problem } from '../components/problem.js'
import { metadataOf } from '../lib/service.js'
import { useAsked } from '../lib/use-asked.js'
import { Control } from '../record/control.js'
import { changedFields, toDrafts, toValue, type Values } from '../record/draft.js'
import { hasText, t } from './i18n.js'

export interface FormDialogProps {
  readonly title: string
  /** What the button says that saves. */
  readonly action: string
  readonly object: string
  /** Fields with a control of their own, in order; those that the user may not set are left out. */
  readonly names: readonly string[]
  /** As it is saved; absent: it is a new one. */
  readonly record?: Values | undefined
  /** Changes how a field is shown. */
  readonly adapt?: (field: FieldMetadata) => FieldMetadata
  /** Below: what is entered otherwise. */
  readonly more?: (errors: Errors) => ComponentChildren
  /** Fields that `more` shows, whose errors it shows, too. */
  readonly others?: readonly string[]
  /** Titles of linked records, by field. */
  readonly linked?: Readonly<Record<string, string>>
  readonly onClose: () => void
  /**
   * Saves.
   *
   * @param values of the controls that were changed
   * @throws RestClientError
   */
  readonly onSave: (values: Readonly<Record<string, unknown>>) => Promise<void>
}

/** A record of a system object in a dialog: a control for each field, and what is wrong with it. */
export function FormDialog(props: FormDialogProps) {
  const { object, record, title, onClose } = props
  const context = record ? 'update' : 'create'
  const { data: metadata, failure, reload } = useAsked(object, () => metadataOf(object, context))
  if (metadata) return <Form {...props} metadata={metadata} />
  return (
    <Dialog title={title} onClose={onClose}>
      {failure === undefined ? <Skeleton /> : <Problem failure={failure} onRetry={reload} />}
    </Dialog>
  )
}

function Form({ metadata, ...props }: FormDialogProps & { readonly metadata: ObjectMetadata }) {
  const { title, action, names, record = {}, more, others = [], linked = {}, adapt = (field) => field } = props
  const { onClose, onSave } = props
  const fields = names.flatMap((name) => {
    const field = metadata.fields.find((one) => one.name === name)
    return field?.updatable ? [adapt(field)] : []
  })
  const [before] = useState(() => toDrafts(fields, record))
  const [draft, setDraft] = useState(before)
  const saving = useSaving([...names, ...others])
  const { errors } = saving

  function save(): Promise<void> {
    const changed = changedFields(fields, before, draft)
    return onSave(Object.fromEntries(changed.map((field) => [field.name, toValue(field, draft[field.name])])))
  }

  return (
    <DialogForm title={title} action={action} saving={saving} onClose={onClose} onSave={save}>
      {fields.map((field) => (
        <Control
          key={field.name}
          field={{ ...field, help: helpOf(field) }}
          label={labelOf(field)}
          value={draft[field.name]}
          onChange={(value) => setDraft((now) => ({ ...now, [field.name]: value }))}
          error={errors[field.name]}
          metadata={metadata}
          text={draft[field.name] === before[field.name] ? (linked[field.name] ?? '') : ''}
        />
      ))}
      {more?.(errors)}
    </DialogForm>
  )
}

/** In the language of the user; the definitions of system objects have labels in one language. */
export function labelOf({ name, label }: Pick<FieldMetadata, 'name' | 'label'>): string {
  const key = `field.${name}`
  return hasText(key) ? t(key) : label || name
}

function helpOf({ name }: FieldMetadata): string {
  const key = `help.${name}`
  return hasText(key) ? t(key) : ''
}
