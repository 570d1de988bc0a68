import { Palette, type PaletteItem } from '@steward/page-kit/palette'
import { isSystemObject } from '@steward/page-kit/system-objects'
import type { ObjectMetadata } from '@steward/rest-core'
import { useState } from 'preact/hooks'
import type { HistoryEntry } from './history.js'
import { t } from './i18n.js'
import { leavesOf } from './object-tree.js'
import type { Lead } from './object-tree.js'
import { hasLevel, operations } from './operations.js'

export interface RequestPaletteProps {
  readonly objects: readonly string[]
  /** The object in the form, and its metadata if they are known. */
  readonly object: string
  readonly metadata: ObjectMetadata | undefined
  readonly level: string
  readonly history: readonly HistoryEntry[]
  /** What the addresses of all requests begin with. */
  readonly base: string
  readonly onChoose: (lead: Lead) => void
  readonly onRestore: (entry: HistoryEntry) => void
  readonly onClose: () => void
}

/** How many lines are offered. */
const most = 40

/** What can be asked of the object in the form, all objects, what was sent, and every operation of the objects that words name. */
export function RequestPalette(props: RequestPaletteProps) {
  const { objects, object, metadata, level, history, base, onChoose, onRestore, onClose } = props
  const [entered, setEntered] = useState('')
  const words = entered.toLowerCase().split(/\s+/).filter(Boolean)
  const requests = (name: string, known?: ObjectMetadata): readonly PaletteItem[] =>
    leavesOf(name, known, level)
      .flatMap(({ leaves }) => leaves)
      .map(({ text, lead }) => ({
        id: JSON.stringify(lead),
        label: text,
        about: name,
        run: () => onChoose(lead),
      }))
  // Those of the system last.
  const others = objects
    .filter((name) => name !== object)
    .toSorted((a, b) => Number(isSystemObject(a)) - Number(isSystemObject(b)))
  const places = others.map((name): PaletteItem => {
    const operation = hasLevel(level, '4.0') ? 'page' : 'search'
    const run = () => onChoose({ object: name, operation })
    return { id: name, label: name, about: t(`operation.${operation}`), run }
  })
  const sent = history.map((entry): PaletteItem => ({
    id: `sent ${entry.id}`,
    label: `${entry.method} ${entry.url.slice(base.length)}`,
    about: t('palette.history', { status: String(entry.status) }),
    run: () => onRestore(entry),
  }))
  const service = operations
    .filter(({ object: of, since }) => of === 'none' && hasLevel(level, since))
    .map(({ name }): PaletteItem => ({
      id: name,
      label: t(`operation.${name}`),
      about: t('group.service'),
      run: () => onChoose({ object, operation: name }),
    }))
  // Without words that name an object they would be hundreds.
  const named = others.filter((name) => words.some((word) => name.toLowerCase().includes(word)))
  const all = [
    ...(object === '' ? [] : requests(object, metadata)),
    ...places,
    ...sent,
    ...service,
    ...named.flatMap((name) => requests(name)),
  ]
  const fitting = all.filter(({ label, about = '' }) => {
    const text = `${label} ${about}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  return <Palette words={entered} onWords={setEntered} items={fitting.slice(0, most)} onClose={onClose} />
}
