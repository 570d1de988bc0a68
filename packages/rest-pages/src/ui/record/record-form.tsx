import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { Button, ButtonLink, Notice, toast, View } from '@steward/page-kit'
import { kindOf } from '@steward/page-kit/field-kinds'
import { RestClientError } from '@steward/rest-client'
import { useLocation } from 'preact-iso'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Actions } from '../components/actions.js'
import { messageOf } from '../components/problem.js'
import { Publications } from '../components/publications.js'
import { underLabel } from '../lib/field-message.js'
import { t } from '../lib/i18n.js'
import { useApiCall } from '../lib/screen.js'
import { isReference, labelOf } from '../lib/service.js'
import { client, draftPrefix, useSession } from '../lib/session.js'
import { pathTo, pathToNew } from '../lib/settings.js'
import { linkedTitle, shownBy, titleOf } from '../lib/title.js'
import { Value } from '../lib/value.js'
import { Conflict } from './conflict.js'
import { Control, documentOf } from './control.js'
import { DeleteButton } from './delete-button.js'
import { changedFields, isSame, shownValues, toDraft, toDrafts, toValue, type Values } from './draft.js'
import { FileControl } from './file-control.js'
import { History } from './history.js'
import { forgetDraft, isKept, keepDraft, withKept } from './kept-draft.js'
import { LinkedRecord } from './linked.js'
import { bothChanged, mergeSaved, writtenFields, type FormState, type SavedRecord } from './merge.js'
import { Related } from './related.js'
import { Unsaved } from './unsaved.js'
import { useLive } from './use-live.js'

export interface RecordFormProps {
  /** As it is saved; of a new one its defaults. */
  readonly saved: SavedRecord
  /** What a new one begins with beside its defaults. */
  readonly start?: Values
  /** Reads it once more. Absent: it is a new one. */
  readonly read?: (signal?: AbortSignal) => Promise<SavedRecord>
}

/** A record by its areas: a control for each field that the user may change, the values of the others. */
export function RecordForm({ saved, start = {}, read }: RecordFormProps) {
  const { route } = useLocation()
  const isNew = read === undefined
  const draftKey = useDraftKey()
  const [state, setState] = useState(() => firstState(saved, start, draftKey, isNew))
  const { metadata, record, base, draft } = state
  const object = client.object(metadata.name)
  const written = writtenFields(metadata, isNew)
  const shown = metadata.fields.filter(
    (field) =>
      written.includes(field) ||
      (!isNew &&
        field.ref === null &&
        field.name !== metadata.rowidfield &&
        field.visible &&
        kindOf(field) !== 'password'),
  )
  const [isRestored] = useState(() => isKept(draftKey))
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const [failure, setFailure] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [isLeft, setLeft] = useState(false)
  const [conflict, setConflict] = useState<SavedRecord>()
  const form = useRef<HTMLFormElement>(null)
  const changed = changedFields(written, base, draft)
  const title = isNew ? t('record.newTitle', { object: metadata.label || metadata.name }) : titleOf(record, metadata)
  const id = String(record['row_id'])
  const type = (values: Values) => setState((now) => ({ ...now, draft: { ...now.draft, ...values } }))
  const live = useLive({ state, id, read, onLatest: (latest) => setState((now) => mergeSaved(now, latest)) })

  const name = metadata.name
  useApiCall(
    isNew
      ? { object: name, method: 'create', args: [shownValues(changed, draft)] }
      : changed.length > 0
        ? { object: name, method: 'update', args: [id, shownValues(changed, draft)] }
        : { object: name, method: 'get', args: [id] },
  )
  // Before the next event, which may leave the page.
  useLayoutEffect(() => {
    if (!isLeft) keepDraft(draftKey, written, state)
  }, [state, isLeft])
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

  async function save(values: Values, against: Pick<FormState, 'base' | 'etag'>): Promise<void> {
    const sent: Record<string, unknown> = {}
    const files: (readonly [FieldMetadata, File])[] = []
    for (const field of changedFields(written, against.base, values)) {
      const value = values[field.name]
      try {
        if (value instanceof File && !field.required) files.push([field, value])
        else sent[field.name] = value instanceof File ? await documentOf(value) : toValue(field, value)
      } catch {
        setErrors({ [field.name]: t('record.notJson') })
        return
      }
    }
    setBusy(true)
    setFailure('')
    setErrors({})
    try {
      if (read) {
        await live.save(() => object.update(id, sent, { ifMatch: against.etag }))
        toast(t('record.saved'))
        // What was sent is not what is being typed any more.
        setState((now) => ({ ...now, base: values }))
        await live.refresh()
      } else {
        const made = await object.create(sent)
        toast(t('record.created'))
        await store(made['row_id'], files)
        leaveTo(pathTo(metadata.name, made['row_id']))
      }
    } catch (reason) {
      if (RestClientError.is(reason) && reason.status === 412) await compare()
      else refuse(reason)
    } finally {
      setBusy(false)
    }
  }

  /** Documents of a record that was just created: it is there even if one of them is refused. */
  async function store(rowId: string, files: readonly (readonly [FieldMetadata, File])[]): Promise<void> {
    for (const [field, file] of files) {
      try {
        await object.upload(rowId, field.name, file, { name: file.name, type: file.type || undefined })
      } catch (reason) {
        toast(t('file.refused', { name: file.name, reason: messageOf(reason, metadata.fields) }), { tone: 'bad' })
      }
    }
  }

  /** Another user was faster. */
  async function compare(): Promise<void> {
    try {
      setConflict(await read?.())
    } catch (reason) {
      refuse(reason)
    }
  }

  function refuse(reason: unknown): void {
    const messages = RestClientError.is(reason) ? reason.messages : []
    const placed = messages.filter(({ field }) => written.some((one) => one.name === field))
    setErrors(Object.fromEntries(placed.map(({ field, text }) => [field as string, underLabel(text, field as string)])))
    setFailure(
      placed.length > 0 && placed.length === messages.length ? t('record.invalid') : messageOf(reason, metadata.fields),
    )
  }

  /** @param kept fields that keep their own value */
  function decide(kept: ReadonlySet<string>): void {
    if (!conflict) return
    const theirs = toDrafts(written, conflict.record)
    const values = { ...theirs }
    for (const field of changed)
      if (kept.has(field.name) || isSame(base[field.name], theirs[field.name])) values[field.name] = draft[field.name]
    const against = { ...conflict, base: theirs }
    setState({ ...against, draft: values })
    setConflict(undefined)
    void save(values, against)
  }

  function leaveTo(path: string): void {
    forgetDraft(draftKey)
    setLeft(true)
    route(path, true)
  }

  function discard(): void {
    forgetDraft(draftKey)
    setState((now) => ({ ...now, draft: now.base }))
    if (read) void live.refresh()
  }

  return (
    <View
      title={title}
      above={<a href={pathTo(metadata.name)}>{metadata.plurallabel || metadata.label || metadata.name}</a>}
      actions={
        !isNew && (
          <>
            <Actions
              object={name}
              actions={metadata.actions}
              target={{ rowId: id }}
              onDone={() => void live.refresh()}
            />
            <Publications object={name} publications={metadata.publications} of={{ rowId: id }} />
            {metadata.copy && (
              <ButtonLink icon="copy" href={`${pathToNew(metadata.name)}?copy=${encodeURIComponent(id)}`}>
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
      <Unsaved
        changed={changed.length > 0 && !isLeft}
        onDiscard={() => {
          forgetDraft(draftKey)
          setLeft(true)
        }}
      />
      {live.notice}
      {isRestored && changed.length > 0 && (
        <Notice
          tone="warn"
          title={t('unsaved.restored')}
          action={<Button onClick={discard}>{t('unsaved.discard')}</Button>}
        />
      )}
      {failure !== '' && <Notice tone="bad" title={failure} />}
      <form
        ref={form}
        class="record-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy && (isNew || changed.length > 0)) void save(draft, state)
        }}
      >
        {areasOf(metadata, shown).map(({ name, label, fields }) => (
          <fieldset key={name} class="panel record-area">
            <legend>{label}</legend>
            <div class="record-fields">
              {fields.map((field) => (
                <div key={field.name} class={kindOf(field) === 'long' ? 'wide' : ''}>
                  {kindOf(field) === 'file' ? (
                    <FileControl
                      metadata={metadata}
                      field={field}
                      id={isNew ? undefined : id}
                      saved={record[field.name]}
                      draft={draft[field.name]}
                      onChange={written.includes(field) ? (value) => type({ [field.name]: value }) : undefined}
                      onStored={live.refresh}
                      error={errors[field.name]}
                    />
                  ) : written.includes(field) ? (
                    <Control
                      field={field}
                      label={labelOf(field, metadata)}
                      value={draft[field.name]}
                      onChange={(value) => type({ [field.name]: value })}
                      error={errors[field.name]}
                      codes={statesFrom(field, metadata, String(base[field.name]))}
                      metadata={metadata}
                      isNew={isNew}
                      text={
                        draft[field.name] === toText(record[field.name]) ? linkedTitle(field, metadata, record) : ''
                      }
                    />
                  ) : (
                    <div class="field">
                      <span>{labelOf(field, metadata)}</span>
                      <FieldValue field={field} metadata={metadata} record={record} />
                    </div>
                  )}
                </div>
              ))}
            </div>
          </fieldset>
        ))}
        {(isNew || written.length > 0) && (
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
          version={state.etag}
          onRestore={(field, value) => {
            type({ [field.name]: toDraft(field, value) })
            toast(t('history.restored', { field: labelOf(field, metadata) }))
          }}
        />
      )}
      {conflict && (
        <Conflict
          metadata={metadata}
          fields={bothChanged(written, state, toDrafts(written, conflict.record))}
          mine={draft}
          theirs={toDrafts(written, conflict.record)}
          onClose={() => setConflict(undefined)}
          onDecide={decide}
        />
      )}
    </View>
  )
}

/** What a form begins with: what was typed into it before and not saved is in it. */
function firstState(saved: SavedRecord, start: Values, key: string, isNew: boolean): FormState {
  const base = toDrafts(writtenFields(saved.metadata, isNew), saved.record)
  const state = withKept(key, { ...saved, base, draft: { ...base, ...start } })
  return isNew ? state : mergeSaved(state, saved)
}

/** Where what is typed is kept: apart for each user and address. */
function useDraftKey(): string {
  const { url } = useLocation()
  const session = useSession()
  return useState(() => `${draftPrefix}${session.kind === 'in' ? session.login : ''} ${url}`)[0]
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

interface FieldValueProps {
  readonly field: FieldMetadata
  readonly metadata: ObjectMetadata
  readonly record: Values
}

/** A reference is shown by the fields that come with it, and leads to its record. */
function FieldValue({ field, metadata, record }: FieldValueProps) {
  const value = record[field.name]
  if (!isReference(field) || toText(value) === '') return <Value field={field} value={value} />
  return (
    <LinkedRecord
      object={field.refObject as string}
      id={String(value)}
      title={linkedTitle(field, metadata, record)}
      shown={shownBy(field, metadata)}
    />
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
