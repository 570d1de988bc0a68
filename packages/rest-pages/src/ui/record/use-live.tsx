import { Button, Notice } from '@steward/page-kit'
import { RestClientError } from '@steward/rest-client'
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { useChanges } from '../lib/changes.js'
import { t } from '../lib/i18n.js'
import { labelOf } from '../lib/service.js'
import { useSession } from '../lib/session.js'
import { isSame } from './draft.js'
import type { FormState, SavedRecord } from './merge.js'

export interface LiveOptions {
  readonly state: FormState
  readonly id: string
  readonly read: ((signal?: AbortSignal) => Promise<SavedRecord>) | undefined
  readonly onLatest: (latest: SavedRecord) => void
}

export interface Live {
  /** Reads the record once more. */
  readonly refresh: () => Promise<void>
  /** What others did with it while it is shown. */
  readonly notice: ComponentChildren
}

interface News {
  readonly isGone: boolean
  /** Who did it, as far as the user may know. */
  readonly login: string | undefined
  /** Labels of fields that are others now. */
  readonly fields: readonly string[]
}

/** Follows what others do with a record. */
export function useLive({ state, id, read, onLatest }: LiveOptions): Live {
  const session = useSession()
  const [news, setNews] = useState<News>()
  const shown = useRef(state)
  shown.current = state
  const known = useRef(state.etag)
  /** What was taken because this user changed the record; another one may have changed it before it was read. */
  const quiet = useRef<{ readonly etag: string; readonly fields: readonly string[] } | undefined>(undefined)

  useChanges((change) => {
    if (!read || (change && (change.object !== state.metadata.name || change.row_id !== id))) return
    void look(typeof change?.['login'] === 'string' ? change['login'] : undefined)
  })

  async function look(login: string | undefined): Promise<void> {
    try {
      const latest = await read?.()
      if (!latest) return
      const isOwn = login !== undefined && session.kind === 'in' && login === session.login
      const isTaken = latest.etag === known.current
      const fields = !isTaken ? labels(latest) : quiet.current?.etag === latest.etag ? quiet.current.fields : []
      if (!isOwn && (!isTaken || fields.length > 0)) setNews({ isGone: false, login, fields })
      if (!isTaken) take(latest)
      quiet.current = isOwn ? { etag: latest.etag, fields } : undefined
    } catch (reason) {
      if (RestClientError.is(reason) && reason.status === 404) setNews({ isGone: true, login, fields: [] })
    }
  }

  /** Labels of fields whose value is another one than the form shows. */
  function labels({ metadata, record }: SavedRecord): readonly string[] {
    const before = shown.current.record
    return metadata.fields
      .filter(({ ref, visible, name }) => ref === null && visible && !isSame(before[name], record[name]))
      .map((field) => labelOf(field, metadata))
  }

  function take(latest: SavedRecord): void {
    known.current = latest.etag
    onLatest(latest)
  }

  async function refresh(): Promise<void> {
    if (!read) return
    const latest = await read()
    quiet.current = { etag: latest.etag, fields: labels(latest) }
    take(latest)
  }

  return {
    refresh,
    notice: news && (
      <Notice
        tone={news.isGone ? 'bad' : 'warn'}
        title={t(news.isGone ? 'live.deleted' : 'live.changed', { login: news.login ?? t('live.someone') })}
        action={
          !news.isGone && (
            <Button small onClick={() => setNews(undefined)}>
              {t('button.close')}
            </Button>
          )
        }
      >
        <p>
          {news.isGone
            ? t('live.deletedText')
            : t(state.etag === known.current ? 'live.changedText' : 'live.bothText', {
                fields: news.fields.join(', '),
              })}
        </p>
      </Notice>
    ),
  }
}
