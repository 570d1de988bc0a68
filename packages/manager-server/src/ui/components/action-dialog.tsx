import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import type { WireAction } from '@steward/manager-core'
import { Button, ButtonLink, Dialog, formatDateTime, Skeleton } from '@steward/page-kit'
import {
  confirmationOf,
  inputsOf,
  isSimple,
  isUndoable,
  valuesOf,
  type FieldValue,
  type FieldValues,
  type ActionScope,
} from '../lib/action-input.js'
import { pathTo } from '../lib/addresses.js'
import { dataChanged } from '../lib/changes.js'
import { t } from '../lib/i18n.js'
import type { OperationAnswer } from '../lib/operation.js'
import { useActionTable, useSession } from '../lib/session.js'
import { offerUndo } from '../lib/undo.js'
import { useOnce } from '../lib/use-once.js'
import { useRun, type AnswerOfAction } from '../lib/use-run.js'
import { ActionForm, titleOf } from './action-form.js'
import { ActionRun } from './action-run.js'
import { BulkRun } from './bulk-run.js'
import { PlanOf, usePreview } from './plan.js'
import { FailureNotice } from './failure-notice.js'

export interface ActionDialogProps extends ActionScope {
  /** Name in the action table: `backups-verify`. */
  readonly action: string
  /** What other fields hold first. */
  readonly initial?: FieldValues
  /** Default: the name of the action for people. */
  readonly title?: string
  /** It is closed; what was started continues. */
  readonly onClose: () => void
  /** Called once when something may have changed: what was started has ended, done or not. */
  readonly onDone?: (answer?: OperationAnswer | AnswerOfAction) => void
}

/**
 * Any action of the table: a form built from its row, its steps as they run, and the result. What would be lost must
 * be confirmed by typing its name; what needs no answer starts immediately. Closed, it continues in the background.
 */
export function ActionDialog(props: ActionDialogProps) {
  const { rows, failure } = useActionTable()
  const { action: name, instances = [], onClose } = props
  const row = rows?.get(name)
  const words = [props.title ?? titleOf(name) ?? row?.summary ?? name, ...(instances.length === 1 ? instances : [])]
  const title =
    instances.length > 1
      ? t('bulk.summary', { action: words[0] as string, count: instances.length })
      : words.join(' · ')
  if (row?.allowed) return <Steps {...props} title={title} row={row} />
  return (
    <Dialog open title={title} onClose={onClose}>
      {failure ? <FailureNotice failure={failure} /> : rows ? <p>{t('form.notAllowed')}</p> : <Skeleton lines={3} />}
    </Dialog>
  )
}

type StepsProps = ActionDialogProps & { readonly title: string; readonly row: WireAction }

function Steps({ row, title, onClose, onDone, initial = {}, ...use }: StepsProps) {
  const { instances = [] } = use
  const run = useRun(row)
  const [values, setValues] = useState(initial)
  const [bulk, setBulk] = useState<'idle' | 'running' | 'over'>('idle')
  const form = useId()
  const preview = usePreview(row)
  const inputs = inputsOf(row, use)
  const all = { ...valuesOf(row, use), ...values }
  const { rows, isAllowed } = useActionTable()
  const trash = { days: useSession()?.trash_days ?? 0, mayRestore: isAllowed('undelete') }
  const canUndo = isUndoable(row, all, trash)
  const confirmation = canUndo ? undefined : confirmationOf(row, all, instances)
  const begins = isSimple(row, use)
  const begin = () => (instances.length > 1 ? setBulk('running') : run.start(all))
  useOnce(begins, begin)
  const end = (result?: OperationAnswer | AnswerOfAction, done: readonly object[] = []) => {
    dataChanged()
    onDone?.(result)
    if (!canUndo || done.length === 0) return
    offerUndo(rows?.get('undelete') as WireAction, done)
    if (done.length === Math.max(instances.length, 1)) onClose()
  }
  useOnce(run.isOver, () => end(run.result, run.hasFailed || !run.result ? [] : [run.result]))

  const frame = (body: ComponentChildren, footer: ComponentChildren) => (
    <Dialog open title={title} onClose={onClose} footer={footer}>
      {body}
    </Dialog>
  )
  const close = (isOver: boolean) => (
    <Button kind={isOver ? 'primary' : 'plain'} onClick={onClose}>
      {t(isOver ? 'button.close' : 'run.background')}
    </Button>
  )
  if (bulk !== 'idle') {
    const endBulk = (done: readonly OperationAnswer[]) => {
      setBulk('over')
      end(undefined, done)
    }
    return frame(
      <BulkRun action={row} instances={instances} values={all} onEnd={endBulk} />,
      <Button kind={bulk === 'over' ? 'primary' : 'plain'} onClick={onClose}>
        {t(bulk === 'over' ? 'button.close' : 'bulk.stop')}
      </Button>,
    )
  }
  if (run.state === 'idle' && !begins)
    return frame(
      <>
        <ActionForm
          id={form}
          action={row}
          instances={instances}
          inputs={inputs}
          values={values}
          confirmation={confirmation}
          undoableUntil={
            canUndo ? formatDateTime(new Date(Date.now() + trash.days * 86_400_000).toISOString()) : undefined
          }
          onValue={(name: string, value: FieldValue) => {
            setValues((before) => ({ ...before, [name]: value }))
            preview.forget()
          }}
          onSubmit={begin}
        />
        <PlanOf preview={preview} />
      </>,
      <>
        {row.mutating && instances.length <= 1 && (
          <Button kind="quiet" busy={preview.isBusy} onClick={() => preview.look(all)}>
            {t('form.preview')}
          </Button>
        )}
        <Button onClick={onClose}>{t('button.cancel')}</Button>
        <Button kind={confirmation === undefined && !canUndo ? 'primary' : 'danger'} type="submit" form={form}>
          {titleOf(row.name) ?? t('form.run')}
        </Button>
      </>,
    )
  return frame(
    <ActionRun run={run} />,
    <>
      {run.operation !== undefined && (
        <ButtonLink kind="quiet" href={pathTo('activity', run.operation)}>
          {t('run.page')}
        </ButtonLink>
      )}
      {run.hasFailed && !begins && <Button onClick={run.reset}>{t('run.change')}</Button>}
      {close(run.isOver)}
    </>,
  )
}
