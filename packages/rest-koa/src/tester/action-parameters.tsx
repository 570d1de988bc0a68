import { kindOf } from '@steward/page-kit/field-kinds'
import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { Checkbox, SelectField, TextField } from './controls.js'
import type { Draft } from './draft.js'
import { codesOf, named } from './metadata.js'

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
          <legend>Parameters</legend>
          {action.parameters.map((parameter) => (
            <ParameterField
              key={parameter.name}
              parameter={parameter}
              value={draft.parameters[parameter.name] ?? ''}
              onInput={(value) => put(parameter.name, value)}
            />
          ))}
        </fieldset>
      )}
      <Checkbox
        label="By GET, with the parameters in the address"
        checked={draft.byGet}
        onChange={(byGet) => change({ byGet })}
      />
    </>
  )
}

function ParameterField(props: { parameter: FieldMetadata; value: string; onInput: (value: string) => void }) {
  const { parameter, value, onInput } = props
  const { name, label, required, help } = parameter
  const common = { label: named(name, label), required, value, onInput, hint: help || undefined }
  const codes = kindOf(parameter) === 'boolean' ? ['true', 'false'] : codesOf(parameter)
  if (codes.length === 0 || kindOf(parameter) === 'list') {
    return <TextField {...common} suggestions={codes} placeholder={String(parameter.defaultValue ?? '')} />
  }
  const choices = codes.map((code) => ({ value: code, label: code }))
  return <SelectField {...common} choices={[{ value: '', label: 'Not given' }, ...choices]} />
}
