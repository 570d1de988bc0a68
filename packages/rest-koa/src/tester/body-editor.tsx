import { Button } from '@steward/page-kit/button'
import { Segments } from '@steward/page-kit/segments'
import type { ObjectMetadata } from '@steward/rest-core'
import { useEffect, useId, useState } from 'preact/hooks'
import { BodyForm } from './body-form.js'
import type { Mistakes } from './body-form.js'
import type { ChangeDraft, Draft } from './draft.js'
import { formFields, parseBody, readForm, writeForm } from './form-body.js'
import { t } from './i18n.js'
import { bodyTemplate, exampleOf, named, writableFields } from './metadata.js'
import { ask, credentialsOf } from './session.js'
import type { Session } from './session.js'
import type { Settings } from './settings.js'
import { useMetadata } from './use-service.js'
import type { Loaded } from './use-service.js'

/** Whom a record is asked of. */
export interface LoadFrom {
  readonly settings: Settings
  readonly session: Session
}

/** A form that holds nothing. */
const emptyBody = writeForm({})

/** The body of a write as text: what is no JSON may be sent too, to see what the service says; of one record also as a form. */
export function BodyEditor(props: {
  draft: Draft
  change: ChangeDraft
  metadata: Loaded<ObjectMetadata>
  load: LoadFrom
  mistakes: Mistakes
}) {
  const { draft, change, load, mistakes } = props
  const metadata = props.metadata.value
  const id = useId()
  const [template, setTemplate] = useState('')
  const [problem, setProblem] = useState('')
  const context = draft.operation === 'create' || draft.operation === 'update' ? draft.operation : undefined
  const asForm = draft.asForm && context !== undefined
  const inContext = useMetadata(load.settings, load.session, asForm ? draft.object : '', context)
  const fields = inContext.value && formFields(inContext.value)
  const read = fields && readForm(fields, draft.body)

  // What the user has not touched follows the operation and the object.
  useEffect(() => {
    if (!metadata) return
    const next = bodyTemplate(metadata, draft.operation)
    setTemplate(next)
    change(({ body }) =>
      body === '' || body === template || (draft.asForm && body === emptyBody)
        ? { body: asForm ? emptyBody : next }
        : {},
    )
  }, [metadata, draft.operation])

  // What the form cannot show stays JSON; what it shows is what is sent.
  useEffect(() => {
    if (!asForm) return
    const why = inContext.problem || (read && 'problem' in read && read.problem)
    if (why) {
      setProblem(why)
      change({ asForm: false })
    } else if (read && 'values' in read) {
      const written = writeForm(read.values)
      // Meanwhile more may have been entered.
      change(({ body }) => (body === draft.body ? { body: written } : {}))
    }
  }, [asForm, inContext, draft.body])

  function choose(kind: 'form' | 'json'): void {
    setProblem('')
    change(kind === 'json' ? { asForm: false } : { asForm: true, ...(draft.body === template && { body: emptyBody }) })
  }

  async function loadRecord(): Promise<void> {
    const { settings, session } = load
    const url = `${settings.rest}/${encodeURIComponent(draft.object)}/${encodeURIComponent(draft.rowId.trim())}`
    try {
      const record = (await ask(url, { headers: credentialsOf(session) })) as Record<string, unknown>
      const names = metadata
        ? new Set((asForm ? formFields : writableFields)(metadata).map(({ name }) => name))
        : undefined
      const values = Object.entries(record).filter(([name]) => names?.has(name) ?? name !== 'row_id')
      const body = JSON.stringify(Object.fromEntries(values), null, 2)
      // Meanwhile another one may have been chosen.
      change(({ object, rowId }) => (object === draft.object && rowId === draft.rowId ? { body } : {}))
      setProblem('')
    } catch (error) {
      setProblem((error as Error).message)
    }
  }

  const parsed = parseBody(draft.body)
  const insert = (name: string): void => {
    const field = metadata?.fields.find((each) => each.name === name)
    if (field && parsed.record)
      change({ body: JSON.stringify({ ...parsed.record, [name]: exampleOf(field) }, null, 2) })
  }
  const given = parsed.record ?? {}
  const addable = metadata && parsed.record ? writableFields(metadata).filter(({ name }) => !(name in given)) : []
  return (
    <div class="field body">
      {context && (
        <Segments
          label={t('body.as')}
          labelHidden
          value={asForm ? 'form' : 'json'}
          values={[
            ['form', t('body.form')],
            ['json', 'JSON'],
          ]}
          onChoose={choose}
        />
      )}
      {asForm ? (
        <fieldset>
          <legend>{t('body')}</legend>
          {fields && read && 'values' in read ? (
            <BodyForm
              key={`${draft.object} ${context}`}
              fields={fields}
              values={read.values}
              mistakes={mistakes}
              isNew={context === 'create'}
              onBody={(body) => change({ body })}
            />
          ) : (
            <p class="quiet">{t('body.loading')}</p>
          )}
        </fieldset>
      ) : (
        <>
          <label for={id}>{t('body.json')}</label>
          <textarea
            id={id}
            name="body"
            value={draft.body}
            rows={Math.min(24, Math.max(6, draft.body.split('\n').length + 1))}
            spellcheck={false}
            autocapitalize="off"
            autocomplete="off"
            aria-describedby={`${id}-note`}
            onInput={(event) => {
              setProblem('')
              change({ body: event.currentTarget.value })
            }}
          />
        </>
      )}
      <p id={`${id}-note`} role="status" class={problem || parsed.problem ? 'problem' : 'field-about'}>
        {problem || parsed.problem}
      </p>
      <div class="tools">
        {metadata && !asForm && (
          <Button small onClick={() => change({ body: template })}>
            {t('body.template')}
          </Button>
        )}
        {!asForm && (
          <Button
            small
            aria-disabled={parsed.value === undefined}
            onClick={() => parsed.value !== undefined && change({ body: JSON.stringify(parsed.value, null, 2) })}
          >
            {t('body.tidy')}
          </Button>
        )}
        {draft.operation === 'update' && (
          <Button
            small
            disabled={metadata === undefined && props.metadata.problem === ''}
            onClick={() => (draft.rowId.trim() === '' ? setProblem(t('body.rowFirst')) : void loadRecord())}
          >
            {t('body.load')}
          </Button>
        )}
        {!asForm && addable.length > 0 && (
          <select
            class="small"
            aria-label={t('body.add')}
            value=""
            onChange={(event) => insert(event.currentTarget.value)}
          >
            <option value="">{t('body.addFirst')}</option>
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
