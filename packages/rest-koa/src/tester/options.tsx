import type { ObjectMetadata } from '@steward/rest-core'
import { Checkbox, TextField } from './controls.js'
import type { Draft } from './draft.js'
import { t } from './i18n.js'
import { searchableFields } from './metadata.js'
import { operationOf } from './operations.js'
import type { Part } from './operations.js'

/** What may be left as it is, folded in. */
export function Options(props: {
  draft: Draft
  change: (changes: Partial<Draft>) => void
  metadata: ObjectMetadata | undefined
  level: string
  searches: boolean
}) {
  const { draft, change, metadata, searches } = props
  const { parts } = operationOf(draft.operation)
  const has = (part: Part): boolean => parts.includes(part)
  const paged = has('page') && searches
  const set = countOf(draft, has)
  if (!(['order', 'page', 'answer', 'dryRun', 'atomic'] as const).some(has)) return null
  return (
    <details class="options" open={draft.operation === 'page' || undefined}>
      <summary>
        {t('options')}
        {set > 0 && <span class="count">{t('options.set', { count: set })}</span>}
      </summary>
      <div class="options-body">
        {has('order') && searches && (
          <TextField
            label={t('options.sort')}
            hint={t('options.sortAbout', { example: sortExample(metadata, draft) })}
            value={draft.order}
            onInput={(order) => change({ order })}
          />
        )}
        {paged && (
          <div class="pair">
            <TextField
              label={t('options.page')}
              hint={t('options.pageAbout')}
              value={draft.page}
              onInput={(page) => change({ page, cursor: undefined })}
            />
            <TextField
              label={t('options.pageSize')}
              hint={t('options.pageSizeAbout')}
              value={draft.pageSize}
              onInput={(pageSize) => change({ pageSize })}
            />
          </div>
        )}
        {has('cursor') && (
          <Checkbox
            label={t('options.byCursor')}
            checked={draft.cursor !== undefined}
            onChange={(on) => change({ cursor: on ? '' : undefined })}
          />
        )}
        {has('cursor') && draft.cursor !== undefined && (
          <TextField
            label={t('options.cursor')}
            hint={t('options.cursorAbout')}
            value={draft.cursor}
            onInput={(cursor) => change({ cursor })}
          />
        )}
        {has('answer') && <AnswerOptions draft={draft} change={change} metadata={metadata} />}
        {has('atomic') && (
          <Checkbox label={t('options.atomic')} checked={draft.atomic} onChange={(atomic) => change({ atomic })} />
        )}
        {has('dryRun') && (
          <Checkbox label={t('options.dryRun')} checked={draft.dryRun} onChange={(dryRun) => change({ dryRun })} />
        )}
      </div>
    </details>
  )
}

function AnswerOptions(props: {
  draft: Draft
  change: (changes: Partial<Draft>) => void
  metadata: ObjectMetadata | undefined
}) {
  const { draft, change, metadata } = props
  return (
    <>
      <Checkbox
        label={t('options.documents')}
        checked={draft.inlineDocuments}
        onChange={(inlineDocuments) => change({ inlineDocuments })}
      />
      <Checkbox
        label={t('options.thumbnails')}
        checked={draft.inlineThumbnails}
        onChange={(inlineThumbnails) => change({ inlineThumbnails })}
      />
      <Checkbox
        label={t('options.timestamps')}
        checked={draft.timestamps}
        onChange={(timestamps) => change({ timestamps })}
      />
      {metadata ? (
        <details class="fold">
          <summary>
            {draft.fields.length === 0
              ? t('options.fieldsAll')
              : t('options.fieldsCount', { count: draft.fields.length })}
          </summary>
          <div class="checks">
            {metadata.fields
              .filter(({ name, visible }) => visible && name !== 'row_id')
              .map(({ name }) => (
                <Checkbox
                  key={name}
                  label={name}
                  checked={draft.fields.includes(name)}
                  onChange={(on) =>
                    change({ fields: on ? [...draft.fields, name] : draft.fields.filter((field) => field !== name) })
                  }
                />
              ))}
          </div>
        </details>
      ) : (
        <TextField
          label={t('options.fields')}
          hint={t('options.fieldsAbout')}
          value={draft.fields.join(',')}
          onInput={(text) => change({ fields: text === '' ? [] : text.split(',') })}
        />
      )}
    </>
  )
}

function sortExample(metadata: ObjectMetadata | undefined, { operation, crosstab }: Draft): string {
  const pivot = operation === 'crosstab' ? metadata?.crosstabs.find(({ name }) => name === crosstab) : undefined
  if (pivot) return `-${pivot.values[0]?.name},${pivot.lines[0]?.name}`
  const [first = 'date', second = 'name'] = metadata
    ? searchableFields(metadata)
        .slice(1)
        .map(({ name }) => name)
    : []
  return `-${first},${second}`
}

/** How many options differ from what is usual. */
function countOf(draft: Draft, has: (part: Part) => boolean): number {
  return [
    has('order') && draft.order !== '',
    has('page') && draft.page !== '',
    has('page') && draft.pageSize !== '',
    has('cursor') && draft.cursor !== undefined,
    has('answer') && draft.fields.length > 0,
    has('answer') && draft.timestamps,
    has('answer') && draft.inlineDocuments,
    has('answer') && draft.inlineThumbnails,
    has('atomic') && !draft.atomic,
    has('dryRun') && draft.dryRun,
  ].filter(Boolean).length
}
