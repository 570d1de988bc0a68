import type { WireAction } from '@steward/manager-core'
import { Badge, Button } from '@steward/page-kit'
import { t } from '../../lib/i18n.js'
import { useActionTable } from '../../lib/session.js'
import { useRun } from '../../lib/use-run.js'

/** Whether the chain of the history is whole. */
export function VerifyHistory() {
  const { rows } = useActionTable()
  const row = rows?.get('history-verify')
  return row?.allowed ? <VerifyButton row={row} /> : null
}

function VerifyButton({ row }: { readonly row: WireAction }) {
  const { state, start, answer, failure, isOver } = useRun(row)
  const isWhole = answer?.status === 0
  return (
    <>
      <span role="status" lang={answer || failure ? 'en' : undefined} class="verified">
        {isOver && (
          <Badge tone={isWhole ? 'good' : 'bad'}>
            {isWhole ? t('history.whole') : (failure?.message ?? answer?.message.split('\n')[0])}
          </Badge>
        )}
      </span>
      <Button icon="shield" busy={state === 'asking'} onClick={() => start({})}>
        {t('history.verify')}
      </Button>
    </>
  )
}
