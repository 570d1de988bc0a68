import { Badge, formatBytes, formatDuration, formatNumber, Time } from '@steward/page-kit'
import { Facts, Panel } from '../../components/panel.js'
import { databaseName } from '../../lib/databases.js'
import { t } from '../../lib/i18n.js'
import { isRunning } from '../../lib/instance.js'
import { useActionTable } from '../../lib/session.js'
import { saidIn } from '../../lib/use-health.js'
import type { TabProps } from './tab.js'

const mebibyte = 2 ** 20

/** Its health report: in words what people ask for, followed by all of it. */
export function HealthPanel({ item, health }: TabProps) {
  const { isAllowed } = useActionTable()
  if (!isAllowed('health')) return null
  const number = (section: string, name: string) => {
    const text = saidIn(health, section, name)
    return text === undefined || Number.isNaN(Number(text)) ? undefined : Number(text)
  }
  const started = saidIn(health, 'server', 'startdate')
  const [free, total] = [number('disk', 'diskfree'), number('disk', 'disktotal')]
  const [load, cpus] = [number('os', 'loadaverage'), number('os', 'cpus')]
  const memory = number('process', 'rss')
  const sections = Object.entries(health ?? {}).filter(([, value]) => typeof value === 'object' && value !== null)
  const isOut = saidIn(health, 'database', 'status') === 'KO'
  return (
    <Panel
      title={t('instance.health')}
      actions={
        health && <Badge tone={health.ok ? 'good' : 'bad'}>{health.ok ? t('health.ok') : t('health.bad')}</Badge>
      }
    >
      {!health ? (
        <p class="quiet">{t(isRunning(item) ? 'loading' : 'health.stopped')}</p>
      ) : (
        <>
          <Facts
            facts={[
              [t('health.reason'), health.reason],
              [t('health.started'), started && <Time at={started} />],
              [t('health.answer'), formatDuration(health.responseTime)],
              [t('health.memory'), memory === undefined ? undefined : formatBytes(memory * mebibyte)],
              [
                t('health.disk'),
                free === undefined || total === undefined
                  ? undefined
                  : t('health.free', { free: formatBytes(free * mebibyte), total: formatBytes(total * mebibyte) }),
              ],
              [
                t('health.load'),
                load === undefined || cpus === undefined
                  ? undefined
                  : t('health.loadOf', { load: formatNumber(load, 1), count: cpus }),
              ],
              [
                t('field.database'),
                isOut ? (
                  <Badge tone="bad">{t('health.noDatabase')}</Badge>
                ) : (
                  databaseName(saidIn(health, 'database', 'product') ?? '')
                ),
              ],
            ]}
          />
          {sections.length > 0 && (
            <details class="all-values">
              <summary>{t('health.all')}</summary>
              {sections.map(([section, values]) => (
                <section key={section} lang="en">
                  <h3>{section}</h3>
                  <Facts facts={Object.entries(values as Readonly<Record<string, string>>)} />
                </section>
              ))}
            </details>
          )}
        </>
      )}
    </Panel>
  )
}
