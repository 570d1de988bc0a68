import { isSystemObject } from '@steward/page-kit/system-objects'
import type { ObjectMetadata } from '@steward/rest-core'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { emptyDraft } from './draft.js'
import type { Draft } from './draft.js'
import { t } from './i18n.js'
import { isDocument, named } from './metadata.js'
import { hasLevel, operations } from './operations.js'
import type { LoadFrom } from './body-editor.js'
import { useMetadata } from './use-service.js'
import type { Loaded } from './use-service.js'

/** A request that a line of the tree leads to. */
export type Lead = Pick<Draft, 'object' | 'operation'> & Partial<Draft>

interface TreeProps {
  readonly objects: Loaded<readonly string[]>
  readonly draft: Draft
  readonly load: LoadFrom
  readonly onChoose: (lead: Lead) => void
}

const isWide = matchMedia('(min-width: 76rem)')

/** All objects with what can be done with each; `/` leads to the search. */
export function ObjectTree({ objects, draft, load, onChoose }: TreeProps) {
  const [words, setWords] = useState('')
  const search = useRef<HTMLInputElement>(null)
  const id = useId()
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { target } = event
      const isTyping = target instanceof Element && target.matches('input, select, textarea')
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      search.current?.closest('details')?.setAttribute('open', '')
      search.current?.focus()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
  const found = (objects.value ?? []).filter((name) => name.toLowerCase().includes(words.trim().toLowerCase()))
  const branch = (name: string) => (
    <Branch key={name} name={name} isHere={name === draft.object} draft={draft} load={load} onChoose={onChoose} />
  )
  const system = found.filter(isSystemObject)
  return (
    <nav class="card objects" aria-label={t('objects')}>
      <details open={isWide.matches}>
        <summary>
          <h2>{t('objects')}</h2>
        </summary>
        <div class="field">
          <label class="hidden" for={id}>
            {t('objects.search')}
          </label>
          <input
            ref={search}
            id={id}
            type="search"
            placeholder={t('objects.searchKey')}
            autocomplete="off"
            spellcheck={false}
            value={words}
            onInput={(event) => setWords(event.currentTarget.value)}
          />
        </div>
        {objects.problem && <p class="problem">{objects.problem}</p>}
        <ul>{found.filter((name) => !isSystemObject(name)).map(branch)}</ul>
        {system.length > 0 && (
          <details open={words !== '' || isSystemObject(draft.object) || undefined}>
            <summary>{t('objects.system')}</summary>
            <ul>{system.map(branch)}</ul>
          </details>
        )}
        {objects.value && found.length === 0 && <p class="quiet">{t('palette.none')}</p>}
      </details>
    </nav>
  )
}

interface BranchProps {
  readonly name: string
  readonly isHere: boolean
  readonly draft: Draft
  readonly load: LoadFrom
  readonly onChoose: TreeProps['onChoose']
}

/** An object; what it has is asked for when it is unfolded. */
function Branch({ name, isHere, draft, load, onChoose }: BranchProps) {
  const [isOpen, setOpen] = useState(isHere)
  useEffect(() => {
    if (isHere) setOpen(true)
  }, [isHere])
  return (
    <li>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary class={isHere ? 'here' : undefined}>{name}</summary>
        {isOpen && <Leaves name={name} draft={draft} load={load} onChoose={onChoose} />}
      </details>
    </li>
  )
}

function Leaves({ name, draft, load: { settings, session }, onChoose }: Omit<BranchProps, 'isHere'>) {
  const metadata = useMetadata(settings, session, name)
  const groups = leavesOf(name, metadata.value, settings.level)
  return (
    <>
      {groups.map(({ id, leaves }) => (
        <div key={id} role="group" aria-label={t('objects.group', { group: t(`objects.${id}`), object: name })}>
          {id !== 'operations' && <p class="quiet">{t(`objects.${id}`)}</p>}
          <ul>
            {leaves.map(({ text, lead }) => (
              <li key={text}>
                <button
                  type="button"
                  class="leaf"
                  aria-current={Object.entries(lead).every(([key, value]) => draft[key as keyof Draft] === value)}
                  onClick={() => onChoose(lead)}
                >
                  {text}
                </button>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </>
  )
}

interface LeafGroup {
  readonly id: 'operations' | 'actions' | 'publications' | 'crosstabs'
  readonly leaves: readonly { readonly text: string; readonly lead: Lead }[]
}

/** What can be asked of an object, as far as its metadata say; without them the operations that each object has. */
export function leavesOf(object: string, metadata: ObjectMetadata | undefined, level: string): readonly LeafGroup[] {
  const hasFiles = metadata?.fields.some((field) => isDocument(field) && field.ref === null) ?? false
  const plain = operations.filter(({ name, object: of, parts, since }) => {
    if (of === 'none' || !hasLevel(level, since) || ['action', 'publication', 'crosstab'].includes(name)) return false
    if (name === 'indexSearch') return metadata?.indexable ?? false
    return hasFiles || !parts.includes('documentField')
  })
  const definitions = (['action', 'publication', 'crosstab'] as const).map((operation) => ({
    id: `${operation}s` as const,
    leaves: (metadata?.[`${operation}s`] ?? []).map(({ name, label }: { name: string; label: string }) => ({
      text: named(name, label),
      lead: { object, operation, [operation]: name },
    })),
  }))
  const own = plain.map(({ name }) => ({ text: t(`operation.${name}`), lead: { object, operation: name } }))
  return [{ id: 'operations' as const, leaves: own }, ...definitions].filter(({ leaves }) => leaves.length > 0)
}

/** The form of a line of the tree: what was entered for the same object stays. */
export function draftOfLead(draft: Draft, lead: Lead): Draft {
  return { ...(draft.object === lead.object ? draft : emptyDraft), parameters: {}, ...lead }
}
