import { useMemo } from 'preact/hooks'
import type { WireToken } from '@steward/manager-core'
import { Button, type Column, Time } from '@steward/page-kit'
import { t } from '../../lib/i18n.js'
import { useActionTable } from '../../lib/session.js'
import { useApi } from '../../lib/use-api.js'
import { ListPanel, type AskProps } from './list-panel.js'

/** Tokens of programs and people; the secret of a new one is shown once. */
export function Tokens({ ask }: AskProps) {
  const { isAllowed } = useActionTable()
  const mayRemove = isAllowed('token-remove')
  const columns = useMemo(() => columnsOf(mayRemove, ask), [mayRemove])
  return (
    <ListPanel
      title={t('manager.tokens')}
      columns={columns}
      rowKey={({ name }) => name}
      answer={useApi<{ readonly list: readonly WireToken[] }>('token-list')}
      empty={<p class="quiet">{t('manager.noTokens')}</p>}
      actions={
        isAllowed('token-add') && (
          <Button small icon="add" onClick={() => ask({ action: 'token-add' })}>
            {t('manager.addToken')}
          </Button>
        )
      }
    />
  )
}

function columnsOf(mayRemove: boolean, ask: AskProps['ask']): readonly Column<WireToken>[] {
  return [
    {
      id: 'name',
      title: t('column.name'),
      onCard: 'title',
      cell: ({ name, created_by: by }) => (
        <span class="cell-lines">
          <strong>{name}</strong>
          <span class="quiet">{t('manager.createdBy', { by })}</span>
        </span>
      ),
    },
    { id: 'abilities', title: t('manager.abilities'), cell: ({ abilities }) => abilities },
    {
      id: 'instances',
      title: t('nav.instances'),
      cell: ({ instances }) => (instances === 'all' ? t('manager.all') : instances),
    },
    {
      id: 'expires',
      title: t('manager.expires'),
      cell: ({ expires }) => (expires === '' ? t('manager.never') : <Time at={expires} as="date" />),
    },
    {
      id: 'used',
      title: t('manager.lastUsed'),
      cell: ({ last_used: used }) => (used === '' ? t('manager.never') : <Time at={used} />),
      wideOnly: true,
    },
    ...(mayRemove
      ? [
          {
            id: 'actions',
            title: t('manager.actions'),
            cell: ({ name }: WireToken) => (
              <Button
                small
                kind="danger"
                label={t('manager.revokeOf', { name })}
                onClick={() => ask({ action: 'token-remove', given: { name } })}
              >
                {t('manager.revoke')}
              </Button>
            ),
          },
        ]
      : []),
  ]
}
