import { useLocation } from 'preact-iso'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Button, ButtonLink, formatExact, formatNumber, locale } from '@steward/page-kit'
import { CopyButton } from '../../components/copy-button.js'
import { FailureNotice } from '../../components/failure-notice.js'
import { apiAddress, pathTo } from '../../lib/addresses.js'
import { t } from '../../lib/i18n.js'
import { leastLevel, lineLevels, type LineLevel } from '../../lib/log-line.js'
import { useActionTable, useSession } from '../../lib/session.js'
import { useLog, type LogLine } from '../../lib/use-log.js'
import '../../styles/log.css'
import type { TabProps } from './tab.js'

/** Those that are offered also when there are no such lines. */
const usualLevels: ReadonlySet<LineLevel> = new Set(['error', 'warn', 'info'])

/**
 * The log as it is written. Lines are told apart by level, searched, and opened for the rest of what they say. It follows
 * its end until the user scrolls up; then what is shown stays, and new lines wait.
 */
export function LogsTab({ item: { name } }: TabProps) {
  const { query } = useLocation()
  const linked = useRef(Date.parse(query['at'] ?? ''))
  const [isSeeking, setSeeking] = useState(!Number.isNaN(linked.current))
  const [isFollowing, setFollowing] = useState(!isSeeking)
  const [isWrapped, setWrapped] = useState(true)
  const [levels, setLevels] = useState<ReadonlySet<LineLevel>>(new Set())
  const [search, setSearch] = useState('')
  const [hit, setHit] = useState(0)
  const asked = leastLevel(levels)
  const { lines, stream, failure, waiting } = useLog(name, !isFollowing && !isSeeking, asked)
  const { isAllowed } = useActionTable()
  const session = useSession()
  const wanted = search.trim().toLowerCase()
  const shown = useMemo(
    () => (levels.size === 0 ? lines : lines.filter(({ level }) => levels.has(level))),
    [lines, levels],
  )
  // The newest one first: it is the nearest to where the log is read.
  const hits = useMemo(
    () => (wanted === '' ? [] : shown.filter(({ searched }) => searched.includes(wanted)).toReversed()),
    [shown, wanted],
  )
  const at = hits.length === 0 ? 0 : Math.min(hit, hits.length - 1)
  const link = Number.isNaN(linked.current) ? undefined : lines.find(({ time }) => time === linked.current)
  useEffect(() => {
    if (link) setSeeking(false)
  }, [link])
  const current = wanted === '' ? link?.id : hits[at]?.id
  const step = (by: number) => hits.length > 0 && setHit((at + by + hits.length) % hits.length)

  return (
    <div class="tab-parts">
      <div class="tab-bar log-bar">
        <div class="log-search">
          <label class="field">
            <span>{t('logs.search')}</span>
            <input
              type="search"
              value={search}
              spellcheck={false}
              onInput={({ currentTarget }) => {
                setHit(0)
                setSearch(currentTarget.value)
              }}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return
                event.preventDefault()
                step(event.shiftKey ? -1 : 1)
              }}
            />
          </label>
          <Button icon="up" label={t('logs.older')} disabled={hits.length === 0} onClick={() => step(1)} />
          <Button icon="down" label={t('logs.newer')} disabled={hits.length === 0} onClick={() => step(-1)} />
        </div>
        <span class="part-buttons">
          <Button aria-pressed={isWrapped} onClick={() => setWrapped(!isWrapped)}>
            {t('logs.wrap')}
          </Button>
          {isAllowed('download') && session?.features.download !== false && (
            <ButtonLink href={apiAddress('download', { name, param: 'logs' })} download target="_blank">
              {t('logs.download')}
            </ButtonLink>
          )}
        </span>
      </div>
      <Levels lines={lines} levels={levels} isPart={asked !== undefined} onLevels={setLevels} />
      {failure && <FailureNotice failure={failure} />}
      <p class="log-state quiet" role="status">
        {stream === 'live' && isFollowing && <span class="log-live" aria-hidden="true" />}
        {t(isFollowing ? `logs.${stream}` : 'logs.paused')}
        {' · '}
        {wanted === ''
          ? t('logs.lines', { count: shown.length })
          : hits.length === 0
            ? t('logs.notFound')
            : t('logs.hit', { at: formatNumber(at + 1), count: hits.length })}
      </p>
      {lines.length > 0 && isSeeking && !link && (
        <p class="notice warn" role="status">
          {t('logs.gone')}
        </p>
      )}
      <Lines
        key={asked}
        lines={shown}
        isWrapped={isWrapped}
        wanted={wanted}
        current={current}
        linked={wanted === '' ? link?.id : undefined}
        name={name}
        waiting={waiting}
        isFollowing={isFollowing}
        onFollow={setFollowing}
      />
    </div>
  )
}

interface LevelsProps {
  readonly lines: readonly LogLine[]
  /** Empty: all. */
  readonly levels: ReadonlySet<LineLevel>
  /** Lines of other levels were not asked for. */
  readonly isPart: boolean
  readonly onLevels: (levels: ReadonlySet<LineLevel>) => void
}

/** How many lines there are of each level, to choose from. */
function Levels({ lines, levels, isPart, onLevels }: LevelsProps) {
  const counts = useMemo(() => {
    const all = new Map<LineLevel, number>()
    for (const { level } of lines) all.set(level, (all.get(level) ?? 0) + 1)
    return all
  }, [lines])
  const toggle = (level: LineLevel) => {
    const next = new Set(levels)
    if (!next.delete(level)) next.add(level)
    onLevels(next)
  }
  return (
    <div class="log-levels" role="group" aria-label={t('logs.levels')}>
      {lineLevels
        .filter((level) => usualLevels.has(level) || counts.has(level) || levels.has(level))
        .map((level) => (
          <button
            key={level}
            type="button"
            class={`chip ${level}`}
            aria-pressed={levels.has(level)}
            onClick={() => toggle(level)}
          >
            {t(`logs.level.${level}`)}
            {(!isPart || levels.has(level)) && <strong>{formatNumber(counts.get(level) ?? 0)}</strong>}
          </button>
        ))}
    </div>
  )
}

interface LinesProps {
  readonly lines: readonly LogLine[]
  readonly isWrapped: boolean
  /** In lower case; empty: none. */
  readonly wanted: string
  /** Id of the line that is looked at. */
  readonly current: number | undefined
  /** Id of the line that the address names: it is open. */
  readonly linked: number | undefined
  readonly name: string
  /** How many new lines are not shown. */
  readonly waiting: number
  readonly isFollowing: boolean
  readonly onFollow: (isFollowing: boolean) => void
}

function Lines(props: LinesProps) {
  const { lines, isWrapped, wanted, current, linked, name, waiting, isFollowing, onFollow } = props
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (element.current && isFollowing) element.current.scrollTop = element.current.scrollHeight
  }, [lines, isWrapped, isFollowing])
  useEffect(() => {
    const log = element.current
    const line = current === undefined ? null : log?.querySelector<HTMLElement>(`[data-line="${current}"]`)
    // Not scrollIntoView, which would move the page, too.
    if (log && line) log.scrollTop = line.offsetTop - log.clientHeight / 2
  }, [current])
  return (
    <div class="log-frame">
      <div
        ref={element}
        class={`log ${isWrapped ? 'wrapped' : ''}`}
        role="log"
        aria-live="off"
        aria-label={t('logs.of', { name })}
        tabIndex={0}
        onKeyDown={moveFocus}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) =>
          onFollow(scrollHeight - scrollTop - clientHeight < 40)
        }
      >
        {lines.length === 0 ? (
          <p class="quiet">{t('logs.empty')}</p>
        ) : (
          lines.map((line, n) => (
            <Line
              key={line.id}
              line={line}
              name={name}
              day={dayBetween(lines[n - 1], line)}
              wanted={line.searched.includes(wanted) ? wanted : ''}
              isCurrent={line.id === current}
              isLinked={line.id === linked}
            />
          ))
        )}
      </div>
      {!isFollowing && (
        <Button class="log-follow" small icon="down" onClick={() => onFollow(true)}>
          {waiting === 0 ? t('logs.follow') : t('logs.followNew', { count: waiting })}
        </Button>
      )}
    </div>
  )
}

/** Arrow keys go from line to line, of which Enter shows the rest. */
function moveFocus(event: KeyboardEvent): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (by === undefined) return
  const all = [...(event.currentTarget as HTMLElement).querySelectorAll('summary')]
  const at = all.indexOf(event.target as HTMLElement)
  const next = at < 0 ? all.at(by > 0 ? 0 : -1) : all[at + by]
  if (!next) return
  event.preventDefault()
  next.focus()
}

const dayOf = new Intl.DateTimeFormat(locale, { dateStyle: 'full' })

/** The day of a line that is another one than that of the line before it; else empty. */
function dayBetween(before: LogLine | undefined, { time }: LogLine): string {
  if (time === undefined || before?.time === undefined) return ''
  const day = dayOf.format(time)
  return dayOf.format(before.time) === day ? '' : day
}

interface LineProps {
  readonly line: LogLine
  readonly name: string
  /** When another day begins with it. */
  readonly day: string
  /** In lower case; empty: it is not found. */
  readonly wanted: string
  readonly isCurrent: boolean
  readonly isLinked: boolean
}

/** Drawn again only when something of it is different: a log has thousands. */
function Line({ line, name, day, wanted, isCurrent, isLinked }: LineProps) {
  const [isOpen, setOpen] = useState(isLinked)
  const element = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const [one, log] = [element.current, element.current?.parentElement]
    if (isOpen && one && log)
      log.scrollTop = Math.max(log.scrollTop, one.offsetTop + one.offsetHeight - log.clientHeight)
  }, [isOpen])
  return useMemo(
    () => (
      <>
        {day !== '' && <p class="log-day">{day}</p>}
        <details
          ref={element}
          class={`log-line ${line.level} ${isCurrent ? 'current' : ''}`}
          data-line={line.id}
          open={isOpen}
          onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
        >
          <summary
            tabIndex={-1}
            // A user who selects a text does not want to open it.
            onClick={(event) => getSelection()?.type === 'Range' && event.preventDefault()}
          >
            {line.clock !== '' && <span class="log-time">{line.clock}</span>}
            {line.level !== 'other' && <span class="log-level">{line.level}</span>}
            <span class="log-text">{wanted === '' ? line.message || ' ' : marked(line.message, wanted)}</span>
          </summary>
          {isOpen && <Rest line={line} name={name} wanted={wanted} />}
        </details>
      </>
    ),
    [line, name, day, wanted, isCurrent, isOpen],
  )
}

function Rest({ line, name, wanted }: Pick<LineProps, 'line' | 'name' | 'wanted'>) {
  const { time, fields, details } = line
  return (
    <div class="log-rest">
      {fields.length > 0 && (
        <dl>
          {fields.map(([key, value]) => (
            <div key={key}>
              <dt>{key}</dt>
              <dd>{wanted === '' ? value : marked(value, wanted)}</dd>
            </div>
          ))}
        </dl>
      )}
      {details.map((detail) => (
        <div key={detail}>{detail}</div>
      ))}
      {time !== undefined && (
        <p class="log-link">
          <span>{formatExact(new Date(time).toISOString())}</span>
          <span>{t('logs.link')}</span>
          <CopyButton
            value={`${location.origin}${pathTo('instances', name, 'logs')}?at=${new Date(time).toISOString()}`}
            of={t('logs.link')}
          />
        </p>
      )}
    </div>
  )
}

/** What was found stands out. */
function marked(text: string, wanted: string) {
  const parts = []
  const lower = text.toLowerCase()
  let from = 0
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), <mark>{text.slice(at, at + wanted.length)}</mark>)
    from = at + wanted.length
  }
  return [...parts, text.slice(from)]
}
