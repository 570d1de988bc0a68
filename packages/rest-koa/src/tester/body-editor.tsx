import type { ObjectMetadata } from '@steward/rest-core'
import { useEffect, useId, useState } from 'preact/hooks'
import type { ChangeDraft, Draft } from './draft.js'
import { bodyTemplate, exampleOf, named, writableFields } from './metadata.js'
import { ask, credentialsOf } from './session.js'
import type { Session } from './session.js'
import type { Settings } from './settings.js'
import type { Loaded } from './use-service.js'

/** Whom a record is asked of. */
export interface LoadFrom {
  readonly settings: Settings
  readonly session: Session
}

/** The body of a write as text: what is no JSON may be sent too, to see what the service says. */
export function BodyEditor(props: {
  draft: Draft
  change: ChangeDraft
  metadata: Loaded<ObjectMetadata>
  load: LoadFrom
}) {
  const { draft, change, load } = props
  const metadata = props.metadata.value
  const id = useId()
  const [template, setTemplate] = useState('')
  const [problem, setProblem] = useState('')

  // What nobody has touched follows the operation and the object.
  useEffect(() => {
    if (!metadata) return
    const next = bodyTemplate(metadata, draft.operation)
    setTemplate(next)
    change(({ body }) => (body === '' || body === template ? { body: next } : {}))
  }, [metadata, draft.operation])

  async function loadRecord(): Promise<void> {
    const { settings, session } = load
    const url = `${settings.rest}/${encodeURIComponent(draft.object)}/${encodeURIComponent(draft.rowId.trim())}`
    try {
      const record = (await ask(url, { headers: credentialsOf(session) })) as Record<string, unknown>
      const names = metadata ? new Set(writableFields(metadata).map(({ name }) => name)) : undefined
      const values = Object.entries(record).filter(([name]) => names?.has(name) ?? name !== 'row_id')
      const body = JSON.stringify(Object.fromEntries(values), null, 2)
      // Meanwhile another one may have been chosen.
      change(({ object, rowId }) => (object === draft.object && rowId === draft.rowId ? { body } : {}))
      setProblem('')
    } catch (error) {
      setProblem((error as Error).message)
    }
  }

  const parsed = parse(draft.body)
  const insert = (name: string): void => {
    const field = metadata?.fields.find((each) => each.name === name)
    if (field && parsed.record)
      change({ body: JSON.stringify({ ...parsed.record, [name]: exampleOf(field) }, null, 2) })
  }
  const given = parsed.record ?? {}
  const addable = metadata && parsed.record ? writableFields(metadata).filter(({ name }) => !(name in given)) : []
  return (
    <div class="field body">
      <label for={id}>Body (JSON)</label>
      <textarea
        id={id}
        name="body"
        value={draft.body}
        rows={Math.min(24, Math.max(6, draft.body.split('\n').length + 1))}
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        aria-describedby={`${id}-note`}
        onInput={(event) => change({ body: event.currentTarget.value })}
      />
      <p id={`${id}-note`} role="status" class={problem || parsed.problem ? 'problem' : 'hint'}>
        {problem || parsed.problem}
      </p>
      <div class="tools">
        {metadata && (
          <button type="button" class="small" onClick={() => change({ body: template })}>
            Template
          </button>
        )}
        <button
          type="button"
          class="small"
          aria-disabled={parsed.value === undefined}
          onClick={() => parsed.value !== undefined && change({ body: JSON.stringify(parsed.value, null, 2) })}
        >
          Format
        </button>
        {draft.operation === 'update' && (
          <button
            type="button"
            class="small"
            disabled={metadata === undefined && props.metadata.problem === ''}
            onClick={() => (draft.rowId.trim() === '' ? setProblem('Give the row id first.') : void loadRecord())}
          >
            Load the record
          </button>
        )}
        {addable.length > 0 && (
          <select
            class="small"
            aria-label="Add a field"
            value=""
            onChange={(event) => insert(event.currentTarget.value)}
          >
            <option value="">Add a field …</option>
            {addable.map(({ name, label }) => (
              <option key={name} value={name}>
                {named(name, label)}
              </option>
            ))}
          </select>
        )}
      </div>
    </div>
  )
}

function parse(text: string): { value?: unknown; record?: Record<string, unknown>; problem: string } {
  if (text.trim() === '') return { value: {}, record: {}, problem: '' }
  try {
    const value: unknown = JSON.parse(text)
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
    return { value, problem: '', ...(isRecord && { record: value as Record<string, unknown> }) }
  } catch (error) {
    return { problem: `Not valid JSON yet: ${(error as Error).message}` }
  }
}
