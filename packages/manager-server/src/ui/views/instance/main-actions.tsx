import { Button, type ButtonProps } from '@steward/page-kit'
import { t } from '../../lib/i18n.js'
import { isRunning } from '../../lib/instance.js'
import { titleOf } from '../../components/action-form.js'
import { useActionTable } from '../../lib/session.js'
import { Elsewhere } from './elsewhere.js'
import type { TabProps } from './tab.js'

/** What is done most often, for the state that it is in. */
export function MainActions({ item, ask }: Pick<TabProps, 'item' | 'ask'>) {
  const { isAllowed } = useActionTable()
  const isOn = isRunning(item)
  const offered: readonly (readonly [string, ButtonProps['icon'], ButtonProps['kind']?])[] = isOn
    ? [
        ['restart', 'restart'],
        ['stop', 'stop'],
        ['save', 'save'],
      ]
    : [
        ['start', 'start', 'primary'],
        ['save', 'save'],
      ]
  return (
    <>
      {offered
        .filter(([action]) => isAllowed(action))
        .map(([action, icon, kind]) => (
          <Button
            key={action}
            icon={icon}
            kind={kind ?? 'plain'}
            // Begins at once; to start without its data is offered below, among all actions.
            onClick={() => ask(action, action === 'start' ? { fields: [] } : {})}
          >
            {titleOf(action)}
          </Button>
        ))}
    </>
  )
}

/** All that changes it as a whole, in groups; what loses something comes last. */
const groups = [
  ['instance.care', ['start', 'stop', 'restart', 'save', 'upgrade']],
  ['instance.identity', ['rename', 'clone', 'seturl', 'reseturl']],
  ['instance.server', ['move', 'app-start', 'app-stop', 'iocredentials', 'neutralise', 'unneutralise']],
  ['instance.danger', ['rollback', 'reset', 'delete']],
] as const

/** A button for each action that fits the instance, and that the one who looks may do. */
export function AllActions({ item, ask }: Pick<TabProps, 'item' | 'ask'>) {
  const { isAllowed } = useActionTable()
  return (
    <div class="action-groups">
      {groups.map(([title, actions]) => {
        const offered = actions.filter((action) => isAllowed(action) && fits(action, item))
        if (offered.length === 0) return null
        return (
          <div key={title} class="action-group">
            <h3>{t(title)}</h3>
            <div class="part-buttons">
              {offered.map((action) => (
                <Button
                  key={action}
                  kind={title === 'instance.danger' ? 'danger' : 'plain'}
                  onClick={() => ask(action)}
                >
                  {titleOf(action)}
                </Button>
              ))}
            </div>
          </div>
        )
      })}
      <Elsewhere item={item} />
    </div>
  )
}

/** Whether it makes sense now; the manager refuses what does not all the same. */
function fits(action: string, item: TabProps['item']): boolean {
  const { status, custom_url: custom, neutralised, restore_point: point } = item
  const isOn = isRunning(item)
  const when: Readonly<Record<string, boolean>> = {
    start: !isOn,
    stop: isOn || item.observed === 'asleep',
    restart: isOn,
    'app-start': status === 'started' && !isOn,
    'app-stop': status === 'started' && isOn,
    reseturl: custom !== '',
    rollback: point !== undefined && point !== '',
    neutralise: neutralised !== 'yes',
    unneutralise: neutralised === 'yes',
  }
  return when[action] ?? true
}
