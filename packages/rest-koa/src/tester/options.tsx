import type { ObjectMetadata } from '@steward/rest-core'
import { Checkbox, TextField } from './controls.js'
import type { Draft } from './draft.js'
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
      <summary>Options{set > 0 && <span class="count">{set} set</span>}</summary>
      <div class="options-body">
        {has('order') && searches && (
          <TextField
            label="Sort"
            hint={`Fields with commas between them, - for descending: ${sortExample(metadata)}`}
            value={draft.order}
            onInput={(order) => change({ order })}
          />
        )}
        {paged && (
          <div class="pair">
            <TextField
              label="Page"
              hint="From 0 on"
              value={draft.page}
              onInput={(page) => change({ page, cursor: undefined })}
            />
            <TextField
              label="Page size"
              hint="1 to 1,000"
              value={draft.pageSize}
              onInput={(pageSize) => change({ pageSize })}
            />
          </div>
        )}
        {has('cursor') && (
          <Checkbox
            label="Page by cursor: stable while records change"
            checked={draft.cursor !== undefined}
            onChange={(on) => change({ cursor: on ? '' : undefined })}
          />
        )}
        {has('cursor') && draft.cursor !== undefined && (
          <TextField
            label="Cursor"
            hint="Empty starts; the answer contains the next one."
            value={draft.cursor}
            onInput={(cursor) => change({ cursor })}
          />
        )}
        {has('answer') && <AnswerOptions draft={draft} change={change} metadata={metadata} />}
        {has('atomic') && (
          <Checkbox label="All or nothing" checked={draft.atomic} onChange={(atomic) => change({ atomic })} />
        )}
        {has('dryRun') && (
          <Checkbox
            label="Dry run: everything is checked, nothing is kept"
            checked={draft.dryRun}
            onChange={(dryRun) => change({ dryRun })}
          />
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
        label="Contents of documents and images"
        checked={draft.inlineDocuments}
        onChange={(inlineDocuments) => change({ inlineDocuments })}
      />
      <Checkbox
        label="Thumbnails of images"
        checked={draft.inlineThumbnails}
        onChange={(inlineThumbnails) => change({ inlineThumbnails })}
      />
      <Checkbox
        label="Who created and changed it, and when"
        checked={draft.timestamps}
        onChange={(timestamps) => change({ timestamps })}
      />
      {metadata ? (
        <details class="fold">
          <summary>Fields to return: {draft.fields.length === 0 ? 'all' : draft.fields.length}</summary>
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
          label="Fields to return"
          hint="Names with commas between them; empty: all"
          value={draft.fields.join(',')}
          onInput={(text) => change({ fields: text === '' ? [] : text.split(',') })}
        />
      )}
    </>
  )
}

function sortExample(metadata: ObjectMetadata | undefined): string {
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
