import { pivotOf } from '@steward/page-kit/pivot'
import { fileNameOf, formatBytes, linksOf, summaryOf, taskOf } from './content.js'
import type { Content } from './content.js'
import { DownloadLink } from './download-link.js'
import { HtmlView } from './html-view.js'
import { MarkdownView } from './markdown-view.js'
import { PivotChart, PivotView } from './pivot-view.js'
import { PictureView } from './picture-view.js'
import type { Answer } from './send.js'
import { statusClass } from './status.js'
import { recordsOf, TableView } from './table-view.js'
import { Tabs } from './tabs.js'
import type { Tab } from './tabs.js'
import type { ObjectMetadata } from '@steward/rest-core'
import type { Draft } from './draft.js'
import { TextView } from './text-view.js'
import { Tree } from './tree.js'
import type { Exchange, ExchangeState } from './use-exchange.js'

interface Actions {
  /** Asks for the page that a link of the answer leads to. */
  readonly onFollow: (parameters: URLSearchParams) => void
  readonly onOpenRecord: (object: string, rowId: string) => void
  /** Asks for the state of a background action. */
  readonly onTask: (id: string) => void
  readonly onSignOut: () => void
}

/** What the answer is for. */
interface Asked {
  readonly sent: Draft | undefined
  /** Metadata of the object that was asked for, if it is known. */
  readonly metadata: ObjectMetadata | undefined
  /** Something else is in the form by now. */
  readonly isStale: boolean
}

/** What came back, or why nothing did. */
export function AnswerView({ state, ...rest }: { state: ExchangeState } & Asked & Actions) {
  if (state.running)
    return (
      <p class="muted waiting">Waiting …{state.received > 0 && ` ${formatBytes(state.received)} received so far.`}</p>
    )
  if (state.problem) return <p class="problem">{state.problem}</p>
  if (!state.exchange) return <p class="muted">Nothing sent yet. Ctrl+Enter sends from anywhere on this page.</p>
  return <Received {...state.exchange} {...rest} />
}

function Received(props: Exchange & Asked & Actions) {
  const { answer, content, isStale, onFollow, onTask, onSignOut } = props
  const { status, statusText, totalMs, headMs, bytes, mime, cut } = answer
  const task = taskOf(answer)
  const { method, url } = answer.request
  return (
    <>
      <p class={`asked ${isStale ? 'stale' : ''}`}>
        <span class="method">{method}</span> <code>{decodeURI(new URL(url).pathname + new URL(url).search)}</code>
        {isStale && <span class="note">Answer to the previous request</span>}
      </p>
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
            Check progress
          </button>
        )}
        <PageLinks answer={answer} onFollow={onFollow} />
        {bytes.length > 0 && <DownloadLink bytes={bytes} mime={mime} name={fileNameOf(answer)} />}
      </div>
      <Tabs label="Answer as" tabs={tabsOf(props)} />
    </>
  )
}

function tabsOf({ answer, content, sent, metadata, onOpenRecord }: Exchange & Asked & Actions): Tab[] {
  const { kind, text, json } = content
  const views: Tab[] = []
  const records = content.failure ? undefined : recordsOf(json)
  const pivot = pivotOf(json)
  const object = sent?.object ?? ''
  if (pivot) views.push({ id: 'pivot', label: 'Pivot', show: () => <PivotView key={answer.totalMs} pivot={pivot} /> })
  if (pivot) views.push({ id: 'chart', label: 'Chart', show: () => <PivotChart key={answer.totalMs} pivot={pivot} /> })
  if (records)
    views.push({
      id: 'table',
      label: 'Table',
      show: () => (
        <TableView
          key={answer.totalMs}
          records={records}
          metadata={metadata}
          object={object}
          isSingle={!Array.isArray(json)}
          onOpen={onOpenRecord}
        />
      ),
    })
  const openHere = object === '' ? undefined : (rowId: string) => onOpenRecord(object, rowId)
  if (kind === 'json')
    views.push({
      id: 'tree',
      label: 'Tree',
      // A tree of another answer must not keep what was unfolded in this one.
      show: () => <Tree key={answer.totalMs} value={json} {...(openHere && { onOpenRecord: openHere })} />,
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
