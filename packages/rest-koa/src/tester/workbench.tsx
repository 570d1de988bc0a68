import { formatBytes, formatNumber } from '@steward/page-kit/format'
import { isPaletteKey } from '@steward/page-kit/keys'
import { Preferences } from '@steward/page-kit/preferences'
import { Button } from '@steward/page-kit/button'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { draftOf, hashOf } from './address.js'
import { AnswerView } from './answer-view.js'
import type { Mistakes } from './body-form.js'
import { Brand } from './brand.js'
import { buildRequest } from './build-request.js'
import { summaryOf } from './content.js'
import { emptyDraft, withObject } from './draft.js'
import type { ChangeDraft, Draft } from './draft.js'
import type { Suggestion } from './controls.js'
import { copiesOf } from './copy-as.js'
import { History } from './history.js'
import type { HistoryEntry } from './history.js'
import { t } from './i18n.js'
import { keepHistory, restoreHistory } from './kept-history.js'
import { shownOf } from './metadata.js'
import { draftOfLead, ObjectTree } from './object-tree.js'
import { hasLevel } from './operations.js'
import { RequestPalette } from './request-palette.js'
import { RequestForm } from './request-form.js'
import { RequestLine } from './request-line.js'
import type { Session } from './session.js'
import type { Settings } from './settings.js'
import { recordsOf, rowOf } from './table-view.js'
import { useExchange } from './use-exchange.js'
import type { ExchangeState } from './use-exchange.js'
import { useMetadata, useObjects } from './use-service.js'

/** Requests that the history keeps. */
const mostEntries = 20

/** Row ids that are offered. */
const mostRows = 200

export function Workbench(props: { settings: Settings; session: Session; onSignOut: () => void }) {
  const { settings, session, onSignOut } = props
  const { level } = settings
  const atFirst = (): Draft => ({ ...emptyDraft, operation: hasLevel(level, '4.0') ? 'page' : 'search' })
  const [draft, setDraft] = useState(() => draftOf(location.hash) ?? atFirst())
  const [sent, setSent] = useState<Draft>()
  /** The place in the history of the browser where we are is that of a request that was sent. */
  const wasSent = useRef(false)
  const [history, setHistory] = useState<readonly HistoryEntry[]>(restoreHistory)
  /** Records of the last list, to choose a row id from. */
  const [found, setFound] = useState<{ readonly object: string; readonly rows: readonly Suggestion[] }>()
  const [complaint, setComplaint] = useState('')
  const [announced, setAnnounced] = useState('')
  const [isSeeking, setSeeking] = useState(false)
  const exchange = useExchange(session)
  const objects = useObjects(settings, session)
  const metadata = useMetadata(settings, session, draft.object)
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => keepHistory(history), [history])
  // How the body is entered makes no difference.
  const isStale = sent !== undefined && hashOf({ ...sent, asForm: draft.asForm }) !== hashOf(draft)
  const request = buildRequest(shownOf(draft, metadata.value), settings)

  const change: ChangeDraft = (changes) => {
    setDraft((before) => ({ ...before, ...(typeof changes === 'function' ? changes(before) : changes) }))
    setComplaint('')
  }

  async function sendDraft(toSend: Draft): Promise<void> {
    const built = buildRequest(shownOf(toSend, metadata.value), settings)
    const [missing] = built.missing
    setComplaint(missing ? t(`missing.${missing}`) : '')
    if (missing) {
      form.current?.querySelector<HTMLElement>(`[name=${missing}]`)?.focus()
      return
    }
    setAnnounced(t('request.sending'))
    setSent(toSend)
    wasSent.current = true
    const done = await exchange.run(built)
    if (!done) return setAnnounced(t('request.noAnswer'))
    const { status, statusText, totalMs, bytes } = done.answer
    const summary = summaryOf(done.content)
    setAnnounced(`${status} ${statusText}. ${summary}. ${formatNumber(totalMs)} ms, ${formatBytes(bytes.length)}.`)
    const entry = {
      id: Date.now() + Math.random(),
      draft: toSend,
      method: built.method,
      url: built.url,
      status,
      totalMs,
    }
    setHistory((entries) => [entry, ...entries].slice(0, mostEntries))
    const records = done.content.failure ? undefined : recordsOf(done.content.json)
    if (records) setFound({ object: toSend.object, rows: records.slice(0, mostRows).map(rowOf) })
  }

  function sendOrCancel(): void {
    if (exchange.running) exchange.cancel()
    else void sendDraft(draft)
  }

  const onKey = useRef((_event: KeyboardEvent): void => {})
  onKey.current = (event) => {
    if (document.querySelector('dialog[open]')) return
    if (isPaletteKey(event)) setSeeking(true)
    else if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    else if (!exchange.running) void sendDraft(draft)
    event.preventDefault()
  }
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey.current(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])

  // A reload keeps what is in the form, and each request that was sent has a place in the history of the browser: as soon
  // as it is shown, before the browser has painted it.
  useLayoutEffect(() => {
    const hash = hashOf(draft)
    if (hash === location.hash) return
    if (wasSent.current) window.history.pushState(null, '', hash)
    else window.history.replaceState(null, '', hash)
    wasSent.current = false
  }, [draft])
  useEffect(() => {
    const restore = () => {
      wasSent.current = true
      change((before) => ({ ...(draftOf(location.hash) ?? atFirst()), body: before.body }))
    }
    addEventListener('popstate', restore)
    return () => removeEventListener('popstate', restore)
  }, [])

  /** Sends the request of a page that the answer leads to. */
  function follow(parameters: URLSearchParams): void {
    const cursor = parameters.get('_cursor')
    const next = { ...draft, page: parameters.get('_page') ?? draft.page, ...(cursor !== null && { cursor }) }
    setDraft(next)
    void sendDraft(next)
  }

  /** Brings a request into the form, and the focus with it. */
  function show(next: Parameters<ChangeDraft>[0]): void {
    change(next)
    // After the palette has closed, which gives the focus back.
    setTimeout(() => form.current?.querySelector<HTMLElement>('[name=operation]')?.focus())
  }

  function restore({ draft: earlier }: HistoryEntry): void {
    show({ ...emptyDraft, ...earlier })
  }

  function openRecord(object: string, rowId: string): void {
    show((before) => ({ ...withObject(before, object), operation: 'get', rowId }))
  }

  return (
    <>
      <a class="skip" href="#answer">
        {t('skip.answer')}
      </a>
      <header class="shell-head">
        <Brand title={settings.title} />
        <Button class="palette-button" icon="search" onClick={() => setSeeking(true)}>
          <span>{t('palette.label')}</span>
          <kbd>Ctrl K</kbd>
        </Button>
        <Preferences actor={session.kind === 'nobody' ? undefined : session.login} />
        <p class="who">
          <span class="quiet">{session.kind === 'nobody' ? t('signin.nobody') : session.login}</span>
          <Button small onClick={onSignOut}>
            {t(session.kind === 'nobody' ? 'signin.title' : 'signout')}
          </Button>
        </p>
      </header>
      <main class="bench">
        <ObjectTree
          objects={objects}
          draft={draft}
          load={{ settings, session }}
          onChoose={(lead) => change((before) => draftOfLead(before, lead))}
        />
        <form
          ref={form}
          class="card request"
          aria-label={t('request')}
          onSubmit={(event) => {
            event.preventDefault()
            if (!exchange.running) void sendDraft(draft)
          }}
        >
          <h2>{t('request')}</h2>
          <RequestForm
            draft={draft}
            change={change}
            level={level}
            objects={objects}
            metadata={metadata}
            rows={found?.object === draft.object ? found.rows : []}
            load={{ settings, session }}
            mistakes={isStale ? {} : mistakesOf(exchange)}
          />
          {/* Enter in a field sends, as in every form; the visible button is with the address. */}
          <button type="submit" hidden />
        </form>
        <div class="side">
          <RequestLine
            request={request}
            copies={copiesOf(request, draft, session, settings.rest)}
            running={exchange.running}
            complaint={complaint}
            label={t(`operation.${draft.operation}`)}
            onSend={sendOrCancel}
          />
          <section id="answer" class="card answer" aria-labelledby="answer-title" tabIndex={-1}>
            <h2 id="answer-title">{t('answer')}</h2>
            <AnswerView
              state={exchange}
              sent={sent}
              metadata={sent?.object === draft.object ? metadata.value : undefined}
              isStale={isStale}
              onFollow={follow}
              onTask={(task) => {
                const next: Draft = { ...draft, operation: 'task', task }
                setDraft(next)
                void sendDraft(next)
              }}
              onOpenRecord={openRecord}
              onSignOut={onSignOut}
            />
          </section>
        </div>
        <History entries={history} base={settings.rest} onRestore={restore} />
        <p role="status" class="hidden">
          {announced}
        </p>
      </main>
      {isSeeking && (
        <RequestPalette
          objects={objects.value ?? []}
          object={draft.object}
          metadata={metadata.value}
          level={level}
          history={history}
          base={settings.rest}
          onChoose={(lead) => show((before) => draftOfLead(before, lead))}
          onRestore={restore}
          onClose={() => setSeeking(false)}
        />
      )}
    </>
  )
}

/** Mistakes that the last answer lists; none while the next one is awaited. */
function mistakesOf({ running, exchange }: ExchangeState): Mistakes {
  const named = (running ? [] : (exchange?.content.failure?.messages ?? [])).filter(({ field }) => field)
  const byField = Object.groupBy(named, ({ field }) => field as string)
  return Object.fromEntries(
    Object.entries(byField).map(([field, messages = []]) => [field, messages.map(({ text }) => text).join(' ')]),
  )
}
