import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { WireAction } from '@steward/manager-core'
import { Button, ButtonLink, Dialog, Skeleton } from '@steward/page-kit'
import { confirmationOf, subjectOf, type FieldValue, type FieldValues } from '../lib/action-input.js'
import { pathTo } from '../lib/addresses.js'
import { dataChanged } from '../lib/changes.js'
import { t } from '../lib/i18n.js'
import type { OperationAnswer } from '../lib/operation.js'
import { useActionTable } from '../lib/session.js'
import { useRun, type AnswerOfAction } from '../lib/use-run.js'
import { ActionForm, titleOf } from './action-form.js'
import { ActionRun } from './action-run.js'
import { BulkRun } from './bulk-run.js'
import { PlanOf, usePreview } from './plan.js'
import { FailureNotice } from './failure-notice.js'

export interface ActionDialogProps {
  /** Name in the action table: `backups-verify`. */
  readonly action: string
  /** What it is about. Several: each of them, one by one. None: the form asks. */
  readonly instances?: readonly string[]
  /** Inputs that are decided: they are not asked for. */
  readonly given?: FieldValues
  /** What other fields hold first. */
  readonly initial?: FieldValues
  /** The only inputs that are asked for. Default: all that the action has. */
  readonly fields?: readonly string[]
  /** Inputs without which this use of the action makes no sense, though it bears it: `as` of restore. */
  readonly required?: readonly string[]
  /** Default: the name of the action for people. */
  readonly title?: string
  /** It is closed; what was begun goes on. */
  readonly onClose: () => void
  /** Told once when something may be different now: what was begun has ended, done or not. */
  readonly onDone?: (answer?: OperationAnswer | AnswerOfAction) => void
}

/**
 * Any action of the table: a form made of its row, its steps as they go on, and what came of it. What would be lost must
 * be confirmed by typing its name; what needs no answer begins at once. Closed, it goes on in the background.
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

function Steps({ row, title, instances = [], given = {}, initial = {}, onClose, onDone, ...use }: StepsProps) {
  const run = useRun(row)
  const [values, setValues] = useState(initial)
  const [bulk, setBulk] = useState<'idle' | 'running' | 'over'>('idle')
  const form = useId()
  const preview = usePreview(row)
  const inputs = inputsOf(row, { ...use, given, instances })
  const all = { ...given, ...aboutOf(row, instances), ...values }
  const confirmation = confirmationOf(row, all, instances)
  const isSimple = inputs.length === 0 && confirmation === undefined && instances.length <= 1
  const begin = () => (instances.length > 1 ? setBulk('running') : run.start(all))
  useOnce(isSimple, begin)
  const end = (result?: OperationAnswer | AnswerOfAction) => {
    dataChanged()
    onDone?.(result)
  }
  useOnce(run.isOver, () => end(run.result))

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
    const endBulk = () => {
      setBulk('over')
      end()
    }
    return frame(
      <BulkRun action={row} instances={instances} values={all} onEnd={endBulk} />,
      <Button kind={bulk === 'over' ? 'primary' : 'plain'} onClick={onClose}>
        {t(bulk === 'over' ? 'button.close' : 'bulk.stop')}
      </Button>,
    )
  }
  if (run.state === 'idle' && !isSimple)
    return frame(
      <>
        <ActionForm
          id={form}
          action={row}
          instances={instances}
          inputs={inputs}
          values={values}
          confirmation={confirmation}
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
        <Button kind={confirmation === undefined ? 'primary' : 'danger'} type="submit" form={form}>
          {titleOf(row.name) ?? t('form.run')}
        </Button>
      </>,
    )
  return frame(
    <ActionRun run={run} />,
    <>
      {run.operation !== undefined && (
        <ButtonLink kind="quiet" href={pathTo('operations', run.operation)}>
          {t('run.page')}
        </ButtonLink>
      )}
      {run.hasFailed && !isSimple && <Button onClick={run.reset}>{t('run.change')}</Button>}
      {close(run.isOver)}
    </>,
  )
}

function inputsOf(
  row: WireAction,
  { given = {}, fields, required = [], instances = [] }: Partial<ActionDialogProps>,
): WireAction['parameters'] {
  const subject = subjectOf(row)
  return [...row.parameters, ...row.options]
    .filter(({ name }) => given[name] === undefined && (fields?.includes(name) ?? true))
    .filter((input) => input !== subject || instances.length === 0)
    .map((input) => (required.includes(input.name) ? { ...input, required: true } : input))
}

/** The input that says what it is about. */
function aboutOf(row: WireAction, instances: readonly string[]): FieldValues {
  const subject = subjectOf(row)
  return subject && instances.length === 1 ? { [subject.name]: instances[0] as string } : {}
}

/** Does something when it becomes so, once each time. */
function useOnce(isSo: boolean, act: () => void): void {
  const done = useRef(false)
  useEffect(() => {
    if (isSo && !done.current) act()
    done.current = isSo
  }, [isSo])
}
