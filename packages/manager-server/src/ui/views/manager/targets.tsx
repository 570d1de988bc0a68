import { useMemo } from 'preact/hooks'
import type { WireTarget } from '@steward/manager-core'
import { Badge, Button, type Column } from '@steward/page-kit'
import { Command } from '../../components/command.js'
import { t } from '../../lib/i18n.js'
import { useActionTable } from '../../lib/session.js'
import { useApi } from '../../lib/use-api.js'
import { ListPanel, type AskProps } from './list-panel.js'

/** Where backups are copied to; each target can be tested. */
export function Targets({ ask }: AskProps) {
  const { isAllowed } = useActionTable()
  const mayTest = isAllowed('target-test')
  const columns = useMemo(() => columnsOf(mayTest, ask), [mayTest])
  return (
    <ListPanel
      title={t('manager.targets')}
      columns={columns}
      rowKey={({ name }) => name}
      answer={useApi<{ readonly list: readonly WireTarget[] }>('target-list')}
      empty={
        <>
          <p class="quiet">{t('manager.noTargets')}</p>
          <Command text="manager config --all remote" />
        </>
      }
    />
  )
}

function columnsOf(mayTest: boolean, ask: AskProps['ask']): readonly Column<WireTarget>[] {
  return [
    {
      id: 'name',
      title: t('column.name'),
      onCard: 'title',
      cell: ({ name, problem }) => (
        <span class="cell-lines">
          <strong>{name}</strong>
          {problem !== '' && (
            <span lang="en">
              <Badge tone="bad">{problem}</Badge>
            </span>
          )}
        </span>
      ),
    },
    { id: 'type', title: t('manager.type'), cell: ({ type }) => type },
    { id: 'where', title: t('manager.where'), cell: ({ where }) => (where === '' ? '–' : <code>{where}</code>) },
    ...(mayTest
      ? [
          {
            id: 'actions',
            title: t('manager.actions'),
            cell: ({ name }: WireTarget) => (
              <Button
                small
                label={t('manager.testOf', { name })}
                onClick={() => ask({ action: 'target-test', given: { target: name } })}
              >
                {t('manager.test')}
              </Button>
            ),
          },
        ]
      : []),
  ]
}
