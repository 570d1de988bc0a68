import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { Button, Dialog } from '@steward/page-kit'
import { kindOf, type FieldKind } from '@steward/page-kit/field-kinds'
import type { InputHTMLAttributes } from 'preact'
import { useState } from 'preact/hooks'
import { choicesOf, editorOf, isRowId, type Condition } from '../lib/filters.js'
import { t } from '../lib/i18n.js'
import { labelOf } from '../lib/service.js'

export interface FilterDialogProps {
  readonly metadata: ObjectMetadata
  /** The one whose condition is changed; empty: another one is chosen. */
  readonly field: string
  readonly condition: Condition | undefined
  readonly onClose: () => void
  readonly onApply: (field: string, condition: Condition) => void
}

const formId = 'filter-form'
const inputs: Readonly<Partial<Record<FieldKind, InputHTMLAttributes>>> = {
  number: { type: 'number', step: 'any' },
  date: { type: 'date' },
  time: { type: 'time', step: 1 },
  datetime: { type: 'datetime-local', step: 1 },
}

/** Makes or changes a condition on one field; what can be entered follows the type of the field. */
export function FilterDialog({ metadata, field: name, condition, onClose, onApply }: FilterDialogProps) {
  const fields = metadata.fields.filter((field) => field.searchable && !isRowId(field) && editorOf(field))
  const [chosen, choose] = useState(name || (fields[0]?.name ?? ''))
  const [kind, setKind] = useState<string>(condition?.kind ?? '')
  const field = fields.find((one) => one.name === chosen)
  const editor = field && editorOf(field)
  const shown = kind === 'empty' || kind === 'filled' ? kind : editor

  function submit(event: SubmitEvent): void {
    event.preventDefault()
    const made = shown && conditionOf(shown, new FormData(event.currentTarget as HTMLFormElement))
    if (made && field) onApply(field.name, made)
    else onClose()
  }

  return (
    <Dialog
      title={t('filter.title')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('button.cancel')}</Button>
          <Button kind="primary" type="submit" form={formId}>
            {t('filter.apply')}
          </Button>
        </>
      }
    >
      <form id={formId} class="filter-form" onSubmit={submit}>
        <label class="field">
          <span>{t('filter.field')}</span>
          <select
            autofocus
            value={chosen}
            onChange={(event) => {
              choose(event.currentTarget.value)
              setKind('')
            }}
          >
            {fields.map((one) => (
              <option key={one.name} value={one.name}>
                {labelOf(one, metadata)}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>{t('filter.kind')}</span>
          <select value={shown} onChange={(event) => setKind(event.currentTarget.value)}>
            <option value={editor}>
              {t(editor === 'is' ? 'filter.isOneOf' : editor === 'from' ? 'filter.between' : 'filter.contains')}
            </option>
            <option value="empty">{t('filter.isEmpty')}</option>
            <option value="filled">{t('filter.isFilled')}</option>
          </select>
        </label>
        {field && shown !== 'empty' && shown !== 'filled' && (
          <Operands key={field.name} field={field} condition={field.name === name ? condition : undefined} />
        )}
      </form>
    </Dialog>
  )
}

function conditionOf(kind: Condition['kind'], values: FormData): Condition | undefined {
  const text = (name: string) => String(values.get(name) ?? '').trim()
  switch (kind) {
    case 'has':
      return text('text') === '' ? undefined : { kind, text: text('text') }
    case 'is': {
      const codes = values.getAll('code').map(String)
      return codes.length === 0 ? undefined : { kind, codes }
    }
    case 'from': {
      const [from, to] = [text('from'), text('to')].map((one) => one.replace('T', ' '))
      return from === '' && to === '' ? undefined : { kind, from: from ?? '', to: to ?? '' }
    }
    default:
      return { kind }
  }
}

function Operands({ field, condition }: { readonly field: FieldMetadata; readonly condition: Condition | undefined }) {
  const kind = kindOf(field)
  switch (editorOf(field)) {
    case 'is':
      return (
        <fieldset class="filter-codes">
          <legend class="hidden">{t('filter.isOneOf')}</legend>
          {choicesOf(field).map(([code, text]) => (
            <label key={code} class="field field-check">
              <input
                type={kind === 'boolean' ? 'radio' : 'checkbox'}
                name="code"
                value={code}
                defaultChecked={condition?.kind === 'is' && condition.codes.includes(code)}
              />
              <span>{text}</span>
            </label>
          ))}
        </fieldset>
      )
    case 'from': {
      const { from = '', to = '' } = condition?.kind === 'from' ? condition : {}
      return (
        <div class="filter-range">
          {(['from', 'to'] as const).map((bound) => (
            <label key={bound} class="field">
              <span>{t(`filter.${bound}`)}</span>
              <input {...inputs[kind]} name={bound} defaultValue={(bound === 'from' ? from : to).replace(' ', 'T')} />
            </label>
          ))}
        </div>
      )
    }
    default:
      return (
        <label class="field">
          <span>{t('filter.text')}</span>
          <input name="text" maxLength={200} defaultValue={condition?.kind === 'has' ? condition.text : ''} />
        </label>
      )
  }
}
