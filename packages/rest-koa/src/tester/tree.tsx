import { useState } from 'preact/hooks'
import { blobOf, embeddedIn } from './content.js'
import type { Embedded } from './content.js'
import { DownloadLink } from './download-link.js'
import { PictureView } from './picture-view.js'

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
  if (entries.length === 0) return <p class="muted">{Array.isArray(value) ? 'An empty list' : 'An empty object'}</p>
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
        <button type="button" class="small" onClick={() => setShown(shown + step)}>
          Show {Math.min(step, rest)} more of {rest.toLocaleString('en')}
        </button>
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
          <button type="button" class="small" aria-label={`Get record ${value}`} onClick={() => onOpenRecord(value)}>
            Get
          </button>
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
            <span class="muted">{(value.length - text.length).toLocaleString('en')} more characters</span>
          ) : (
            <button type="button" class="small" onClick={() => setWhole(true)}>
              Show all {value.length.toLocaleString('en')} characters
            </button>
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
      {embedded.mime.startsWith('image/') && <PictureView bytes={blob} mime={embedded.mime} alt={embedded.name} />}
      <DownloadLink bytes={blob} mime={embedded.mime} name={embedded.name} />
    </div>
  )
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

const previewLength = 90

/** The beginning of a folded value. */
function previewOf(value: object): string {
  const isList = Array.isArray(value)
  const entries = Object.entries(value)
  if (isList && value.some(isContainer)) return `${entries.length} ${entries.length === 1 ? 'item' : 'items'}`
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
