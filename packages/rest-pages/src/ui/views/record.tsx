/**
 * A record, at `/ui/<Object>/<row_id>`: its fields by area, to be read.
 *
 * What views work with:
 * - `lib/session.ts`: `client`, a `rest-client` that carries the user's token (`client.object(name).getTagged()`, `update()`
 *   with `ifMatch`, `action()`, `publication()`, `upload()`, `events()`); `useSession()`; a refused token opens the sign-in
 *   dialog over the page, which keeps what was typed.
 * - `lib/service.ts`: `metadataOf(object, context)` (asked for once per user), `listObjects()`, `titleOf()`, `labelOf()`,
 *   `isReference()`: the only place that knows how the service describes itself.
 * - `lib/value.tsx`: `kindOf(field)`, `textOf(field, value)`, `<Value>`; `lib/use-asked.ts`: `useAsked(question, ask)`.
 * - `lib/settings.ts`: `pathTo(object, id)`; `components/problem.tsx`: `<Problem failure>`, `messageOf(failure)`.
 * - `@steward/page-kit`: components, `toast()`, formats. Texts: `texts/en.ts`, `texts/fr.ts`.
 */
import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { Skeleton, View } from '@steward/page-kit'
import { useRoute } from 'preact-iso'
import { Problem } from '../components/problem.js'
import { t } from '../lib/i18n.js'
import { isReference, labelOf, metadataOf, titleOf } from '../lib/service.js'
import { client } from '../lib/session.js'
import { pathTo } from '../lib/settings.js'
import { useAsked } from '../lib/use-asked.js'
import { kindOf, Value } from '../lib/value.js'
import '../styles/record.css'

export function Record() {
  const { object = '', id = '' } = useRoute().params
  const { data, failure, reload } = useAsked(`${object}/${id}`, async (signal) => {
    const [metadata, { record }] = await Promise.all([
      metadataOf(object, 'update'),
      client.object(object).getTagged(id, { signal }),
    ])
    return { metadata, record }
  })
  if (failure !== undefined) return <Problem failure={failure} onRetry={reload} />
  if (!data) return <Skeleton />
  const { metadata, record } = data
  return (
    <View
      title={titleOf(record, metadata)}
      above={<a href={pathTo(object)}>{metadata.plurallabel || metadata.label || object}</a>}
    >
      {areasOf(metadata).map(({ name, label, fields }) => (
        <section key={name} class="panel record-area" aria-label={label}>
          <h2>{label}</h2>
          <dl>
            {fields.map((field) => (
              <div key={field.name} class={kindOf(field) === 'long' ? 'wide' : ''}>
                <dt>{labelOf(field, metadata)}</dt>
                <dd>
                  <FieldValue field={field} metadata={metadata} record={record} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </View>
  )
}

interface FieldValueProps {
  readonly field: FieldMetadata
  readonly metadata: ObjectMetadata
  readonly record: Readonly<globalThis.Record<string, unknown>>
}

/** A reference is shown by the fields that come with it, and leads to its record. */
function FieldValue({ field, metadata, record }: FieldValueProps) {
  const value = record[field.name]
  if (!isReference(field) || value === null || value === '') return <Value field={field} value={value} />
  const shown = metadata.fields.filter(({ ref }) => ref === field.name).map(({ name }) => record[name])
  const text = shown.filter((one) => one !== null && one !== '').join(' ')
  return <a href={pathTo(field.refObject as string, String(value))}>{text || String(value)}</a>
}

interface Area {
  readonly name: string
  readonly label: string
  readonly fields: readonly FieldMetadata[]
}

/** Areas with something to show, in order; fields without one first. */
function areasOf({ areas, fields, rowidfield }: ObjectMetadata): readonly Area[] {
  const shown = fields.filter(
    (field) => field.visible && field.ref === null && field.name !== rowidfield && kindOf(field) !== 'password',
  )
  const named = areas.toSorted((a, b) => a.order - b.order)
  const rest = shown.filter(({ area }) => !named.some(({ name }) => name === area))
  return [
    { name: '', label: t('record.details'), fields: rest },
    ...named.map(({ name, label }) => ({
      name,
      label: label || name,
      fields: shown.filter(({ area }) => area === name),
    })),
  ].filter((area) => area.fields.length > 0)
}
