import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Badge, ButtonLink, formatDuration, formatExact, locale, type Tone } from '@steward/page-kit'
import { OperationSteps } from '../../components/operation-steps.js'
import { pathTo } from '../../lib/addresses.js'
import { hasText, t } from '../../lib/i18n.js'
import { useOperation } from '../../lib/use-operation.js'
import '../../styles/activity.css'
import { byDay, type Item } from './items.js'

const tones: Readonly<Record<Item['result'], Tone>> = {
  ok: 'good',
  failed: 'bad',
  'rolled-back': 'warn',
  attention: 'bad',
  refused: 'warn',
  running: 'busy',
}

export function resultText(result: string): string {
  if (result === 'running') return t('activity.running')
  const key = `history.${result}`
  return hasText(key) ? t(key) : result
}

/** How it ended, or that it has not. */
export function Result({ result }: Pick<Item, 'result'>) {
  return <Badge tone={tones[result]}>{resultText(result)}</Badge>
}

/** The name of an action for people. */
export function actionText(action: string): string {
  const key = `action.${action.replaceAll(' ', '-')}`
  return hasText(key) ? t(key) : action
}

/** Where it was asked for: at the command line, by the API, by the schedule. */
export function placeText(surface: string): string {
  const key = `history.by.${surface}`
  return hasText(key) ? t(key) : surface
}

export interface FeedProps {
  readonly items: readonly Item[]
  /** Ids of operations that ended with warnings. */
  readonly warned: ReadonlySet<string>
}

/** What was done, below the day on which it was; each opens what it did and said. */
export function Feed({ items, warned }: FeedProps) {
  return (
    <>
      {byDay(items).map(([day, those]) => (
        <section key={day} class="feed" aria-label={dayText(day)}>
          <h2>{dayText(day)}</h2>
          <ul>
            {those.map((item) => (
              <FeedItem key={item.key} item={item} isWarned={warned.has(item.operation)} />
            ))}
          </ul>
        </section>
      ))}
    </>
  )
}

const dayMs = 86_400_000
const date = new Intl.DateTimeFormat(locale, { dateStyle: 'full' })
const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })

function dayText(day: string): string {
  if (day === new Date().toDateString()) return t('activity.today')
  if (day === new Date(Date.now() - dayMs).toDateString()) return t('activity.yesterday')
  return date.format(new Date(day))
}

function FeedItem({ item, isWarned }: { readonly item: Item; readonly isWarned: boolean }) {
  const [isOpen, setOpen] = useState(false)
  const { at, result } = item
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <time dateTime={at} title={formatExact(at)}>
            {time.format(new Date(at))}
          </time>
          <span class="feed-text">{sentenceOf(item)}</span>
          {result === 'ok' ? isWarned && <Badge tone="warn">{t('activity.warned')}</Badge> : <Result result={result} />}
          {result !== 'ok' && reasonOf(item) !== '' && (
            <span class="feed-reason" lang="en">
              {reasonOf(item)}
            </span>
          )}
        </summary>
        {isOpen && <Opened item={item} />}
      </details>
    </li>
  )
}

/** `admin restarted crm`; what is not in the texts, and what was not done or has not ended: `admin: Restart · crm`. */
function sentenceOf({ who, action, instance, result }: Item): ComponentChildren {
  const did = `did.${action.replaceAll(' ', '-')}`
  const places = {
    who: <strong>{who}</strong>,
    what: <strong>{instance}</strong>,
    action: actionText(action),
  }
  // What was refused, failed or was rolled back was not done.
  const isDone = result === 'ok' && instance !== '' && hasText(did)
  const pattern = t(isDone ? did : instance === '' ? 'activity.other' : 'activity.otherOf')
  return pattern
    .split(/\{(\w+)\}/)
    .map((part, at) => (at % 2 === 0 ? part : <span key={part}>{places[part as keyof typeof places]}</span>))
}

/** Why it did not end well: the first line of what it said. */
function reasonOf({ message }: Item): string {
  return message.split('\n', 1)[0] ?? ''
}

/** Its steps, what it said, what it was asked with, and from where. */
function Opened({ item }: { readonly item: Item }) {
  const { operation, instance, surface, address, duration, message, parameters } = item
  const { operation: shown } = useOperation(operation === '' ? undefined : operation)
  const asked = Object.entries(parameters ?? {}).filter(([, value]) => value !== null && value !== '')
  const output = [message, ...asked.map(([name, value]) => `${name}: ${asText(value)}`)].filter(Boolean)
  const about = [
    ...(surface === '' ? [] : [placeText(surface)]),
    ...(address === '' ? [] : [address]),
    ...(duration > 0 ? [t('activity.took', { time: formatDuration(duration) })] : []),
  ]
  return (
    <div class="feed-opened">
      {about.length > 0 && <p class="quiet">{about.join(' · ')}</p>}
      {shown && <OperationSteps operation={shown} />}
      {output.length > 0 && (
        <pre lang="en" tabIndex={0}>
          {output.join('\n')}
        </pre>
      )}
      <p class="part-buttons">
        {instance !== '' && (
          <ButtonLink small href={pathTo('instances', instance)}>
            {t('create.show', { name: instance })}
          </ButtonLink>
        )}
        {operation !== '' && (
          <ButtonLink small href={pathTo('activity', operation)}>
            {t('run.page')}
          </ButtonLink>
        )}
      </p>
    </div>
  )
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
