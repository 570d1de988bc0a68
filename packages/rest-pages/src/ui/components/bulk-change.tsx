import type { ObjectMetadata } from '@steward/rest-core'
import { Button, Dialog, Notice, Skeleton, toast } from '@steward/page-kit'
import { kindOf } from '@steward/page-kit/field-kinds'
import { useState } from 'preact/hooks'
import { t } from '../lib/i18n.js'
import { labelOf, metadataOf } from '../lib/service.js'
import { client } from '../lib/session.js'
import { useAsked } from '../lib/use-asked.js'
import { Control } from '../record/control.js'
import { toDraft, toValue } from '../record/draft.js'
import '../styles/record.css'
import { messageOf, Problem } from './problem.js'

export interface BulkChangeProps {
  readonly object: string
  readonly ids: readonly string[]
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Gives a field the same value in all selected records. */
export function BulkChange({ object, ids, onClose, onDone }: BulkChangeProps) {
  const count = ids.length
  const { data: metadata, failure, reload } = useAsked(object, () => metadataOf(object, 'update'))
  const [isBusy, setBusy] = useState(false)
  const title = t('bulk.title', { count })
  if (failure !== undefined || !metadata)
    return (
      <Dialog title={title} onClose={onClose}>
        {failure === undefined ? <Skeleton /> : <Problem failure={failure} onRetry={reload} />}
      </Dialog>
    )
  return (
    <Dialog
      title={title}
      onClose={onClose}
      locked={isBusy}
      footer={
        <>
          <Button onClick={onClose} disabled={isBusy}>
            {t('button.cancel')}
          </Button>
          <Button kind="primary" type="submit" form={formId} busy={isBusy}>
            {t('bulk.apply', { count })}
          </Button>
        </>
      }
    >
      <Form metadata={metadata} ids={ids} isBusy={isBusy} setBusy={setBusy} onDone={onDone} />
    </Dialog>
  )
}

const formId = 'bulk-form'

interface FormProps extends Pick<BulkChangeProps, 'ids' | 'onDone'> {
  readonly metadata: ObjectMetadata
  readonly isBusy: boolean
  readonly setBusy: (is: boolean) => void
}

function Form({ metadata, ids, isBusy, setBusy, onDone }: FormProps) {
  // A key is of one record, and so are documents.
  const fields = metadata.fields.filter(
    (field) => field.ref === null && field.updatable && !field.key && !['file', 'password'].includes(kindOf(field)),
  )
  const [name, setName] = useState(fields[0]?.name ?? '')
  const field = fields.find((one) => one.name === name)
  const [value, setValue] = useState<unknown>(field && toDraft(field, null))
  const [failure, setFailure] = useState('')

  async function apply(): Promise<void> {
    if (!field) return
    setBusy(true)
    setFailure('')
    try {
      const values = { [name]: toValue(field, value) }
      // All of them or none.
      await client.object(metadata.name).batch(ids.map((id) => ({ action: 'update' as const, row_id: id, values })))
      toast(t('bulk.done', { count: ids.length }))
      onDone()
    } catch (reason) {
      setFailure(reason instanceof SyntaxError ? t('record.notJson') : messageOf(reason))
      setBusy(false)
    }
  }

  return (
    <form
      id={formId}
      class="filter-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) void apply()
      }}
    >
      {failure && <Notice tone="bad" title={failure} />}
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
    </form>
  )
}
