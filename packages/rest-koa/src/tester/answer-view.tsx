import { formatBytes, formatNumber } from '@steward/page-kit/format'
import { Button } from '@steward/page-kit/button'
import { pivotOf } from '@steward/page-kit/pivot'
import { HtmlView, MarkdownView, PictureView, TextView } from '@steward/page-kit/viewers'
import { CopyButton } from './copy-button.js'
import { t } from './i18n.js'
import { fileNameOf, linksOf, summaryOf, taskOf } from './content.js'
import type { Content } from './content.js'
import { DownloadLink } from './download-link.js'
import { PivotChart, PivotView } from './pivot-view.js'
import type { Answer } from './send.js'
import { statusClass } from './status.js'
import { recordsOf, TableView } from './table-view.js'
import { Tabs } from './tabs.js'
import type { Tab } from './tabs.js'
import type { ObjectMetadata } from '@steward/rest-core'
import type { Draft } from './draft.js'
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
      <p class="quiet waiting">
        {t('answer.waiting')}
        {state.received > 0 && ` ${t('answer.received', { size: formatBytes(state.received) })}`}
      </p>
    )
  if (state.problem) return <p class="problem">{state.problem}</p>
  if (!state.exchange) return <p class="quiet">{t('answer.nothing')}</p>
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
        {isStale && <span class="note">{t('answer.previous')}</span>}
      </p>
      <dl class="facts">
        <div>
          <dt>{t('answer.status')}</dt>
          <dd class={`status ${statusClass(status)}`}>
            {status} {statusText}
          </dd>
        </div>
        <div>
          <dt>{t('answer.time')}</dt>
          <dd title={t('answer.firstByte', { count: Math.round(headMs) })}>{formatNumber(totalMs)} ms</dd>
        </div>
        <div>
          <dt>{t('answer.size')}</dt>
          <dd title={t('answer.bytes', { count: bytes.length })}>{formatBytes(bytes.length)}</dd>
        </div>
        {mime && (
          <div>
            <dt>{t('answer.type')}</dt>
            <dd>{mime}</dd>
          </div>
        )}
        {!content.failure && summaryOf(content) && (
          <div>
            <dt>{t('answer.content')}</dt>
            <dd>{summaryOf(content)}</dd>
          </div>
        )}
      </dl>
      {cut && <p class="note">{t('answer.cut', { size: formatBytes(bytes.length) })}</p>}
      {content.failure && <Failure content={content} status={status} onSignOut={onSignOut} />}
      <div class="tools">
        {task !== undefined && (
          <Button small onClick={() => onTask(task)}>
            {t('answer.progress')}
          </Button>
        )}
        <PageLinks answer={answer} onFollow={onFollow} />
        {bytes.length > 0 && <DownloadLink bytes={bytes} mime={mime} name={fileNameOf(answer)} />}
      </div>
      <Tabs label={t('answer.as')} tabs={tabsOf(props)} />
    </>
  )
}

function tabsOf({ answer, content, sent, metadata, onOpenRecord }: Exchange & Asked & Actions): Tab[] {
  const { kind, text, json } = content
  const views: Tab[] = []
  const records = content.failure ? undefined : recordsOf(json)
  const pivot = pivotOf(json)
  const object = sent?.object ?? ''
  if (pivot)
    views.push({ id: 'pivot', label: t('answer.pivot'), show: () => <PivotView key={answer.totalMs} pivot={pivot} /> })
  if (pivot)
    views.push({ id: 'chart', label: t('answer.chart'), show: () => <PivotChart key={answer.totalMs} pivot={pivot} /> })
  if (records)
    views.push({
      id: 'table',
      label: t('answer.table'),
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
      label: t('answer.tree'),
      // A tree of another answer must not keep what was unfolded in this one.
      show: () => <Tree key={answer.totalMs} value={json} {...(openHere && { onOpenRecord: openHere })} />,
    })
  if (kind === 'html')
    views.push({
      id: 'html',
      label: t('answer.rendered'),
      show: () => <HtmlView html={text} title={t('answer.asPage')} />,
    })
  if (kind === 'markdown')
    views.push({
      id: 'markdown',
      label: t('answer.rendered'),
      show: () => <MarkdownView markdown={text} table={t('answer.table')} />,
    })
  if (kind === 'picture')
    views.push({
      id: 'picture',
      label: t('answer.picture'),
      show: () => (
        <PictureView
          bytes={answer.bytes}
          mime={answer.mime}
          alt={t('answer.asPicture')}
          failed={t('answer.noPicture')}
        />
      ),
    })
  if (text !== '')
    views.push({
      id: 'text',
      label: t('answer.text'),
      show: () => (
        <TextView
          key={answer.totalMs}
          text={text}
          label={t('answer.asText')}
          more={(left) => t('answer.more', { count: left })}
        >
          <CopyButton text={text} label={t('answer.copyText')} />
        </TextView>
      ),
    })
  return [...views, { id: 'headers', label: t('answer.headers'), show: () => <Headers headers={answer.headers} /> }]
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
              {message.field && <code>{message.field}</code>} {message.text} <code class="quiet">{message.code}</code>
            </li>
          ))}
        </ul>
      )}
      {props.status === 401 && (
        <Button small onClick={props.onSignOut}>
          {t('signin.again')}
        </Button>
      )}
    </div>
  )
}

const relations = ['first', 'prev', 'next', 'last'] as const

function PageLinks({ answer, onFollow }: { answer: Answer; onFollow: Actions['onFollow'] }) {
  const links = linksOf(answer)
  const here = new URL(answer.request.url).searchParams.get('_page')
  // The first page leads to itself, too.
  const others = relations.filter((relation) => links.has(relation) && links.get(relation)?.get('_page') !== here)
  if (others.length === 0) return null
  return (
    <nav class="tools" aria-label={t('answer.pages')}>
      {others.map((relation) => {
        const parameters = links.get(relation)
        return (
          parameters && (
            <Button key={relation} small onClick={() => onFollow(parameters)}>
              {t(`answer.${relation}`)}
            </Button>
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
