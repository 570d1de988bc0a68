import { fileNameOf, formatBytes, linksOf, summaryOf, taskOf } from './content.js'
import type { Content } from './content.js'
import { DownloadLink } from './download-link.js'
import { HtmlView } from './html-view.js'
import { MarkdownView } from './markdown-view.js'
import { PictureView } from './picture-view.js'
import type { Answer } from './send.js'
import { statusClass } from './status.js'
import { Tabs } from './tabs.js'
import type { Tab } from './tabs.js'
import { TextView } from './text-view.js'
import { Tree } from './tree.js'
import type { Exchange, ExchangeState } from './use-exchange.js'

interface Actions {
  /** Asks for the page that a link of the answer leads to. */
  readonly onFollow: (parameters: URLSearchParams) => void
  readonly onOpenRecord?: (rowId: string) => void
  /** Asks for the state of a background action. */
  readonly onTask: (id: string) => void
  readonly onSignOut: () => void
}

/** What came back, or why nothing did. */
export function AnswerView({ state, ...actions }: { state: ExchangeState } & Actions) {
  if (state.running)
    return (
      <p class="muted waiting">Waiting …{state.received > 0 && ` ${formatBytes(state.received)} received so far.`}</p>
    )
  if (state.problem) return <p class="problem">{state.problem}</p>
  if (!state.exchange) return <p class="muted">Nothing sent yet. Ctrl+Enter sends from anywhere on this page.</p>
  return <Received {...state.exchange} {...actions} />
}

function Received({ answer, content, onFollow, onTask, onOpenRecord, onSignOut }: Exchange & Actions) {
  const { status, statusText, totalMs, headMs, bytes, mime, cut } = answer
  const task = taskOf(answer)
  return (
    <>
      <dl class="facts">
        <div>
          <dt>Status</dt>
          <dd class={`status ${statusClass(status)}`}>
            {status} {statusText}
          </dd>
        </div>
        <div>
          <dt>Time</dt>
          <dd title={`First byte after ${Math.round(headMs)} ms`}>{Math.round(totalMs)} ms</dd>
        </div>
        <div>
          <dt>Size</dt>
          <dd title={`${bytes.length.toLocaleString('en')} bytes`}>{formatBytes(bytes.length)}</dd>
        </div>
        {mime && (
          <div>
            <dt>Type</dt>
            <dd>{mime}</dd>
          </div>
        )}
        {!content.failure && summaryOf(content) && (
          <div>
            <dt>Content</dt>
            <dd>{summaryOf(content)}</dd>
          </div>
        )}
      </dl>
      {cut && <p class="note">The answer is longer than {formatBytes(bytes.length)}; the rest was not awaited.</p>}
      {content.failure && <Failure content={content} status={status} onSignOut={onSignOut} />}
      <div class="tools">
        {task !== undefined && (
          <button type="button" class="small" onClick={() => onTask(task)}>
            How far is it?
          </button>
        )}
        <PageLinks answer={answer} onFollow={onFollow} />
        {bytes.length > 0 && <DownloadLink bytes={bytes} mime={mime} name={fileNameOf(answer)} />}
      </div>
      <Tabs label="Answer as" tabs={tabsOf(answer, content, onOpenRecord)} />
    </>
  )
}

function tabsOf(answer: Answer, content: Content, onOpenRecord: Actions['onOpenRecord']): Tab[] {
  const { kind, text, json } = content
  const views: Tab[] = []
  if (kind === 'json')
    views.push({
      id: 'tree',
      label: 'Tree',
      // A tree of another answer must not keep what was unfolded in this one.
      show: () => <Tree key={answer.totalMs} value={json} {...(onOpenRecord && { onOpenRecord })} />,
    })
  if (kind === 'html') views.push({ id: 'html', label: 'Rendered', show: () => <HtmlView html={text} /> })
  if (kind === 'markdown')
    views.push({ id: 'markdown', label: 'Rendered', show: () => <MarkdownView markdown={text} /> })
  if (kind === 'picture')
    views.push({ id: 'picture', label: 'Picture', show: () => <PictureView bytes={answer.bytes} mime={answer.mime} /> })
  if (text !== '') views.push({ id: 'text', label: 'Text', show: () => <TextView key={answer.totalMs} text={text} /> })
  return [...views, { id: 'headers', label: 'Headers', show: () => <Headers headers={answer.headers} /> }]
}

function Failure(props: { content: Content; status: number; onSignOut: () => void }) {
  const { error, code, messages } = props.content.failure ?? { error: '', code: '', messages: [] }
  return (
    <div class="failure">
      <p>
        <strong>{error}</strong> <code>{code}</code>
      </p>
      {messages.length > 0 && (
        <ul>
          {messages.map((message, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- messages have no identity
            <li key={at}>
              {message.field && <code>{message.field}</code>} {message.text} <code class="muted">{message.code}</code>
            </li>
          ))}
        </ul>
      )}
      {props.status === 401 && (
        <button type="button" class="small" onClick={props.onSignOut}>
          Sign in again
        </button>
      )}
    </div>
  )
}

const relations = { first: 'First page', prev: 'Previous page', next: 'Next page', last: 'Last page' } as const

function PageLinks({ answer, onFollow }: { answer: Answer; onFollow: Actions['onFollow'] }) {
  const links = linksOf(answer)
  const here = new URL(answer.request.url).searchParams.get('_page')
  // The first page leads to itself, too.
  const others = Object.entries(relations).filter(
    ([relation]) => links.has(relation) && links.get(relation)?.get('_page') !== here,
  )
  if (others.length === 0) return null
  return (
    <nav class="tools" aria-label="Pages">
      {others.map(([relation, label]) => {
        const parameters = links.get(relation)
        return (
          parameters && (
            <button key={relation} type="button" class="small" onClick={() => onFollow(parameters)}>
              {label}
            </button>
          )
        )
      })}
    </nav>
  )
}

function Headers({ headers }: Pick<Answer, 'headers'>) {
  return (
    <dl class="headers">
      {headers.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
