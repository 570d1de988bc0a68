import { useState } from 'preact/hooks'
import { DialogForm, useSaving } from '../components/dialog-form.js'
import { client } from '../lib/session.js'
import { t } from './i18n.js'
import { kindOfType } from './known-parameters.js'
import { descriptionOf, shown, type Parameter } from './parameters.js'

export interface ParameterDialogProps {
  readonly parameter: Parameter
  readonly onClose: () => void
  readonly onSaved: () => void
}

/** The value of a parameter, by its kind. */
export function ParameterDialog({ parameter, onClose, onSaved }: ParameterDialogProps) {
  const { code, record, known } = parameter
  const kind = known?.kind ?? kindOfType(String(record?.['sys_type'] ?? ''))
  const saved = String(record?.['sys_value'] ?? '') || (known?.standard ?? '')
  // A switch says yes in several ways.
  const [value, setValue] = useState(kind === 'yesNo' ? (/^(?:yes|true|1)$/i.test(saved) ? 'yes' : 'no') : saved)
  const saving = useSaving(['sys_value'])
  const wrong = saving.errors['sys_value']

  async function save(): Promise<void> {
    const parameters = client.object('SystemParam')
    if (record) await parameters.update(record['row_id'], { sys_value: value })
    else await parameters.create({ sys_code: code, sys_value: value })
    onSaved()
  }

  const help =
    known?.kind === 'number'
      ? t('parameter.from', { min: known.min, max: known.max, value: known.standard })
      : known && known.standard !== ''
        ? t('parameter.standard', { value: shown(known.standard, known.kind) })
        : ''
  const shared = {
    id: 'parameter-value',
    autofocus: true,
    'aria-invalid': wrong !== undefined,
    'aria-describedby': 'parameter-help parameter-error',
  }
  return (
    <DialogForm title={code} action={t('button.save')} saving={saving} validated onClose={onClose} onSave={save}>
      {descriptionOf(parameter) && <p>{descriptionOf(parameter)}</p>}
      <div class="field">
        <label for="parameter-value">{t('parameter.value')}</label>
        {kind === 'yesNo' ? (
          <select {...shared} value={value} onChange={(event) => setValue(event.currentTarget.value)}>
            <option value="yes">{t('yes')}</option>
            <option value="no">{t('no')}</option>
          </select>
        ) : kind === 'number' ? (
          <input
            {...shared}
            type="number"
            step="1"
            required
            {...(known?.kind === 'number' && { min: known.min, max: known.max })}
            value={value}
            onInput={(event) => setValue(event.currentTarget.value)}
          />
        ) : (
          <textarea {...shared} rows={4} value={value} onInput={(event) => setValue(event.currentTarget.value)} />
        )}
        <span class="field-about" id="parameter-help">
          {help}
        </span>
        <span class="field-error" id="parameter-error">
          {wrong}
        </span>
      </div>
    </DialogForm>
  )
}
