import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, ButtonLink, formatNumber } from '@steward/page-kit'
import { FailureNotice } from '../../components/failure-notice.js'
import { apiAddress } from '../../lib/addresses.js'
import { t } from '../../lib/i18n.js'
import { useActionTable, useSession } from '../../lib/session.js'
import { offeredLevels, type OfferedLevel } from '../../lib/log-line.js'
import { useLog, type LogLine } from '../../lib/use-log.js'
import '../../styles/log.css'
import type { TabProps } from './tab.js'

/** The log as it is written: it can be paused, searched and wrapped. */
export function LogsTab({ item: { name } }: TabProps) {
  const [isPaused, setPaused] = useState(false)
  const [isWrapped, setWrapped] = useState(true)
  const [search, setSearch] = useState('')
  const [level, setLevel] = useState<OfferedLevel>()
  const { lines, stream, failure, waiting } = useLog(name, isPaused, level)
  const { isAllowed } = useActionTable()
  const session = useSession()
  const wanted = search.toLowerCase()
  const shown = wanted === '' ? lines : lines.filter(({ text }) => text.toLowerCase().includes(wanted))
  return (
    <div class="tab-parts">
      <div class="tab-bar">
        <label class="field log-search">
          <span>{t('logs.search')}</span>
          <input
            type="search"
            value={search}
            spellcheck={false}
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          />
        </label>
        <label class="field log-level">
          <span>{t('logs.level')}</span>
          <select
            value={level ?? ''}
            onChange={({ currentTarget }) => setLevel((currentTarget.value || undefined) as OfferedLevel | undefined)}
          >
            <option value="">{t('logs.level.all')}</option>
            {offeredLevels.map((one) => (
              <option key={one} value={one}>
                {t(`logs.level.${one}`)}
              </option>
            ))}
          </select>
        </label>
        <span class="part-buttons">
          <Button aria-pressed={isPaused} icon={isPaused ? 'start' : undefined} onClick={() => setPaused(!isPaused)}>
            {isPaused ? t('logs.continue', { count: waiting }) : t('logs.pause')}
          </Button>
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
      {failure && <FailureNotice failure={failure} />}
      <p class="log-state quiet" role="status">
        {stream === 'live' && !isPaused && <span class="log-live" aria-hidden="true" />}
        {t(isPaused ? 'logs.paused' : `logs.${stream}`)}
        {' · '}
        {wanted === ''
          ? t('logs.lines', { count: lines.length })
          : t('logs.found', { count: shown.length, all: formatNumber(lines.length) })}
      </p>
      <Lines lines={shown} isWrapped={isWrapped} wanted={wanted} name={name} />
    </div>
  )
}

interface LinesProps {
  readonly lines: readonly LogLine[]
  readonly isWrapped: boolean
  /** In lower case; empty: none. */
  readonly wanted: string
  readonly name: string
}

/** It stays at its end while the end is in sight. */
function Lines({ lines, isWrapped, wanted, name }: LinesProps) {
  const element = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  useEffect(() => {
    if (element.current && isAtEnd.current) element.current.scrollTop = element.current.scrollHeight
  }, [lines, isWrapped])
  return (
    <div
      ref={element}
      class={`log ${isWrapped ? 'wrapped' : ''}`}
      role="log"
      aria-live="off"
      aria-label={t('logs.of', { name })}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40
      }}
    >
      {lines.length === 0 ? (
        <p class="quiet">{t(wanted === '' ? 'logs.empty' : 'logs.notFound')}</p>
      ) : (
        lines.map((line) => <Line key={line.id} line={line} wanted={wanted} />)
      )}
    </div>
  )
}

function Line({ line: { text, tone }, wanted }: { readonly line: LogLine; readonly wanted: string }) {
  return <div class={`log-line ${tone}`}>{wanted === '' ? text || ' ' : marked(text, wanted)}</div>
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
