import { Skeleton } from '@steward/page-kit'
import { t } from '../lib/i18n.js'
import type { Run } from '../lib/use-run.js'
import { ActionResult, hasSecret } from './action-result.js'
import { FailureNotice } from './failure-notice.js'
import { OperationProgress } from './operation-progress.js'
import { Outcome } from './outcome.js'

/** An action that was called: its steps as they run, and the result. */
export function ActionRun({ run }: { readonly run: Run }) {
  const { state, followed, answer, failure, isOver, result } = run
  return (
    <div class="action-run" aria-busy={!isOver}>
      {(state === 'asking' || state === 'idle') && <Skeleton lines={3} />}
      {state === 'following' && <OperationProgress {...followed} />}
      {answer && !hasSecret(answer) && (
        <Outcome message={answer.message} warnings={answer.warnings} isNo={answer.status !== 0} />
      )}
      {failure && <FailureNotice failure={failure}>{failure.status === 0 && <p>{t('run.lost')}</p>}</FailureNotice>}
      {isOver && result && <ActionResult result={run.hasFailed ? { list: result.list } : result} />}
    </div>
  )
}
