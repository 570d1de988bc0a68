import { Button, Notice } from '@steward/page-kit'
import { RestClientError } from '@steward/rest-client'
import type { FieldMetadata } from '@steward/rest-core'
import type { ComponentChildren } from 'preact'
import { useReducer, useRef } from 'preact/hooks'
import { useChanges } from '../lib/changes.js'
import { t } from '../lib/i18n.js'
import { labelOf } from '../lib/service.js'
import { useSession } from '../lib/session.js'
import type { Values } from './draft.js'
import { liveRecord, nextLive, type Author } from './live.js'
import type { FormState, SavedRecord } from './merge.js'

export interface LiveOptions {
  readonly state: FormState
  readonly id: string
  readonly read: ((signal?: AbortSignal) => Promise<SavedRecord>) | undefined
  readonly onLatest: (latest: SavedRecord) => void
}

export interface Live {
  /** Saves the form by a call that answers the record. */
  readonly save: (update: () => Promise<Values>) => Promise<void>
  /** Reads the record again, after a change by this user. */
  readonly refresh: () => Promise<void>
  /** Changes by others while the record is shown. */
  readonly notice: ComponentChildren
}

/** Follows what others do with a record. */
export function useLive({ state, id, read, onLatest }: LiveOptions): Live {
  const session = useSession()
  const [live, step] = useReducer(nextLive, liveRecord(shownValues(state, state.record), state.etag))
  const latestRead = useRef<Promise<void>>(Promise.resolve())
  const saving = useRef<Promise<unknown> | undefined>(undefined)
  const saves = useRef(0)

  useChanges((change) => {
    if (!read || (change && (change.object !== state.metadata.name || change.row_id !== id))) return
    const login = typeof change?.['login'] === 'string' ? change['login'] : undefined
    const isOwn = login !== undefined && session.kind === 'in' && login === session.login
    const author = isOwn ? undefined : { login }
    look(author).catch((reason: unknown) => {
      if (RestClientError.is(reason) && reason.status === 404) step({ kind: 'gone', author: author ?? { login } })
    })
  })

  /** Reads are one after the other, so that the record never goes back to what it was. */
  function look(author?: Author): Promise<void> {
    const reading = latestRead.current.then(() => readOnce(author))
    latestRead.current = reading.catch(() => undefined)
    return reading
  }

  /** A read beside a save may have the record of before: it is repeated. */
  async function readOnce(author?: Author): Promise<void> {
    if (!read) return
    await saving.current
    const before = saves.current
    const latest = await read()
    if (saves.current !== before) return readOnce(author)
    step({ kind: 'read', record: shownValues(latest, latest.record), etag: latest.etag, author })
    onLatest(latest)
  }

  async function save(update: () => Promise<Values>): Promise<void> {
    saves.current++
    const answer = update()
    saving.current = answer.catch(() => undefined)
    step({ kind: 'saved', record: shownValues(state, await answer) })
  }

  const fields = shownFields(state)
    .filter(({ name }) => live.theirs.has(name))
    .map((field) => labelOf(field, state.metadata))

  return {
    save,
    refresh: () => look(),
    notice: (live.isGone || fields.length > 0) && (
      <Notice
        tone={live.isGone ? 'bad' : 'warn'}
        title={t(live.isGone ? 'live.deleted' : 'live.changed', { login: live.last?.login ?? t('live.someone') })}
        action={
          !live.isGone && (
            <Button small onClick={() => step({ kind: 'closed' })}>
              {t('button.close')}
            </Button>
          )
        }
      >
        <p>
          {live.isGone
            ? t('live.deletedText')
            : t(state.etag === live.etag ? 'live.changedText' : 'live.bothText', { fields: fields.join(', ') })}
        </p>
      </Notice>
    ),
  }
}

function shownFields({ metadata }: Pick<SavedRecord, 'metadata'>): FieldMetadata[] {
  return metadata.fields.filter(({ ref, visible }) => ref === null && visible)
}

/** The values that the page shows as the record's own: joined ones change with other records. */
function shownValues(of: Pick<SavedRecord, 'metadata'>, record: Values): Values {
  return Object.fromEntries(shownFields(of).map(({ name }) => [name, record[name]]))
}
