import type { FieldMetadata } from '@steward/rest-core'
import { Badge } from '@steward/page-kit'
import { kindOf } from '@steward/page-kit/field-kinds'
import type { ComponentChildren } from 'preact'
import '../styles/value.css'
import { textOf } from './value-text.js'

/** A value in a list or on a record. */
export function Value({ field, value }: { readonly field: FieldMetadata; readonly value: unknown }): ComponentChildren {
  const text = textOf(field, value)
  if (text === '') return <span class="quiet">–</span>
  const kind = kindOf(field)
  if (kind === 'enum') return <Badge>{text}</Badge>
  if (kind === 'email') return <a href={`mailto:${text}`}>{text}</a>
  if (kind === 'url' && /^https?:\/\//i.test(text))
    return (
      <a href={text} target="_blank" rel="noreferrer noopener">
        {text}
      </a>
    )
  return kind === 'text' || kind === 'long' || kind === 'list' ? <>{text}</> : <span class="unbroken">{text}</span>
}
