import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { Button, Time } from '@steward/page-kit'
import { kindOf } from '@steward/page-kit/field-kinds'
import { exactly } from '@steward/rest-client'
import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../lib/i18n.js'
import { isReference, labelOf, listObjects } from '../lib/service.js'
import { client } from '../lib/session.js'
import { useAsked } from '../lib/use-asked.js'
import { Value } from '../lib/value.js'
import { LinkedRecord } from './linked.js'

const pageSize = 50
const actions = { create: 'history.created', update: 'history.changed', delete: 'history.deleted' } as const

interface Entry {
  readonly row_id: string
  readonly aud_action: keyof typeof actions
  /** In UTC: `2026-11-24 12:02:03`. */
  readonly aud_dt: string
  readonly aud_login: string
  /** `null`: the user may not know. */
  readonly aud_changes: Readonly<Record<string, readonly [before: unknown, after: unknown]>> | null
}

interface Shown {
  readonly entries: readonly Entry[]
  readonly hasMore: boolean
}

export interface HistoryProps {
  readonly metadata: ObjectMetadata
  readonly id: string
  /** Changes when the record does. */
  readonly version: string
  /** Fields into which a value of before can be put. */
  readonly written: readonly FieldMetadata[]
  readonly onRestore: (field: FieldMetadata, value: unknown) => void
}

/** Who changed what, the last change first. Nothing for objects without an audit trail, and for users who may not see it. */
export function History({ metadata, id, version, written, onRestore }: HistoryProps) {
  const [most, setMost] = useState(pageSize)
  const [{ entries, hasMore }, show] = useState<Shown>({ entries: [], hasMore: false })
  const { data, reload } = useAsked(`${metadata.name}/${id} ${most}`, async (signal): Promise<Shown> => {
    const mayRead = (await listObjects()).some(({ name }) => name === 'AuditEntry')
    if (!mayRead) return { entries: [], hasMore: false }
    const filters = { aud_object: exactly(metadata.name), aud_row_id: exactly(id) }
    const { records, cursor } = await client.object('AuditEntry').page({ filters, pageSize: most, signal })
    return { entries: records as unknown as readonly Entry[], hasMore: cursor !== undefined }
  })
  // Those that are there stay while more are loaded.
  useEffect(() => {
    if (data) show(data)
  }, [data])
  const first = useRef(version)
  useEffect(() => {
    if (version === first.current) return
    first.current = version
    reload()
  }, [version])
  if (entries.length === 0) return null
  return (
    <section class="panel record-related record-history" aria-label={t('history.title')}>
      <h2>{t('history.title')}</h2>
      <ol>
        {entries.map((entry) => (
          <li key={entry.row_id}>
            <p>
              <strong>{entry.aud_login}</strong> {t(actions[entry.aud_action])}{' '}
              <span class="quiet">
                <Time at={`${entry.aud_dt.replace(' ', 'T')}Z`} />
              </span>
            </p>
            {entry.aud_action === 'update' && (
              <dl>
                {Object.entries(entry.aud_changes ?? {}).map(([name, [before, after]]) => {
                  const field = metadata.fields.find((one) => one.name === name)
                  return (
                    field && (
                      <div key={name}>
                        <dt>{labelOf(field, metadata)}</dt>
                        <dd>
                          <s>
                            <Past field={field} value={before} />
                          </s>{' '}
                          <span aria-label={t('history.to')} role="img">
                            →
                          </span>{' '}
                          <Past field={field} value={after} />
                        </dd>
                        {written.includes(field) && isKept(field) && (
                          <Button small kind="quiet" icon="restart" onClick={() => onRestore(field, before)}>
                            {t('history.restore')}
                          </Button>
                        )}
                      </div>
                    )
                  )
                })}
              </dl>
            )}
          </li>
        ))}
      </ol>
      {hasMore && (
        <div class="list-more">
          <Button onClick={() => setMost(most + pageSize)}>{t('list.more')}</Button>
        </div>
      )}
    </section>
  )
}

/** A value of before; of a reference, what its record is called now. */
function Past({ field, value }: { readonly field: FieldMetadata; readonly value: unknown }) {
  const isEmpty = value === null || value === undefined || value === ''
  if (!isReference(field) || isEmpty) return <Value field={field} value={value} />
  return <LinkedRecord object={field.refObject as string} id={String(value)} link={false} />
}

/** For documents the trail has ids, for passwords nothing. */
function isKept(field: FieldMetadata): boolean {
  return !['file', 'password'].includes(kindOf(field))
}
