import type { FieldMetadata } from '@steward/rest-core'
import type { AnyRecord } from '@steward/rest-client'
import { useEffect, useState } from 'preact/hooks'
import { messageOf } from '../components/problem.js'
import { t } from '../lib/i18n.js'
import { wordsIn } from '../lib/filters.js'
import { metadataOf } from '../lib/service.js'
import { client } from '../lib/session.js'
import { pathTo } from '../lib/settings.js'
import { isPartOfKey, shownBy, titleFields, titleOf } from '../lib/title.js'
import type { ControlProps, Shared } from './control.js'
import { wholeTitle } from './linked.js'

interface Choice {
  readonly id: string
  readonly title: string
  /** The user may not see it. */
  readonly isHidden?: boolean
}

const waitMs = 150
const most = 10

export interface ReferencePickerProps extends Pick<ControlProps, 'metadata' | 'text' | 'onChange'> {
  readonly field: FieldMetadata
  readonly value: string
  readonly shared: Shared
}

/** A record of the linked object, found by typing a part of what it is called. */
export function ReferencePicker({ field, value, text = '', onChange, metadata, shared }: ReferencePickerProps) {
  const object = field.refObject as string
  const [words, setWords] = useState<string>()
  const [chosen, choose] = useState<Choice>({ id: value, title: text || value })
  const [choices, setChoices] = useState<readonly Choice[]>([])
  const [at, setAt] = useState(0)
  const [failure, setFailure] = useState('')
  const isOpen = words !== undefined
  const listId = `${shared.id}-list`
  const shown = metadata ? shownBy(field, metadata) : []

  // One that the address brought, a copy, an earlier value, what others chose: perhaps only its id is known.
  useEffect(() => {
    if (value === '') return choose({ id: value, title: text })
    if (text === '' && value === chosen.id && value !== chosen.title) return
    choose({ id: value, title: text || value })
    wholeTitle(object, value, text, shown).then(
      (title) =>
        choose((now) =>
          now.id === value ? { id: value, title: title ?? t('record.notVisible'), isHidden: title === undefined } : now,
        ),
      (reason: unknown) => setFailure(messageOf(reason)),
    )
  }, [value, text])

  useEffect(() => {
    if (words === undefined) return
    const ended = new AbortController()
    const timer = setTimeout(() => {
      find(object, shown, words, ended.signal).then(
        (found) => {
          if (ended.signal.aborted) return
          setChoices(found)
          setAt(0)
          setFailure('')
        },
        (reason: unknown) => ended.signal.aborted || setFailure(messageOf(reason)),
      )
    }, waitMs)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [words])

  function take(choice: Choice): void {
    choose(choice)
    setWords(undefined)
    setChoices([])
    onChange(choice.id)
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape' && isOpen) setWords(undefined)
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (!isOpen) setWords('')
      const step = event.key === 'ArrowDown' ? 1 : -1
      if (choices.length > 0) setAt((at + step + choices.length) % choices.length)
    } else if (event.key === 'Enter' && isOpen && choices[at]) take(choices[at])
    else return
    event.preventDefault()
  }

  return (
    <div class="reference">
      <input
        {...shared}
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && choices[at] ? `${listId}-${at}` : undefined}
        autocomplete="off"
        placeholder={t('record.find')}
        value={words ?? chosen.title}
        onInput={(event) => {
          const typed = event.currentTarget.value
          if (typed === '') {
            choose({ id: '', title: '' })
            onChange('')
          }
          setWords(typed)
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setWords(undefined)}
      />
      <ul class="reference-choices" role="listbox" id={listId} aria-label={t('record.choices')} hidden={!isOpen}>
        {choices.map((choice, index) => (
          <li
            key={choice.id}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === at}
            // Before the field loses the focus.
            onMouseDown={(event) => {
              event.preventDefault()
              take(choice)
            }}
          >
            {choice.title}
          </li>
        ))}
      </ul>
      {failure && <span class="field-error">{failure}</span>}
      {chosen.id !== '' && !chosen.isHidden && !isOpen && (
        <a href={pathTo(object, chosen.id)}>{t('record.open', { title: chosen.title })}</a>
      )}
    </div>
  )
}

/** Records with the words in a field by which references show them. */
async function find(object: string, shown: readonly string[], words: string, signal: AbortSignal): Promise<Choice[]> {
  const metadata = await metadataOf(object, 'list')
  const found = isPartOfKey(shown, metadata)
    ? titleFields(metadata)
    : metadata.fields.filter(({ name }) => shown.includes(name))
  const filter = wordsIn(words, found)
  const records: readonly AnyRecord[] =
    words !== '' && filter === undefined && metadata.indexable
      ? (await client.object(object).indexSearch(`${words}*`, { pageSize: most, signal })).map(({ data }) => data)
      : (await client.object(object).page({ pageSize: most, filter, signal })).records
  return records.map((record) => ({ id: record['row_id'], title: titleOf(record, metadata) }))
}
