import { useState } from 'preact/hooks'
import type { Diagnosis } from '@steward/manager-core'
import { Badge, Button, Skeleton, type Tone } from '@steward/page-kit'
import { Command } from '../../components/command.js'
import { FailureNotice } from '../../components/failure-notice.js'
import { Panel } from '../../components/panel.js'
import { t } from '../../lib/i18n.js'
import { useApi } from '../../lib/use-api.js'

const tones: Readonly<Record<Diagnosis['level'], Tone>> = { error: 'bad', warning: 'warn', fixed: 'good', ok: 'good' }

/** What `manager doctor` finds, once it is asked for: that takes some seconds. */
export function Checks() {
  const [asked, setAsked] = useState<{ readonly network: boolean }>()
  const [showsAll, setShowsAll] = useState(false)
  const { data, failure, loading, reload } = useApi<{ readonly list: readonly Diagnosis[] }>(
    asked && 'doctor',
    { network: asked?.network || undefined },
    { keep: true },
  )
  const isRunning = asked !== undefined && loading
  const run = (network: boolean) => (asked?.network === network ? reload() : setAsked({ network }))
  const found = data?.list.filter(({ level }) => level !== 'ok') ?? []
  const shown = showsAll ? (data?.list ?? []).toSorted((a, b) => rank(a) - rank(b)) : found
  return (
    <Panel
      title={t('manager.checks')}
      wide
      actions={
        <span class="part-buttons">
          <Button small busy={isRunning} onClick={() => run(false)}>
            {t('manager.check')}
          </Button>
          <Button small kind="quiet" disabled={isRunning} onClick={() => run(true)}>
            {t('manager.checkNetwork')}
          </Button>
        </span>
      }
    >
      {failure && <FailureNotice failure={failure} onRetry={reload} />}
      {!asked && <p class="quiet">{t('manager.checksAbout')}</p>}
      {isRunning && !data && <Skeleton lines={3} />}
      {data && (
        <>
          <p role="status">
            {found.length === 0
              ? t('manager.allWell', { count: data.list.length })
              : t('manager.found', { count: found.length })}
          </p>
          <ul class="findings" lang="en">
            {shown.map(({ check, level, message, help = '' }) => (
              <li key={`${check} ${message}`}>
                <Badge tone={tones[level]}>{t(`manager.level.${level}`)}</Badge>
                <span class="cell-lines">
                  <span>{message}</span>
                  {help !== '' && <span class="quiet">{help}</span>}
                </span>
              </li>
            ))}
          </ul>
          <label class="field field-check">
            <input
              type="checkbox"
              checked={showsAll}
              onChange={({ currentTarget }) => setShowsAll(currentTarget.checked)}
            />
            <span>{t('manager.showAll')}</span>
          </label>
          {found.some(({ fixable }) => fixable) && (
            <>
              <p>{t('manager.fix')}</p>
              <Command text="manager doctor --fix" />
            </>
          )}
        </>
      )}
    </Panel>
  )
}

/** The worst first. */
function rank({ level }: Diagnosis): number {
  return Object.keys(tones).indexOf(level)
}
