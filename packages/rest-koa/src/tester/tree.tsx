import { Button } from '@steward/page-kit/button'
import { PictureView } from '@steward/page-kit/viewers'
import { useState } from 'preact/hooks'
import { blobOf, embeddedIn } from './content.js'
import type { Embedded } from './content.js'
import { t } from './i18n.js'
import { DownloadLink } from './download-link.js'

/** Members that are shown at first, and with each "show more". */
const step = 100
/** Characters of a text that are shown at first, and at most. */
const shortText = 300
const longText = 100_000

interface TreeProps {
  readonly value: unknown
  /** Row ids become buttons that call it. */
  readonly onOpenRecord?: (rowId: string) => void
}

/** A JSON value to unfold; what is folded in costs nothing. */
export function Tree({ value, onOpenRecord }: TreeProps) {
  return (
    <div class="tree">
      {isContainer(value) ? <Members value={value} {...(onOpenRecord && { onOpenRecord })} /> : <Leaf value={value} />}
    </div>
  )
}

function Members({ value, onOpenRecord }: TreeProps & { value: object }) {
  const [shown, setShown] = useState(step)
  const entries = Object.entries(value)
  const rest = entries.length - shown
  const embedded = embeddedIn(value)
  if (entries.length === 0)
    return <p class="quiet">{t(Array.isArray(value) ? 'tree.emptyList' : 'tree.emptyObject')}</p>
  return (
    <>
      {embedded && <EmbeddedView embedded={embedded} />}
      <ul>
        {entries.slice(0, shown).map(([name, member]) => (
          <Member
            key={name}
            name={name}
            value={member}
            open={entries.length === 1 || embeddedIn(member) !== undefined}
            {...(onOpenRecord && { onOpenRecord })}
          />
        ))}
      </ul>
      {rest > 0 && (
        <Button small onClick={() => setShown(shown + step)}>
          {t('records.more', { step: Math.min(step, rest), rest })}
        </Button>
      )}
    </>
  )
}

function Member({ name, value, open, onOpenRecord }: TreeProps & { name: string; open: boolean }) {
  const [isOpen, setOpen] = useState(open)
  if (!isContainer(value) || Object.keys(value).length === 0)
    return (
      <li>
        <span class="key">{name}</span> <Leaf value={value} />
        {name === 'row_id' && onOpenRecord && typeof value === 'string' && (
          <Button small label={t('records.getLabel', { id: value })} onClick={() => onOpenRecord(value)}>
            {t('records.get')}
          </Button>
        )}
      </li>
    )
  return (
    <li>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span class="key">{name}</span> {!isOpen && <span class="preview">{previewOf(value)}</span>}
        </summary>
        {isOpen && <Members value={value} {...(onOpenRecord && { onOpenRecord })} />}
      </details>
    </li>
  )
}

function Leaf({ value }: { value: unknown }) {
  const [whole, setWhole] = useState(false)
  if (typeof value !== 'string') {
    const text = isContainer(value) ? (Array.isArray(value) ? '[]' : '{}') : String(value)
    return <span class={`value ${value === null ? 'null' : typeof value}`}>{text}</span>
  }
  if (value === '') return <span class="value null">""</span>
  const text = value.slice(0, whole ? longText : shortText)
  return (
    <>
      <span class="value string">{text}</span>
      {text.length < value.length && (
        <>
          …{' '}
          {whole ? (
            <span class="quiet">{t('tree.rest', { count: value.length - text.length })}</span>
          ) : (
            <Button small onClick={() => setWhole(true)}>
              {t('tree.all', { count: value.length })}
            </Button>
          )}
        </>
      )}
    </>
  )
}

/** A picture as such, and every document as a download. */
export function EmbeddedView({ embedded }: { embedded: Embedded }) {
  const blob = blobOf(embedded)
  if (!blob) return null
  return (
    <div class="embedded">
      {embedded.mime.startsWith('image/') && (
        <PictureView bytes={blob} mime={embedded.mime} alt={embedded.name} failed={t('answer.noPicture')} />
      )}
      <DownloadLink bytes={blob} mime={embedded.mime} name={embedded.name} />
    </div>
  )
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

const previewLength = 90

/** The start of a folded value. */
function previewOf(value: object): string {
  const isList = Array.isArray(value)
  const entries = Object.entries(value)
  if (isList && value.some(isContainer)) return t('content.items', { count: entries.length })
  const parts: string[] = []
  let length = 0
  for (const [name, member] of entries.slice(0, 12)) {
    const text = typeof member === 'string' ? member.slice(0, 40) : isContainer(member) ? '…' : String(member)
    const part = isList ? text : `${name}: ${text}`
    parts.push(part)
    length += part.length
    if (length > previewLength) break
  }
  return `${parts.join(', ').slice(0, previewLength)}${parts.length < entries.length ? ' …' : ''}`
}
