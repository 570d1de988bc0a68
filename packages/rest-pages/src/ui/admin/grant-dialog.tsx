import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { useState } from 'preact/hooks'
import { DialogForm, useSaving } from '../components/dialog-form.js'
import { metadataOf } from '../lib/service.js'
import { client } from '../lib/session.js'
import { useAsked } from '../lib/use-asked.js'
import { Choices } from './choices.js'
import { ConditionBuilder } from './condition-builder.js'
import type { Admin } from './context.js'
import { grantSentence, namesIn, type Grant } from './grant-sentence.js'
import { t, wording } from './i18n.js'

export interface GrantDialogProps {
  readonly admin: Admin
  readonly group: { readonly id: string; readonly name: string }
  /** Absent: a new one. */
  readonly grant: Grant | undefined
  readonly onClose: () => void
  readonly onSaved: () => void
}

const letters = ['C', 'R', 'U', 'D', 'A'] as const
/** Fields of a grant that hold names, with what the metadata of its object has of them. */
const kinds = [
  ['grt_actions', 'actions'],
  ['grt_publications', 'publications'],
  ['grt_crosstabs', 'crosstabs'],
] as const
const shown = ['grt_object', 'grt_rights', 'grt_filter', 'grt_hidden_fields', ...kinds.map(([name]) => name)]

/** What a group may do with an object: all of it is chosen from the metadata of the object. */
export function GrantDialog({ admin, group, grant, onClose, onSaved }: GrantDialogProps) {
  const [draft, setDraft] = useState<Grant>(
    grant ?? {
      row_id: '',
      grt_group_id: group.id,
      grt_group_id__grp_name: group.name,
      grt_object: '',
      grt_rights: 'R',
      grt_filter: '',
      grt_hidden_fields: '',
      grt_actions: '',
      grt_publications: '',
      grt_crosstabs: '',
    },
  )
  const saving = useSaving(shown)
  const { errors } = saving
  const name = draft.grt_object
  const { data: object } = useAsked(name, async (): Promise<ObjectMetadata | undefined> =>
    admin.objects.some((one) => one.name === name) ? metadataOf(name, 'list') : undefined,
  )
  const change = (values: Partial<Grant>) => setDraft((now) => ({ ...now, ...values }))
  const fields = object ? ownFields(object) : []

  async function save(): Promise<void> {
    const { row_id: id, grt_group_id__grp_name: _shown, ...values } = draft
    if (grant) await client.object('Grant').update(id, values)
    else await client.object('Grant').create(values)
    onSaved()
  }

  return (
    <DialogForm
      title={t('grantForm.title', { group: group.name })}
      size="wide"
      action={t(grant ? 'button.save' : 'button.create')}
      saving={saving}
      onClose={onClose}
      onSave={save}
    >
      <label class="field">
        <span>{t('field.grt_object')}</span>
        <select
          autofocus
          aria-invalid={errors['grt_object'] !== undefined}
          aria-describedby="grant-object-error"
          value={name}
          onChange={(event) =>
            // Names of another object mean nothing here.
            change({
              grt_object: event.currentTarget.value,
              grt_filter: '',
              grt_hidden_fields: '',
              grt_actions: '',
              grt_publications: '',
              grt_crosstabs: '',
            })
          }
        >
          <option value="">–</option>
          <option value="*">{t('grant.allObjects')}</option>
          {objectsOf(admin, name).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
        <span class="field-error" id="grant-object-error">
          {errors['grt_object']}
        </span>
      </label>
      <Choices
        label={t('grantForm.rights')}
        values={letters.map((letter) => [letter, t(`grantForm.${letter}`)] as const)}
        chosen={[...draft.grt_rights]}
        onChange={(chosen) => change({ grt_rights: chosen.join('') })}
        error={errors['grt_rights']}
      />
      <div class="field">
        <label for="grant-filter">{t('grantForm.filter')}</label>
        <textarea
          id="grant-filter"
          rows={2}
          spellcheck={false}
          aria-invalid={errors['grt_filter'] !== undefined}
          aria-describedby="grant-filter-help grant-filter-error"
          value={draft.grt_filter}
          onInput={(event) => change({ grt_filter: event.currentTarget.value })}
        />
        <span class="field-about" id="grant-filter-help">
          {t('grantForm.filterHelp')}
        </span>
        <span class="field-error" id="grant-filter-error">
          {errors['grt_filter']}
        </span>
      </div>
      {fields.length > 0 && (
        <ConditionBuilder
          key={name}
          fields={fields}
          onAdd={(condition) =>
            change({ grt_filter: [draft.grt_filter.trim(), condition].filter(Boolean).join(' and ') })
          }
        />
      )}
      {(fields.length > 0 || draft.grt_hidden_fields !== '') && (
        <Choices
          label={t('grantForm.hidden')}
          values={fields.map((field) => [field.name, field.label || field.name] as const)}
          chosen={namesIn(draft.grt_hidden_fields)}
          onChange={(chosen) => change({ grt_hidden_fields: chosen.join(', ') })}
          error={errors['grt_hidden_fields']}
        />
      )}
      {kinds.map(([field, kind]) => {
        const known = object?.[kind] ?? []
        if (known.length === 0 && draft[field] === '') return null
        return (
          <Choices
            key={field}
            label={t(`field.${field}`)}
            help={t('grantForm.only')}
            values={known.map((one) => [one.name, one.label || one.name] as const)}
            chosen={namesIn(draft[field])}
            onChange={(chosen) => change({ [field]: chosen.join(', ') })}
            error={errors[field]}
          />
        )
      })}
      {name !== '' && draft.grt_rights !== '' && (
        <div class="admin-preview">
          <span class="quiet">{t('grantForm.preview')}</span>
          <p>{grantSentence(draft, object, wording)}</p>
        </div>
      )}
    </DialogForm>
  )
}

/** Without the row id, and without what comes with references. */
function ownFields({ fields, rowidfield }: ObjectMetadata): readonly FieldMetadata[] {
  return fields.filter(({ name, ref, visible }) => ref === null && visible && name !== rowidfield)
}

/** Those of the application first; the one that is granted is among them, whatever the user sees. */
function objectsOf({ objects }: Admin, granted: string): readonly (readonly [value: string, text: string])[] {
  const known = objects.toSorted((a, b) => Number(a.isSystem) - Number(b.isSystem))
  const all = known.map(({ name, plural }) => [name, plural] as const)
  const isKnown = granted === '' || granted === '*' || objects.some(({ name }) => name === granted)
  return isKnown ? all : [...all, [granted, granted]]
}
