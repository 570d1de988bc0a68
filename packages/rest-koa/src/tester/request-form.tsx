import type { ObjectMetadata } from '@steward/rest-core'
import { ActionParameters } from './action-parameters.js'
import { BodyEditor } from './body-editor.js'
import type { LoadFrom } from './body-editor.js'
import type { Mistakes } from './body-form.js'
import { Checkbox, SelectField, TextField } from './controls.js'
import type { Suggestion } from './controls.js'
import { withObject } from './draft.js'
import type { ChangeDraft, Draft } from './draft.js'
import { Filters } from './filters.js'
import { t } from './i18n.js'
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
  /** Records of the last list of the object. */
  readonly rows: readonly Suggestion[]
  readonly load: LoadFrom
  readonly mistakes: Mistakes
}

/** What the chosen operation needs, and no more. */
export function RequestForm({ draft, change, level, objects, metadata: loaded, rows, load, mistakes }: FormProps) {
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
          label={t('operation.label')}
          value={draft.operation}
          onInput={(value) => change({ operation: value as OperationName })}
          choices={operations
            .filter(({ since }) => hasLevel(level, since))
            .map(({ name, group }) => ({
              value: name,
              label: t(`operation.${name}`),
              group: t(`group.${group}`),
            }))}
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
      {loaded.problem && <p class="note">{t('form.noMetadata', { object: draft.object, problem: loaded.problem })}</p>}
      {(has('action') || has('publication') || has('crosstab')) && (
        <DefinitionPicker draft={draft} change={change} metadata={loaded} />
      )}
      {askRow && (
        <TextField
          name="row"
          label={t('form.row')}
          required={has('row')}
          {...(has('optionalRow') && scope !== 'record' && { hint: t('form.rowAbout') })}
          value={draft.rowId}
          suggestions={rows}
          onInput={(rowId) => change({ rowId })}
        />
      )}
      {has('key') && (
        <TextField
          name="key"
          label={t('form.key')}
          hint={keyHint(metadata)}
          required
          value={draft.key}
          onInput={(key) => change({ key })}
        />
      )}
      {has('words') && (
        <TextField
          name="words"
          label={t('form.words')}
          hint={t('form.wordsAbout')}
          required
          value={draft.words}
          onInput={(words) => change({ words })}
        />
      )}
      {has('documentField') && <DocumentFieldPicker draft={draft} change={change} metadata={loaded} />}
      {has('file') && <FileField onFile={(file) => change({ file })} />}
      {has('context') && (
        <SelectField
          label={t('form.context')}
          value={draft.context}
          onInput={(context) => change({ context })}
          choices={['', ...contexts].map((value) => ({ value, label: value || t('form.contextNone') }))}
        />
      )}
      {has('output') && (
        <SelectField
          label={t('form.format')}
          value={draft.output}
          onInput={(output) => change({ output })}
          choices={outputs.filter(({ since }) => hasLevel(level, since))}
        />
      )}
      {has('action') && <ActionParameters draft={draft} change={change} metadata={metadata} />}
      {has('publication') && (
        <Checkbox label={t('form.asJson')} checked={draft.asJson} onChange={(asJson) => change({ asJson })} />
      )}
      {has('crosstab') && (
        <Checkbox label={t('form.cubes')} checked={draft.cubes} onChange={(cubes) => change({ cubes })} />
      )}
      {has('task') && (
        <TextField
          name="task"
          label={t('form.task')}
          required
          value={draft.task}
          onInput={(task) => change({ task })}
        />
      )}
      {has('sessionOnly') && (
        <Checkbox
          label={t('form.sessionOnly')}
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
      {has('body') && <BodyEditor draft={draft} change={change} metadata={loaded} load={load} mistakes={mistakes} />}
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
        {t('form.file')}
        <span class="field-optional"> {t('required')}</span>
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
  return names && names.length > 0 ? t('form.keyOf', { fields: names.join(', ') }) : t('form.keyAbout')
}
