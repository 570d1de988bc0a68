import type { ObjectMetadata } from '@steward/rest-core'
import { ActionParameters } from './action-parameters.js'
import { BodyEditor } from './body-editor.js'
import type { LoadFrom } from './body-editor.js'
import { Checkbox, SelectField, TextField } from './controls.js'
import { withObject } from './draft.js'
import type { ChangeDraft, Draft } from './draft.js'
import { Filters } from './filters.js'
import { scopeOf } from './metadata.js'
import { hasLevel, operationOf, operations } from './operations.js'
import type { OperationName, Part } from './operations.js'
import { Options } from './options.js'
import { DefinitionPicker, DocumentFieldPicker, ObjectPicker } from './pickers.js'
import type { Loaded } from './use-service.js'

export interface FormProps {
  readonly draft: Draft
  readonly change: ChangeDraft
  readonly level: string
  readonly objects: Loaded<readonly string[]>
  readonly metadata: Loaded<ObjectMetadata>
  readonly load: LoadFrom
}

/** What the chosen operation needs, and no more. */
export function RequestForm({ draft, change, level, objects, metadata: loaded, load }: FormProps) {
  const { parts, object } = operationOf(draft.operation)
  const metadata = loaded.value
  const has = (part: Part): boolean => parts.includes(part)
  const scope = scopeOf(draft, metadata)
  const askRow = has('row') || (has('optionalRow') && scope !== 'global')
  const searches = !has('optionalRow') || (draft.rowId.trim() === '' && scope !== 'record')
  return (
    <>
      <div class="pair">
        <SelectField
          name="operation"
          label="Operation"
          value={draft.operation}
          onInput={(value) => change({ operation: value as OperationName })}
          choices={operations
            .filter(({ since }) => hasLevel(level, since))
            .map(({ name, label, group }) => ({ value: name, label, group }))}
        />
        {object !== 'none' && (
          <ObjectPicker
            value={draft.object}
            optional={object === 'optional'}
            objects={objects}
            onInput={(value) => change(withObject(draft, value))}
          />
        )}
      </div>
      {loaded.problem && (
        <p class="note">
          No metadata of {draft.object}: {loaded.problem}
        </p>
      )}
      {(has('action') || has('publication') || has('crosstab')) && (
        <DefinitionPicker draft={draft} change={change} metadata={loaded} />
      )}
      {askRow && (
        <TextField
          name="row"
          label="Row id"
          required={has('row')}
          {...(has('optionalRow') && scope !== 'record' && { hint: 'Empty: the records that the filters find.' })}
          value={draft.rowId}
          onInput={(rowId) => change({ rowId })}
        />
      )}
      {has('key') && (
        <TextField
          name="key"
          label="Functional key"
          hint={keyHint(metadata)}
          required
          value={draft.key}
          onInput={(key) => change({ key })}
        />
      )}
      {has('words') && (
        <TextField
          name="words"
          label="Search text"
          hint={'All must be met. word* finds beginnings, "some words" a phrase.'}
          required
          value={draft.words}
          onInput={(words) => change({ words })}
        />
      )}
      {has('documentField') && <DocumentFieldPicker draft={draft} change={change} metadata={loaded} />}
      {has('file') && <FileField onFile={(file) => change({ file })} />}
      {has('context') && (
        <SelectField
          label="Context"
          value={draft.context}
          onInput={(context) => change({ context })}
          choices={['', ...contexts].map((value) => ({ value, label: value || 'none' }))}
        />
      )}
      {has('output') && (
        <SelectField
          label="Format"
          value={draft.output}
          onInput={(output) => change({ output })}
          choices={outputs.filter(({ since }) => hasLevel(level, since))}
        />
      )}
      {has('action') && <ActionParameters draft={draft} change={change} metadata={metadata} />}
      {has('publication') && (
        <Checkbox label="As JSON" checked={draft.asJson} onChange={(asJson) => change({ asJson })} />
      )}
      {has('crosstab') && (
        <Checkbox label="As a flat list of cells" checked={draft.cubes} onChange={(cubes) => change({ cubes })} />
      )}
      {has('task') && (
        <TextField name="task" label="Id" required value={draft.task} onInput={(task) => change({ task })} />
      )}
      {has('sessionOnly') && (
        <Checkbox
          label="Only the session"
          checked={draft.sessionOnly}
          onChange={(sessionOnly) => change({ sessionOnly })}
        />
      )}
      {has('filters') && searches && (
        <Filters
          object={draft.object}
          filters={draft.filters}
          condition={draft.condition}
          metadata={loaded}
          onChange={(filters) => change({ filters })}
          onCondition={(condition) => change({ condition })}
        />
      )}
      {has('body') && <BodyEditor draft={draft} change={change} metadata={loaded} load={load} />}
      <Options draft={draft} change={change} metadata={metadata} level={level} searches={searches} />
    </>
  )
}

const contexts = ['search', 'list', 'create', 'copy', 'update', 'delete', 'graph', 'crosstab', 'publication']

const outputs = [
  { value: '', label: 'Markdown', since: '3.1' },
  { value: 'html', label: 'HTML', since: '3.1' },
  { value: 'openapi', label: 'OpenAPI', since: '4.0' },
]

function FileField({ onFile }: { onFile: (file: File | undefined) => void }) {
  return (
    <div class="field">
      <label for="upload-file">
        File<span class="required"> (required)</span>
      </label>
      <input
        id="upload-file"
        name="file"
        type="file"
        onChange={(event) => onFile(event.currentTarget.files?.[0] ?? undefined)}
      />
    </div>
  )
}

function keyHint(metadata: ObjectMetadata | undefined): string {
  const names = metadata?.fields.filter(({ key, ref }) => key && ref === null).map(({ name }) => name)
  return names && names.length > 0
    ? `Values of ${names.join(', ')}, with commas between them.`
    : 'Values with commas between them.'
}
