import { kindOf } from '@steward/page-kit/field-kinds'
import type { FieldMetadata } from '@steward/rest-core'
import { t } from './i18n.js'
import { codesOf } from './metadata.js'

/** How a filter on a field is written. */
export function filterHint(field: FieldMetadata | undefined): string {
  if (!field) return t('filter.about')
  switch (kindOf(field)) {
    case 'number':
      return t('filter.number')
    case 'date':
      return '1975-06-20 · 1975-01-01;1975-12-31 · [DATE:-3m]; · is null'
    case 'datetime':
      return '2024-01-01 00:00:00; · [DATETIME:-12h]; · is null'
    case 'time':
      return '08:00:00;17:30:00 · is null'
    case 'boolean':
      return t('filter.boolean')
    case 'enum':
    case 'list':
      return `${codesOf(field).slice(0, 8).join(' · ')} · in ('…', '…') · is null`
    case 'json':
    case 'file':
      return 'is null · is not null'
    default:
      if (field.refField === 'row_id') return t('filter.row', { object: field.refObject ?? '' })
      return t('filter.text')
  }
}
