import type { QualityGate, QualityIssue, QualityReport } from '@steward/manager-core'
import {
  Badge,
  Button,
  ButtonLink,
  type Column,
  EmptyState,
  formatNumber,
  Skeleton,
  Table,
  Time,
} from '@steward/page-kit'
import { FailureNotice } from '../../components/failure-notice.js'
import { Facts, Panel } from '../../components/panel.js'
import { apiAddress } from '../../lib/addresses.js'
import { t } from '../../lib/i18n.js'
import { useActionTable } from '../../lib/session.js'
import { useApi } from '../../lib/use-api.js'
import type { TabProps } from './tab.js'

const tones = { OK: 'good', WARN: 'warn', ERROR: 'bad', NONE: 'neutral' } as const satisfies Record<QualityGate, string>

/** The latest report on the quality of the code: its gate, measures and issues. */
export function Quality({ item: { name }, ask }: TabProps) {
  const { isAllowed } = useActionTable()
  const { data, failure, reload } = useApi<{ readonly item: QualityReport }>('quality-report', { name })
  const analyse = isAllowed('quality') && (
    <Button kind="primary" onClick={() => ask('quality', { onDone: reload })}>
      {t('action.quality')}
    </Button>
  )
  if (failure?.status === 404)
    return (
      <EmptyState title={t('quality.none')}>
        <p>{t('quality.noneText')}</p>
        {analyse}
      </EmptyState>
    )
  if (failure) return <FailureNotice failure={failure} onRetry={reload} />
  if (!data) return <Skeleton />
  const { gate, at, server, notes, modules } = data.item
  const issues = modules.flatMap((module) => module.issues)
  return (
    <div class="tab-parts">
      <div class="tab-bar">
        <p role="status">
          <GateBadge gate={gate} />{' '}
          <span class="quiet">
            {server}, <Time at={at} />
          </span>
        </p>
        <span class="part-buttons">
          {analyse}
          <ButtonLink href={apiAddress('quality-report', { name, sarif: true })} download target="_blank">
            {t('quality.sarif')}
          </ButtonLink>
        </span>
      </div>
      {notes.map((note) => (
        <p key={note} class="quiet" lang="en">
          {note}
        </p>
      ))}
      <div class="parts">
        {modules.map((module) => (
          <Panel key={module.module} title={module.module} actions={<GateBadge gate={module.gate} />}>
            <Facts
              facts={[
                ...Object.entries(module.measures).map(
                  ([measure, value]) => [measure, formatNumber(value, 1)] as const,
                ),
                [
                  t('quality.project'),
                  module.url === undefined ? module.project : <a href={module.url}>{module.project}</a>,
                ],
              ]}
            />
          </Panel>
        ))}
      </div>
      {issues.length === 0 ? <EmptyState title={t('quality.noIssues')} /> : <Issues issues={issues} />}
    </div>
  )
}

function GateBadge({ gate }: Pick<QualityReport, 'gate'>) {
  return <Badge tone={tones[gate]}>{t(`quality.${gate}`)}</Badge>
}

const severities = { error: 'bad', warning: 'warn', info: 'neutral' } as const

function Issues({ issues }: { readonly issues: readonly QualityIssue[] }) {
  const columns: readonly Column<QualityIssue>[] = [
    {
      id: 'place',
      title: t('quality.place'),
      onCard: 'title',
      cell: ({ file, line, module }) => (
        <code>{file === undefined ? module : [file, line].filter((part) => part !== undefined).join(':')}</code>
      ),
    },
    {
      id: 'severity',
      title: t('quality.severity'),
      cell: ({ severity }) => <Badge tone={severities[severity]}>{t(`quality.${severity}`)}</Badge>,
    },
    {
      id: 'message',
      title: t('quality.issue'),
      cell: ({ message, rule }) => (
        <span class="cell-lines" lang="en">
          <span>{message}</span>
          <span class="cell-about">{rule}</span>
        </span>
      ),
    },
  ]
  // A report has no two issues that are the same in all of this.
  const keyOf = ({ module, file, line, column, rule, message }: QualityIssue) =>
    [module, file, line, column, rule, message].join('\n')
  return <Table caption={t('quality.issues')} columns={columns} rows={issues} rowKey={keyOf} />
}
