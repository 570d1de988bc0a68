import { Button } from '@steward/page-kit/button'
import { kindOf } from '@steward/page-kit/field-kinds'
import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { useState } from 'preact/hooks'
import { embeddedIn } from './content.js'
import { t } from './i18n.js'
import { EmbeddedView } from './tree.js'

/** A record as it is answered. */
export type AnsweredRecord = Readonly<Record<string, unknown>>

export interface TableViewProps {
  readonly records: readonly AnsweredRecord[]
  /** Metadata of the object that was asked for, if it is known. */
  readonly metadata: ObjectMetadata | undefined
  readonly onOpen: (object: string, rowId: string) => void
  /** The object whose records they are. */
  readonly object: string
  /** The answer is a record, not a list. */
  readonly isSingle: boolean
}

/** Rows that are shown at first, and with each "show more". */
const step = 100
/** Records in which columns are looked for. */
const sampled = 200
/** Characters of a text that are shown. */
const shortText = 120

/** The records of an answer; `undefined` when it has none. */
export function recordsOf(json: unknown): readonly AnsweredRecord[] | undefined {
  const records = Array.isArray(json) ? json : [json]
  const isRecord = (value: unknown): value is AnsweredRecord =>
    typeof value === 'object' && value !== null && 'row_id' in value
  return records.length > 0 && records.every(isRecord) ? records : undefined
}

/** A record to choose: its row id, and its first text to know it by. */
export function rowOf(record: AnsweredRecord): { readonly value: string; readonly label: string } {
  const texts = Object.entries(record).filter(([name, value]) => name !== 'row_id' && typeof value === 'string')
  return {
    value: String(record['row_id']),
    label: texts
      .slice(0, 2)
      .map(([, text]) => text)
      .join(' ')
      .slice(0, 80),
  }
}

/** Records as a table, one as a list of its fields: labels of the metadata as heads, references as buttons, pictures as pictures. */
export function TableView({ records, metadata, object, isSingle, onOpen }: TableViewProps) {
  const [shown, setShown] = useState(step)
  const names = [...new Set(records.slice(0, sampled).flatMap((record) => Object.keys(record)))]
  const fields = new Map(metadata?.fields.map((field) => [field.name, field]))
  const columns = names.map((name) => {
    const field = fields.get(name)
    return { name, field, label: name === 'row_id' ? t('form.row') : (field?.label ?? name) }
  })
  const [only] = records
  if (only && isSingle)
    return (
      <table class="records single">
        <tbody>
          {columns.map(({ name, field, label }) => (
            <tr key={name}>
              <th scope="row" title={name}>
                {label}
              </th>
              <td>
                <Cell value={only[name]} {...(field && { field })} {...linkOf(name, '', field, onOpen)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    )
  const rest = records.length - shown
  return (
    <>
      <div class="table-scroll" tabIndex={0} role="region" aria-label={t('records')}>
        <table class="records">
          <thead>
            <tr>
              {columns.map(({ name, field, label }) => (
                <th key={name} scope="col" title={name} class={isNumber(field) ? 'number' : ''}>
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {records.slice(0, shown).map((record) => (
              <tr key={String(record['row_id'])}>
                {columns.map(({ name, field }) => (
                  <td key={name} class={isNumber(field) ? 'number' : ''}>
                    <Cell value={record[name]} {...(field && { field })} {...linkOf(name, object, field, onOpen)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rest > 0 && (
        <Button small onClick={() => setShown(shown + step)}>
          {t('records.more', { step: Math.min(step, rest), rest })}
        </Button>
      )}
    </>
  )
}

function isNumber(field: FieldMetadata | undefined): boolean {
  return field !== undefined && field.refObject === null && kindOf(field) === 'number'
}

/** The record that a value leads to. */
function linkOf(
  name: string,
  object: string,
  field: FieldMetadata | undefined,
  onOpen: TableViewProps['onOpen'],
): { readonly onOpen?: (rowId: string) => void } {
  if (name === 'row_id') return object === '' ? {} : { onOpen: (rowId) => onOpen(object, rowId) }
  const linked = field?.refField === 'row_id' ? field.refObject : null
  return linked === null || linked === undefined ? {} : { onOpen: (rowId) => onOpen(linked, rowId) }
}

function Cell(props: {
  readonly value: unknown
  readonly field?: FieldMetadata
  readonly onOpen?: (rowId: string) => void
}) {
  const { value, field, onOpen } = props
  if (value === null || value === undefined || value === '') return <span class="quiet">–</span>
  if (typeof value === 'string' && onOpen)
    return (
      <Button small label={t('records.getLabel', { id: value })} onClick={() => onOpen(value)}>
        {value}
      </Button>
    )
  const embedded = embeddedIn(value)
  if (embedded) return <EmbeddedView embedded={embedded} />
  const text = textOf(value, field)
  return text.length > shortText ? <span title={text}>{text.slice(0, shortText)}…</span> : <>{text}</>
}

/** Codes of lists as their texts for people. */
function textOf(value: unknown, field: FieldMetadata | undefined): string {
  const labelOf = (code: unknown) => field?.listOfValues?.find((each) => each.code === code)?.value ?? String(code)
  if (Array.isArray(value)) return value.map(labelOf).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : labelOf(value)
}
