import type { ObjectMetadata } from '@steward/rest-core'
import { Dialog, Skeleton, toast } from '@steward/page-kit'
import { kindOf } from '@steward/page-kit/field-kinds'
import { useState } from 'preact/hooks'
import { t } from '../lib/i18n.js'
import { labelOf, metadataOf } from '../lib/service.js'
import { client } from '../lib/session.js'
import { useAsked } from '../lib/use-asked.js'
import { Control } from '../record/control.js'
import { toDraft, toValue } from '../record/draft.js'
import '../styles/record.css'
import { DialogForm, useSaving } from './dialog-form.js'
import { Problem } from './problem.js'

export interface BulkChangeProps {
  readonly object: string
  readonly ids: readonly string[]
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Gives a field the same value in all selected records. */
export function BulkChange(props: BulkChangeProps) {
  const { object, ids, onClose } = props
  const { data: metadata, failure, reload } = useAsked(object, () => metadataOf(object, 'update'))
  if (metadata && failure === undefined) return <Form {...props} metadata={metadata} />
  return (
    <Dialog title={t('bulk.title', { count: ids.length })} onClose={onClose}>
      {failure === undefined ? <Skeleton /> : <Problem failure={failure} onRetry={reload} />}
    </Dialog>
  )
}

function Form({ metadata, ids, onClose, onDone }: BulkChangeProps & { readonly metadata: ObjectMetadata }) {
  const count = ids.length
  // A key is of one record, and so are documents.
  const fields = metadata.fields.filter(
    (field) => field.ref === null && field.updatable && !field.key && !['file', 'password'].includes(kindOf(field)),
  )
  const [name, setName] = useState(fields[0]?.name ?? '')
  const field = fields.find((one) => one.name === name)
  const [value, setValue] = useState<unknown>(field && toDraft(field, null))
  const saving = useSaving([], metadata.fields)

  async function apply(): Promise<void> {
    if (!field) return
    const values = { [name]: toValue(field, value) }
    // All of them or none.
    await client.object(metadata.name).batch(ids.map((id) => ({ action: 'update' as const, row_id: id, values })))
    toast(t('bulk.done', { count }))
    onDone()
  }

  return (
    <DialogForm
      title={t('bulk.title', { count })}
      action={t('bulk.apply', { count })}
      saving={saving}
      onClose={onClose}
      onSave={apply}
    >
      <label class="field">
        <span>{t('filter.field')}</span>
        <select
          autofocus
          value={name}
          onChange={(event) => {
            const next = fields.find((one) => one.name === event.currentTarget.value)
            setName(event.currentTarget.value)
            setValue(next && toDraft(next, null))
          }}
        >
          {fields.map((one) => (
            <option key={one.name} value={one.name}>
              {labelOf(one, metadata)}
            </option>
          ))}
        </select>
      </label>
      {field && (
        <Control
          key={name}
          field={field}
          label={t('bulk.value')}
          value={value}
          onChange={setValue}
          metadata={metadata}
        />
      )}
    </DialogForm>
  )
}
