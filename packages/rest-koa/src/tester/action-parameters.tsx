import type { ObjectMetadata } from '@steward/rest-core'
import { Checkbox } from './controls.js'
import type { Draft } from './draft.js'
import { t } from './i18n.js'
import { FieldControl } from './field-control.js'

/** A form of what the chosen action takes. */
export function ActionParameters(props: {
  draft: Draft
  change: (changes: Partial<Draft>) => void
  metadata: ObjectMetadata | undefined
}) {
  const { draft, change, metadata } = props
  const action = metadata?.actions.find(({ name }) => name === draft.action)
  const put = (name: string, value: string): void => change({ parameters: { ...draft.parameters, [name]: value } })
  return (
    <>
      {action?.confirm && <p class="note">{action.confirm}</p>}
      {action && action.parameters.length > 0 && (
        <fieldset>
          <legend>{t('form.parameters')}</legend>
          {action.parameters.map((parameter) => (
            <FieldControl
              key={parameter.name}
              field={parameter}
              required={parameter.required}
              value={draft.parameters[parameter.name] ?? ''}
              onInput={(value) => put(parameter.name, value)}
            />
          ))}
        </fieldset>
      )}
      <Checkbox label={t('form.byGet')} checked={draft.byGet} onChange={(byGet) => change({ byGet })} />
    </>
  )
}
