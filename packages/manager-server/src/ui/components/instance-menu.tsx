import { Menu, type MenuItem, type MenuProps } from '@steward/page-kit'
import { apiAddress, pathTo } from '../lib/addresses.js'
import { t } from '../lib/i18n.js'
import { isRunning, type Instance } from '../lib/instance.js'
import { hasTerminal, useActionTable, useSession } from '../lib/session.js'
import type { Ask } from '../views/instance/tab.js'
import { titleOf } from './action-form.js'

/** What is done with an instance as a whole, in groups; what loses something comes last. */
const groups = [
  ['start', 'restart', 'stop', 'wake', 'save', 'upgrade'],
  ['clone', 'rename', 'seturl', 'neutralise', 'unneutralise'],
  ['rollback', 'reset', 'delete'],
] as const

type Offered = (typeof groups)[number][number]

const icons: Partial<Record<Offered, MenuItem['icon']>> = {
  start: 'start',
  restart: 'restart',
  stop: 'stop',
  wake: 'start',
  save: 'save',
  upgrade: 'up',
  clone: 'copy',
  rename: 'edit',
  seturl: 'link',
  neutralise: 'shield',
  unneutralise: 'shield',
  rollback: 'back',
  reset: 'refresh',
  delete: 'trash',
}

const parts = ['all', 'webapp', 'data', 'logs'] as const

export interface InstanceMenuProps extends Pick<MenuProps, 'kind' | 'small'> {
  readonly item: Instance
  readonly ask: Ask
  /** Actions that have a button of their own beside it. */
  readonly without?: readonly string[]
  /** What comes before them. */
  readonly first?: readonly MenuItem[]
}

/** What can be done with an instance now, by the user; the manager refuses what does not fit all the same. */
export function InstanceMenu({ item, ask, without = [], first = [], ...looks }: InstanceMenuProps) {
  const { isAllowed } = useActionTable()
  const session = useSession()
  const { name } = item
  const [daily, whole, danger] = groups.map((actions) =>
    actions
      .filter((action) => isAllowed(action) && fits(action, item) && !without.includes(action))
      .map((action): MenuItem => ({
        id: action,
        label: titleOf(action) ?? action,
        icon: icons[action],
        danger: actions === groups[2],
        onSelect: () => ask(action, usualUse(action)),
      })),
  ) as [MenuItem[], MenuItem[], MenuItem[]]
  const downloads =
    isAllowed('download') && session?.features.download === true
      ? parts.map((param) => ({
          id: `download-${param}`,
          label: t(`instance.download.${param}`),
          icon: 'save' as const,
          href: apiAddress('download', { name, param }),
          target: 'download' as const,
        }))
      : []
  const terminal =
    session && hasTerminal(session)
      ? [
          {
            id: 'terminal',
            label: t('nav.terminal'),
            icon: 'code' as const,
            href: `${pathTo('terminal')}?instance=${name}`,
          },
        ]
      : []
  return (
    <Menu
      label={t('instance.actionsOf', { name })}
      groups={[first, daily, whole, [...downloads, ...terminal], danger]}
      {...looks}
    />
  )
}

/** What is done every day starts immediately; the rare option is for the command line. */
export function usualUse(action: string): Parameters<Ask>[1] {
  return ['start', 'stop'].includes(action) ? { fields: [] } : {}
}

/** Whether it makes sense now. */
function fits(action: Offered, item: Instance): boolean {
  const { neutralised, restore_point: point } = item
  const isOn = isRunning(item)
  const isAsleep = item.observed === 'asleep'
  const when: Partial<Record<Offered, boolean>> = {
    start: !isOn && !isAsleep,
    wake: isAsleep,
    stop: isOn || isAsleep,
    restart: isOn,
    rollback: point !== undefined && point !== '',
    neutralise: neutralised !== 'yes',
    unneutralise: neutralised === 'yes',
  }
  return when[action] ?? true
}
