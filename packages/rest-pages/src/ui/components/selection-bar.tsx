import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { Button, Confirm, Notice, toast } from '@steward/page-kit'
import { exactly, type AnyRecord } from '@steward/rest-client'
import { useMemo, useState } from 'preact/hooks'
import { consequencesOf } from '../lib/consequences.js'
import { csvOf } from '../lib/csv.js'
import { download } from '../lib/file.js'
import { t } from '../lib/i18n.js'
import { client } from '../lib/session.js'
import { Actions, onSearch } from './actions.js'
import { BulkChange } from './bulk-change.js'
import { messageOf } from './problem.js'
import { ofSearch, Publications } from './publications.js'

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
  const [consequences, setConsequences] = useState<readonly string[]>()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const count = rows.length
  const selected = useMemo(() => ({ row_id: rows.map(({ row_id: id }) => exactly(id)) }), [rows])

  async function ask(): Promise<void> {
    try {
      setConsequences(
        await consequencesOf(
          metadata,
          rows.map(({ row_id: id }) => id),
        ),
      )
    } catch (refused) {
      toast(messageOf(refused), { tone: 'bad' })
    }
  }

  async function remove(): Promise<void> {
    setBusy(true)
    setFailure(undefined)
    try {
      // All of them or none: a record that must not go keeps the others.
      await client.object(metadata.name).batch(rows.map(({ row_id: id }) => ({ action: 'delete', row_id: id })))
      setConsequences(undefined)
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
      <Publications
        small
        object={metadata.name}
        publications={metadata.publications.filter(ofSearch)}
        of={{ filters: selected }}
      />
      <Actions
        small
        object={metadata.name}
        actions={metadata.actions.filter(onSearch)}
        target={{ filters: selected }}
        count={count}
        onDone={onChanged}
      />
      {metadata.update && (
        <Button small onClick={() => change(true)}>
          {t('bulk.change')}
        </Button>
      )}
      {metadata.del && (
        <Button small kind="danger" icon="trash" onClick={() => void ask()}>
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
        open={consequences !== undefined}
        title={t('list.deleteTitle', { count })}
        action={t('list.delete')}
        danger
        busy={busy}
        onClose={() => {
          setConsequences(undefined)
          setFailure(undefined)
        }}
        onConfirm={() => void remove()}
      >
        <p>{t('list.deleteText')}</p>
        {consequences && consequences.length > 0 && (
          <ul>
            {consequences.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        )}
        {failure !== undefined && <Notice tone="bad" title={messageOf(failure)} />}
      </Confirm>
    </div>
  )
}
