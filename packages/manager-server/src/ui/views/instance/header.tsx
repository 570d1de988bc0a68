import { Button, ButtonLink, formatDuration, Menu } from '@steward/page-kit'
import { titleOf } from '../../components/action-form.js'
import { CopyButton } from '../../components/copy-button.js'
import { InstanceMenu, usualUse } from '../../components/instance-menu.js'
import { databaseName } from '../../lib/databases.js'
import { t } from '../../lib/i18n.js'
import { addressOf, isOtherwise, isRunning } from '../../lib/instance.js'
import { useActionTable } from '../../lib/session.js'
import { saidIn } from '../../lib/use-health.js'
import type { TabProps } from './tab.js'

/** `1.0 · SQLite · up 2 h` */
export function Summary({ item, health }: Pick<TabProps, 'item' | 'health'>) {
  const { version, database, status, operation } = item
  const since = Date.parse(saidIn(health, 'server', 'startdate') ?? '')
  const parts = [
    version,
    databaseName(database),
    ...(Number.isNaN(since) ? [] : [t('instance.up', { time: upText(Date.now() - since) })]),
    ...(operation === '' && isOtherwise(item)
      ? [t(status === 'started' ? 'instance.wantedStarted' : 'instance.wantedStopped')]
      : []),
  ]
  return <span>{parts.join(' · ')}</span>
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** To the second only as long as that says something. */
function upText(ms: number): string {
  const step = ms < minuteMs ? 1000 : ms < hourMs ? minuteMs : hourMs
  return formatDuration(Math.max(0, Math.floor(ms / step)) * step)
}

/** Where it is reached, to be copied and opened. */
export function Address({ item }: Pick<TabProps, 'item'>) {
  const address = addressOf(item)
  return (
    <p class="address-chip">
      <a href={address} target="_blank" rel="noreferrer">
        {address}
      </a>
      <CopyButton value={address} of={t('instance.address')} text="icon" kind="quiet" />
    </p>
  )
}

/** What is done most often, for the state that it is in; all else is in the menu. */
export function HeaderActions({ item, ask }: Pick<TabProps, 'item' | 'ask'>) {
  const { isAllowed } = useActionTable()
  const isOn = isRunning(item) || item.observed === 'asleep'
  const action = isOn ? 'restart' : 'start'
  return (
    <>
      {isOn && <Open item={item} />}
      {isAllowed(action) && (!isOn || isRunning(item)) && (
        <Button icon={action} kind={isOn ? 'plain' : 'primary'} onClick={() => ask(action, usualUse(action))}>
          {titleOf(action)}
        </Button>
      )}
      <InstanceMenu item={item} ask={ask} kind="plain" without={['start', 'restart']} />
    </>
  )
}

/** A web application has pages of its own only. */
const ownPages = new Set(['tomcat'])

function Open({ item }: Pick<TabProps, 'item'>) {
  const address = addressOf(item).replace(/\/?$/, '/')
  const place = (id: 'records' | 'tester' | 'reference', path: string) =>
    ({ id, label: t(`instance.${id}`), href: `${address}${path}`, target: 'window' }) as const
  return (
    <span class="split-button">
      <ButtonLink kind="primary" icon="link" href={addressOf(item)} target="_blank" rel="noreferrer">
        {t('instance.open')}
      </ButtonLink>
      <Menu
        kind="primary"
        icon="down"
        label={t('instance.openMore')}
        groups={[
          ownPages.has(item.runtime)
            ? []
            : [
                place('records', ''),
                place('tester', 'api/tester'),
                // On its pages, where people sign in; the address of the API would ask for a password of its own.
                place('reference', 'ui/_reference'),
              ],
          [
            {
              id: 'copy',
              label: t('instance.copyAddress'),
              icon: 'copy',
              onSelect: () => void navigator.clipboard?.writeText(addressOf(item)),
            },
          ],
        ]}
      />
    </span>
  )
}
