import { useEffect, useRef, useState } from 'preact/hooks'
import { draftOf, hashOf } from './address.js'
import { AnswerView } from './answer-view.js'
import { buildRequest } from './build-request.js'
import { formatBytes, summaryOf } from './content.js'
import { emptyDraft, withObject } from './draft.js'
import type { ChangeDraft, Draft } from './draft.js'
import { copiesOf } from './copy-as.js'
import { History } from './history.js'
import type { HistoryEntry } from './history.js'
import { shownOf } from './metadata.js'
import { hasLevel, operationOf } from './operations.js'
import { RequestForm } from './request-form.js'
import { RequestLine } from './request-line.js'
import type { Session } from './session.js'
import type { Settings } from './settings.js'
import { useExchange } from './use-exchange.js'
import { useMetadata, useObjects } from './use-service.js'

/** Requests that the history keeps. */
const mostEntries = 20

/** What a missing part is called. */
const wanted = {
  object: 'Choose an object',
  row: 'Give the row id',
  key: 'Give the values of the key',
  words: 'Give words to look for',
  action: 'Choose an action',
  publication: 'Choose a publication',
  crosstab: 'Choose a pivot table',
  documentField: 'Choose a field',
  file: 'Choose a file',
  task: 'Give the id of the background action',
} as const

export function Workbench(props: { settings: Settings; session: Session; onSignOut: () => void }) {
  const { settings, session, onSignOut } = props
  const { level } = settings
  const atFirst = (): Draft => ({ ...emptyDraft, operation: hasLevel(level, '4.0') ? 'page' : 'search' })
  const [draft, setDraft] = useState(() => draftOf(location.hash) ?? atFirst())
  const [sent, setSent] = useState<Draft>()
  /** The place in the history of the browser where we are is that of a request that was sent. */
  const wasSent = useRef(false)
  const [history, setHistory] = useState<readonly HistoryEntry[]>([])
  const [complaint, setComplaint] = useState('')
  const [announced, setAnnounced] = useState('')
  const exchange = useExchange(session)
  const objects = useObjects(settings, session)
  const metadata = useMetadata(settings, session, draft.object)
  const form = useRef<HTMLFormElement>(null)
  const request = buildRequest(shownOf(draft, metadata.value), settings)

  const change: ChangeDraft = (changes) => {
    setDraft((before) => ({ ...before, ...(typeof changes === 'function' ? changes(before) : changes) }))
    setComplaint('')
  }

  async function sendDraft(toSend: Draft): Promise<void> {
    const built = buildRequest(shownOf(toSend, metadata.value), settings)
    const [missing] = built.missing
    if (missing) {
      setComplaint(`${wanted[missing]}.`)
      form.current?.querySelector<HTMLElement>(`[name=${missing}]`)?.focus()
      return
    }
    setAnnounced('Sending …')
    setSent(toSend)
    wasSent.current = true
    const done = await exchange.run(built)
    if (!done) return setAnnounced('No answer.')
    const { status, statusText, totalMs, bytes } = done.answer
    const summary = summaryOf(done.content)
    setAnnounced(`${status} ${statusText}. ${summary}. ${Math.round(totalMs)} ms, ${formatBytes(bytes.length)}.`)
    const entry = { id: Date.now() + Math.random(), draft: toSend, request: built, status, totalMs }
    setHistory((entries) => [entry, ...entries].slice(0, mostEntries))
  }

  function sendOrCancel(): void {
    if (exchange.running) exchange.cancel()
    else void sendDraft(draft)
  }

  const onKey = useRef((_event: KeyboardEvent): void => {})
  onKey.current = (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    if (!exchange.running) void sendDraft(draft)
  }
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey.current(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])

  // A reload keeps what is in the form, and each request that was sent has a place in the history of the browser.
  useEffect(() => {
    const hash = hashOf(draft)
    if (hash === location.hash) return
    if (wasSent.current) window.history.pushState(null, '', hash)
    else window.history.replaceState(null, '', hash)
    wasSent.current = false
  }, [draft])
  useEffect(() => {
    const restore = () => {
      wasSent.current = true
      setDraft((before) => ({ ...(draftOf(location.hash) ?? atFirst()), body: before.body }))
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

  function openRecord(object: string, rowId: string): void {
    setDraft((before) => ({ ...withObject(before, object), operation: 'get', rowId }))
    setComplaint('')
    form.current?.querySelector<HTMLElement>('[name=operation]')?.focus()
  }

  return (
    <>
      <a class="skip" href="#answer">
        Skip to the answer
      </a>
      <header class="top">
        <h1>{settings.title && <span>{settings.title}</span>} REST tester</h1>
        <p class="who">
          <span class="muted">{session.kind === 'nobody' ? 'Anonymous' : session.login}</span>
          <button type="button" onClick={onSignOut}>
            {session.kind === 'nobody' ? 'Sign in' : 'Sign out'}
          </button>
        </p>
      </header>
      <main class="bench">
        <form
          ref={form}
          class="card request"
          aria-label="Request"
          onSubmit={(event) => {
            event.preventDefault()
            if (!exchange.running) void sendDraft(draft)
          }}
        >
          <h2>Request</h2>
          <RequestForm
            draft={draft}
            change={change}
            level={level}
            objects={objects}
            metadata={metadata}
            load={{ settings, session }}
          />
          {/* Enter in a field sends, as in every form; the visible button is with the address. */}
          <button type="submit" class="hidden" tabIndex={-1} aria-hidden="true" />
        </form>
        <div class="side">
          <RequestLine
            request={request}
            copies={copiesOf(request, draft, session, settings.rest)}
            running={exchange.running}
            complaint={complaint}
            label={operationOf(draft.operation).label}
            onSend={sendOrCancel}
          />
          <section id="answer" class="card answer" aria-labelledby="answer-title" tabIndex={-1}>
            <h2 id="answer-title">Answer</h2>
            <AnswerView
              state={exchange}
              sent={sent}
              metadata={sent?.object === draft.object ? metadata.value : undefined}
              isStale={sent !== undefined && hashOf(sent) !== hashOf(draft)}
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
        <History
          entries={history}
          base={settings.rest}
          onRestore={(entry) => {
            setDraft(entry.draft)
            setComplaint('')
            form.current?.querySelector<HTMLElement>('[name=operation]')?.focus()
          }}
        />
        <p role="status" class="visually-hidden">
          {announced}
        </p>
      </main>
    </>
  )
}
