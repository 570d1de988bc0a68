import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { Button, ButtonLink, Notice, toast, View } from '@steward/page-kit'
import { kindOf } from '@steward/page-kit/field-kinds'
import { RestClientError } from '@steward/rest-client'
import { useLocation } from 'preact-iso'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { messageOf } from '../components/problem.js'
import { t } from '../lib/i18n.js'
import { useApiCall } from '../lib/screen.js'
import { isReference, labelOf, titleOf } from '../lib/service.js'
import { client } from '../lib/session.js'
import { pathTo } from '../lib/settings.js'
import { Value } from '../lib/value.js'
import { Actions } from './actions.js'
import { Conflict } from './conflict.js'
import { Control } from './control.js'
import { DeleteButton } from './delete-button.js'
import { changedFields, isSame, shownValues, toDraft, toDrafts, toValue, type Values } from './draft.js'
import { FileLink } from './file-link.js'
import { History } from './history.js'
import { Related } from './related.js'
import { Unsaved } from './unsaved.js'

export interface RecordFormProps {
  /** Metadata of this record, in the context in which it is written. */
  readonly metadata: ObjectMetadata
  /** As it is saved; of a new one its defaults. */
  readonly record: Values
  /** What a new one begins with beside its defaults. */
  readonly start?: Values
  /** Absent: it is a new one. */
  readonly etag?: string
  readonly onReload: () => void
}

/** A record by its areas: a control for each field that the user may change, the values of the others. */
export function RecordForm({ metadata, record, start = {}, etag, onReload }: RecordFormProps) {
  const { route } = useLocation()
  const isNew = etag === undefined
  const object = client.object(metadata.name)
  const mayWrite = isNew ? metadata.create : metadata.update
  const isWritten = ({ updatable }: FieldMetadata) => mayWrite && updatable
  const shown = metadata.fields.filter(
    (field) =>
      field.ref === null &&
      field.name !== metadata.rowidfield &&
      (isWritten(field) || (!isNew && field.visible && kindOf(field) !== 'password')),
  )
  const written = shown.filter(isWritten)
  const [base, setBase] = useState<{ readonly values: Values; readonly etag: string }>({
    values: toDrafts(written, record),
    etag: etag ?? '',
  })
  const [draft, setDraft] = useState<Values>({ ...base.values, ...start })
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const [failure, setFailure] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [isLeft, setLeft] = useState(false)
  const [conflict, setConflict] = useState<{ readonly values: Values; readonly etag: string }>()
  const form = useRef<HTMLFormElement>(null)
  const changed = changedFields(written, base.values, draft)
  const title = isNew ? t('record.newTitle', { object: metadata.label || metadata.name }) : titleOf(record, metadata)
  const id = String(record['row_id'])

  const name = metadata.name
  useApiCall(
    isNew
      ? { object: name, method: 'create', args: [shownValues(changed, draft)] }
      : changed.length > 0
        ? { object: name, method: 'update', args: [id, shownValues(changed, draft)] }
        : { object: name, method: 'get', args: [id] },
  )
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus(), [errors])
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      form.current?.requestSubmit()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])

  async function save(values: Values, against: { readonly values: Values; readonly etag: string }): Promise<void> {
    const sent: Record<string, unknown> = {}
    for (const field of changedFields(written, against.values, values)) {
      try {
        sent[field.name] = toValue(field, values[field.name])
      } catch {
        setErrors({ [field.name]: t('record.notJson') })
        return
      }
    }
    setBusy(true)
    setFailure('')
    setErrors({})
    try {
      if (isNew) {
        const made = await object.create(sent)
        toast(t('record.created'))
        leaveTo(pathTo(metadata.name, made['row_id']))
      } else {
        await object.update(id, sent, { ifMatch: against.etag })
        toast(t('record.saved'))
        onReload()
      }
    } catch (reason) {
      if (RestClientError.is(reason) && reason.status === 412) await compare()
      else refuse(reason)
    } finally {
      setBusy(false)
    }
  }

  /** Somebody else was faster. */
  async function compare(): Promise<void> {
    try {
      const now = await object.getTagged(id)
      setConflict({ values: toDrafts(written, now.record), etag: now.etag })
    } catch (reason) {
      refuse(reason)
    }
  }

  function refuse(reason: unknown): void {
    const messages = RestClientError.is(reason) ? reason.messages : []
    const placed = messages.filter(({ field }) => written.some(({ name }) => name === field))
    setErrors(Object.fromEntries(placed.map(({ field, text }) => [field as string, text])))
    setFailure(placed.length > 0 && placed.length === messages.length ? t('record.invalid') : messageOf(reason))
  }

  /** @param kept fields that keep their own value */
  function decide(kept: ReadonlySet<string>): void {
    if (!conflict) return
    const values = { ...conflict.values }
    for (const { name } of changed)
      if (kept.has(name) || isSame(base.values[name], conflict.values[name])) values[name] = draft[name]
    setDraft(values)
    setBase(conflict)
    setConflict(undefined)
    void save(values, conflict)
  }

  function leaveTo(path: string): void {
    setLeft(true)
    route(path, true)
  }

  return (
    <View
      title={title}
      above={<a href={pathTo(metadata.name)}>{metadata.plurallabel || metadata.label || metadata.name}</a>}
      actions={
        !isNew && (
          <>
            <Actions metadata={metadata} id={id} onDone={onReload} />
            {metadata.copy && (
              <ButtonLink icon="copy" href={`${pathTo(metadata.name, '0')}?copy=${encodeURIComponent(id)}`}>
                {t('record.copy')}
              </ButtonLink>
            )}
            {metadata.del && (
              <DeleteButton
                metadata={metadata}
                id={id}
                title={title}
                onDeleted={() => leaveTo(pathTo(metadata.name))}
              />
            )}
          </>
        )
      }
    >
      <Unsaved changed={changed.length > 0 && !isLeft} />
      {failure !== '' && <Notice tone="bad" title={failure} />}
      <form
        ref={form}
        class="record-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy && (isNew || changed.length > 0)) void save(draft, base)
        }}
      >
        {areasOf(metadata, shown).map(({ name, label, fields }) => (
          <fieldset key={name} class="panel record-area">
            <legend>{label}</legend>
            <div class="record-fields">
              {fields.map((field) => (
                <div key={field.name} class={kindOf(field) === 'long' ? 'wide' : ''}>
                  {isWritten(field) ? (
                    <Control
                      field={field}
                      label={labelOf(field, metadata)}
                      value={draft[field.name]}
                      onChange={(value) => setDraft((now) => ({ ...now, [field.name]: value }))}
                      error={errors[field.name]}
                      codes={statesFrom(field, metadata, String(base.values[field.name]))}
                      metadata={metadata}
                      text={
                        draft[field.name] === toText(record[field.name]) ? titleOfLinked(field, metadata, record) : ''
                      }
                    />
                  ) : (
                    <div class="field">
                      <span>{labelOf(field, metadata)}</span>
                      <FieldValue field={field} metadata={metadata} record={record} />
                    </div>
                  )}
                  {!isNew && kindOf(field) === 'file' && <FileLink metadata={metadata} field={field} record={record} />}
                </div>
              ))}
            </div>
          </fieldset>
        ))}
        {mayWrite && (
          <div class="record-foot">
            <Button kind="primary" type="submit" busy={isBusy} disabled={!isNew && changed.length === 0}>
              {t('record.save')}
            </Button>
          </div>
        )}
      </form>
      {!isNew && <Related metadata={metadata} id={id} />}
      {!isNew && (
        <History
          metadata={metadata}
          id={id}
          written={written}
          onRestore={(field, value) => {
            setDraft((now) => ({ ...now, [field.name]: toDraft(field, value) }))
            toast(t('history.restored', { field: labelOf(field, metadata) }))
          }}
        />
      )}
      {conflict && (
        <Conflict
          metadata={metadata}
          fields={changed.filter(
            ({ name }) =>
              !isSame(base.values[name], conflict.values[name]) && !isSame(draft[name], conflict.values[name]),
          )}
          mine={draft}
          theirs={conflict.values}
          onClose={() => setConflict(undefined)}
          onDecide={decide}
        />
      )}
    </View>
  )
}

function toText(value: unknown): string {
  return value === null || value === undefined ? '' : String(value)
}

/** States that a record can have next: the present one, and those to which this user may bring it. */
function statesFrom(field: FieldMetadata, { states }: ObjectMetadata, state: string): readonly string[] | undefined {
  if (field.name !== states?.field) return undefined
  if (states.state === null) return [states.initial]
  return [state, ...states.transitions.map(({ to }) => to)]
}

/** The fields that come with a reference. */
function titleOfLinked(field: FieldMetadata, { fields }: ObjectMetadata, record: Values): string {
  const shown = fields.filter(({ ref }) => ref === field.name).map(({ name }) => toText(record[name]))
  return shown.filter((one) => one !== '').join(' ')
}

interface FieldValueProps {
  readonly field: FieldMetadata
  readonly metadata: ObjectMetadata
  readonly record: Values
}

/** A reference is shown by the fields that come with it, and leads to its record. */
function FieldValue({ field, metadata, record }: FieldValueProps) {
  const value = record[field.name]
  if (kindOf(field) === 'file' && toText(value) !== '') return null
  if (!isReference(field) || toText(value) === '') return <Value field={field} value={value} />
  return (
    <a href={pathTo(field.refObject as string, String(value))}>
      {titleOfLinked(field, metadata, record) || String(value)}
    </a>
  )
}

interface Area {
  readonly name: string
  readonly label: string
  readonly fields: readonly FieldMetadata[]
}

/** Areas with something to show, in order; fields without one first. */
function areasOf({ areas }: ObjectMetadata, shown: readonly FieldMetadata[]): readonly Area[] {
  const named = areas.toSorted((a, b) => a.order - b.order)
  const rest = shown.filter(({ area }) => !named.some(({ name }) => name === area))
  return [
    { name: '', label: t('record.details'), fields: rest },
    ...named.map(({ name, label }) => ({
      name,
      label: label || name,
      fields: shown.filter(({ area }) => area === name),
    })),
  ].filter((area) => area.fields.length > 0)
}
