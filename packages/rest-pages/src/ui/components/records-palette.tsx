import { Palette, useStore, type PaletteItem } from '@steward/page-kit'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { t } from '../lib/i18n.js'
import { writeListAddress } from '../lib/list-address.js'
import { screen } from '../lib/screen.js'
import { listObjects, metadataOf } from '../lib/service.js'
import { client } from '../lib/session.js'
import { pathTo, pathToNew } from '../lib/settings.js'
import { useAsked } from '../lib/use-asked.js'
import { beginnings } from '../lib/search.js'

/** Records, and lists to search in, that are offered for the words. */
const most = { records: 8, searches: 5 }

export interface RecordsPaletteProps {
  /** Things that can be done on every screen. */
  readonly general: readonly PaletteItem[]
  readonly onClose: () => void
}

/** What the screen can do, objects, records, and what can be done everywhere. */
export function RecordsPalette({ general, onClose }: RecordsPaletteProps) {
  const { route } = useLocation()
  const [words, setWords] = useState('')
  const offered = useStore(screen.commands)
  const typed = words.trim()
  const { data: objects = [] } = useAsked('objects and rights', readObjects)
  const isIndexed = typed !== '' && objects.some((one) => one.isIndexed)
  const found = useAsked(isIndexed ? `records ${typed}` : '', async (signal) => {
    if (!isIndexed) return []
    // A search for each letter would be for nothing.
    await new Promise((resolve) => setTimeout(resolve, 120))
    signal.throwIfAborted()
    return client.indexSearch(beginnings(typed), { signal })
  })

  const places = objects.flatMap(({ name, label, plural, mayCreate }): PaletteItem[] => [
    { id: `list ${name}`, label: plural, about: t('palette.list'), run: () => route(pathTo(name)) },
    ...(mayCreate
      ? [
          {
            id: `new ${name}`,
            label: t('record.newTitle', { object: label }),
            about: plural,
            run: () => route(pathToNew(name)),
          },
        ]
      : []),
  ])
  const records = (found.data ?? []).slice(0, most.records).map(({ object, row_id: id, key, value }): PaletteItem => ({
    id: `record ${object}/${id}`,
    label: [key, value].filter(Boolean).join(' ') || id,
    about: objects.find(({ name }) => name === object)?.label ?? object,
    run: () => route(pathTo(object, id)),
  }))
  const searches = objects
    .filter(({ isSystem }) => !isSystem && typed !== '')
    .slice(0, most.searches)
    .map(({ name, plural }): PaletteItem => ({
      id: `search ${name}`,
      label: t('palette.searchIn', { words: typed, objects: plural }),
      run: () => route(pathTo(name) + writeListAddress({ words: typed, order: '', conditions: new Map() })),
    }))
  const elsewhere = places.filter(({ id }) => !offered.some((one) => one.id === id))
  const items = [...[...offered, ...elsewhere, ...general].filter((one) => fits(one, typed)), ...records, ...searches]
  return (
    <Palette
      words={words}
      onWords={setWords}
      items={items}
      busy={isIndexed && found.data === undefined && found.failure === undefined}
      onClose={onClose}
    />
  )
}

async function readObjects() {
  // Those of the system last.
  const objects = (await listObjects()).toSorted((a, b) => Number(a.isSystem) - Number(b.isSystem))
  const rights = await Promise.all(objects.map(({ name }) => metadataOf(name, 'list')))
  return objects.map((object, at) => ({ ...object, mayCreate: rights[at]?.create === true }))
}

function fits({ label, about = '' }: PaletteItem, words: string): boolean {
  const text = `${label} ${about}`.toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
