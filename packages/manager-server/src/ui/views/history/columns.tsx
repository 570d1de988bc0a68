import type { WireHistoryEntry } from '@steward/manager-core'
import { Badge, ButtonLink, type Column, formatDuration, Time, type Tone } from '@steward/page-kit'
import { pathTo } from '../../lib/addresses.js'
import { hasText, t } from '../../lib/i18n.js'
import '../../styles/history.css'

const tones: Readonly<Record<WireHistoryEntry['result'], Tone>> = {
  ok: 'good',
  failed: 'bad',
  'rolled-back': 'warn',
  attention: 'bad',
  refused: 'warn',
}

/** How an action may have ended. */
export const results = Object.keys(tones)

export function columnsOfHistory(): readonly Column<WireHistoryEntry>[] {
  return [
    { id: 'at', title: t('history.at'), cell: ({ at }) => <Time at={at} as="date" /> },
    { id: 'action', title: t('history.action'), cell: (row) => <Action row={row} />, onCard: 'title' },
    { id: 'result', title: t('history.result'), cell: ({ result }) => <Result result={result} />, onCard: 'corner' },
    { id: 'actor', title: t('history.actor'), cell: (row) => <Actor row={row} /> },
    {
      id: 'duration',
      title: t('history.duration'),
      cell: ({ duration }) => formatDuration(duration),
      align: 'end',
      wideOnly: true,
      onCard: 'hidden',
    },
    { id: 'message', title: t('history.message'), cell: (row) => <Message row={row} /> },
  ]
}

export function resultText(result: string): string {
  const key = `history.${result}`
  return hasText(key) ? t(key) : result
}

function Result({ result }: Pick<WireHistoryEntry, 'result'>) {
  return <Badge tone={tones[result]}>{resultText(result)}</Badge>
}

function Action({ row: { action, instance } }: { readonly row: WireHistoryEntry }) {
  const key = `action.${action.replaceAll(' ', '-')}`
  return (
    <span class="done">
      <strong>{hasText(key) ? t(key) : action}</strong>
      {instance !== '' && <a href={pathTo('instances', instance)}>{instance}</a>}
    </span>
  )
}

function Actor({ row: { actor, address, surface } }: { readonly row: WireHistoryEntry }) {
  const key = `history.by.${surface}`
  return (
    <span class="done">
      <span>{actor}</span>
      <span class="quiet">{[hasText(key) ? t(key) : surface, address].filter((text) => text !== '').join(' · ')}</span>
    </span>
  )
}

/** The whole of it is behind its beginning: what it said, what it was asked with, and its operation. */
function Message({ row: { message, parameters, operation } }: { readonly row: WireHistoryEntry }) {
  const asked = Object.entries(parameters ?? {}).filter(([, value]) => value !== null && value !== '')
  return (
    <details class="said">
      <summary>
        <span class="said-short" lang="en">
          {message.split('\n')[0] || t('history.details')}
        </span>
      </summary>
      <pre lang="en" tabIndex={0}>
        {message}
        {asked.map(([name, value]) => `\n${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)}
      </pre>
      {operation !== '' && (
        <ButtonLink small href={pathTo('operations', operation)}>
          {t('run.page')}
        </ButtonLink>
      )}
    </details>
  )
}
