import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { Button, Confirm, Notice, toast } from '@steward/page-kit'
import type { AnyRecord } from '@steward/rest-client'
import { useState } from 'preact/hooks'
import { csvOf, download } from '../lib/csv.js'
import { t } from '../lib/i18n.js'
import { client } from '../lib/session.js'
import { BulkChange } from './bulk-change.js'
import { messageOf } from './problem.js'

export interface SelectionBarProps {
  readonly metadata: ObjectMetadata
  readonly columns: readonly { readonly title: string; readonly field: FieldMetadata }[]
  /** Those that are selected. */
  readonly rows: readonly AnyRecord[]
  readonly onClear: () => void
  readonly onChanged: () => void
}

/** What can be done with selected records, as far as the user may. */
export function SelectionBar({ metadata, columns, rows, onClear, onChanged }: SelectionBarProps) {
  const [isChanging, change] = useState(false)
  const [isAsking, ask] = useState(false)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const count = rows.length

  async function remove(): Promise<void> {
    setBusy(true)
    setFailure(undefined)
    try {
      // All of them or none: a record that must not go keeps the others.
      await client.object(metadata.name).batch(rows.map(({ row_id: id }) => ({ action: 'delete', row_id: id })))
      ask(false)
      toast(t('list.deleted', { count }))
      onChanged()
    } catch (refused) {
      setFailure(refused)
    } finally {
      setBusy(false)
    }
  }

  return (
    <div class="panel selection-bar" role="group" aria-label={t('list.selected', { count })}>
      <strong>{t('list.selected', { count })}</strong>
      {metadata.export && (
        <Button small icon="save" onClick={() => download(csvOf(columns, rows), `${metadata.name}.csv`)}>
          {t('list.export')}
        </Button>
      )}
      {metadata.update && (
        <Button small onClick={() => change(true)}>
          {t('bulk.change')}
        </Button>
      )}
      {metadata.del && (
        <Button small kind="danger" icon="trash" onClick={() => ask(true)}>
          {t('list.delete')}
        </Button>
      )}
      <Button small kind="quiet" onClick={onClear}>
        {t('list.clearSelection')}
      </Button>
      {isChanging && (
        <BulkChange
          object={metadata.name}
          ids={rows.map(({ row_id: id }) => id)}
          onClose={() => change(false)}
          onDone={() => {
            change(false)
            onChanged()
          }}
        />
      )}
      <Confirm
        open={isAsking}
        title={t('list.deleteTitle', { count })}
        action={t('list.delete')}
        danger
        busy={busy}
        onClose={() => {
          ask(false)
          setFailure(undefined)
        }}
        onConfirm={() => void remove()}
      >
        <p>{t('list.deleteText')}</p>
        {failure !== undefined && <Notice tone="bad" title={messageOf(failure)} />}
      </Confirm>
    </div>
  )
}
