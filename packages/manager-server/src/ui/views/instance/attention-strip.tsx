import type { ComponentChildren } from 'preact'
import type { WireIncident } from '@steward/manager-core'
import { Button, ButtonLink, Icon, Time } from '@steward/page-kit'
import { titleOf } from '../../components/action-form.js'
import { pathTo } from '../../lib/addresses.js'
import { t } from '../../lib/i18n.js'
import { useActionTable } from '../../lib/session.js'
import { useApi } from '../../lib/use-api.js'
import { useUnscheduled } from '../../lib/use-schedule.js'
import type { BackupsProps } from './overview.js'
import type { ActionUse } from './tab.js'

interface Point {
  readonly id: string
  readonly tone: 'bad' | 'warn'
  readonly text: ComponentChildren
  /** What fixes it. */
  readonly action?: readonly [action: string, use?: ActionUse]
  /** Where it is fixed. */
  readonly link?: readonly [href: string, text: string]
}

/** What a person should decide on; nothing when all is well. */
export function AttentionStrip({ item, ask, health, backups }: BackupsProps) {
  const { isAllowed } = useActionTable()
  const incident = useOpenIncident(item.name)
  const unscheduled = useUnscheduled()
  const { name, observed, update, proved, operation } = item
  const newest = backups?.find(({ damage }) => damage === '')
  // What is down is said once, by what says most.
  const isDown: Point | undefined =
    observed === 'crashed'
      ? { id: 'crashed', tone: 'bad', text: t('attention.crashed', { name }) }
      : health !== undefined && !health.ok
        ? { id: 'health', tone: 'bad', text: t('attention.unhealthy', { reason: health.reason ?? '' }) }
        : incident && {
            id: 'incident',
            tone: 'bad',
            text: (
              <>
                {t('attention.incident', { reason: incident.reason })} <Time at={incident.opened} />
              </>
            ),
          }
  const points: readonly (Point | false | undefined)[] = [
    // What is being changed may be down for a moment, and what needs attention is said above.
    operation === '' && isDown,
    update === 'available' && { id: 'update', tone: 'warn', text: t('attention.update'), action: ['upgrade'] },
    backups?.length === 0 && { id: 'backup', tone: 'warn', text: t('attention.noBackup'), action: ['save'] },
    item.auto_save === 'yes' &&
      unscheduled.has('auto_save') && {
        id: 'schedule',
        tone: 'warn',
        text: t('attention.noSchedule'),
        ...(isAllowed('config') && { link: [pathTo('manager'), t('attention.showSchedule')] as const }),
      },
    newest !== undefined &&
      proved === '' && {
        id: 'proved',
        tone: 'warn',
        text: t('attention.notProved'),
        action: ['prove', { given: { backup: newest.backup }, fields: [] }],
      },
  ]
  const shown = points.filter((point): point is Point => typeof point === 'object')
  if (shown.length === 0) return null
  return (
    <section class="attention panel" aria-label={t('instances.attention')}>
      <ul>
        {shown.map(({ id, tone, text, action, link }) => (
          <li key={id} class={tone}>
            <Icon name="alert" />
            <span>{text}</span>
            {action && isAllowed(action[0]) && (
              <Button small onClick={() => ask(...action)}>
                {titleOf(action[0])}
              </Button>
            )}
            {link && (
              <ButtonLink small href={link[0]}>
                {link[1]}
              </ButtonLink>
            )}
            {tone === 'bad' && isAllowed('logs') && (
              <ButtonLink small href={pathTo('instances', name, 'logs')}>
                {t('operations.showLog')}
              </ButtonLink>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The incident that it is part of now. */
function useOpenIncident(name: string) {
  const { isAllowed } = useActionTable()
  const { data } = useApi<{ readonly list: readonly WireIncident[] }>(
    isAllowed('incidents') ? 'incidents' : undefined,
    {},
    { refreshMs: 30_000 },
  )
  return data?.list.flatMap(({ instances }) => instances).find((one) => one.name === name && one.closed === '')
}
