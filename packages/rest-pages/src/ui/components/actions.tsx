import type { ActionMetadata } from '@steward/rest-core'
import { Button, Dialog, Notice, toast, type ButtonProps } from '@steward/page-kit'
import { RestClientError, type Task } from '@steward/rest-client'
import { useMemo, useState } from 'preact/hooks'
import { underLabel } from '../lib/field-message.js'
import { t } from '../lib/i18n.js'
import { useCommands } from '../lib/screen.js'
import { client } from '../lib/session.js'
import { Control } from '../record/control.js'
import { initialValue, toDrafts, toValue, type Values } from '../record/draft.js'
import '../styles/record.css'
import { Choices } from './choices.js'
import { messageOf } from './problem.js'

/** A record, or the records of a search. */
export type ActionTarget =
  | { readonly rowId: string }
  | { readonly filters: Readonly<Record<string, string | readonly string[]>>; readonly filter?: string | undefined }

export interface ActionsProps extends Pick<ButtonProps, 'small'> {
  readonly object: string
  /** Those that can run on it now. */
  readonly actions: readonly ActionMetadata[]
  readonly target: ActionTarget
  /** Records that it works on, when they are several. */
  readonly count?: number | undefined
  readonly onDone: () => void
}

/** More than these are in a menu. */
const most = 3

/** A button for each action; one that asks or has parameters opens a dialog first. */
export function Actions({ object, actions, target, count, onDone, small = false }: ActionsProps) {
  const [open, setOpen] = useState<ActionMetadata>()
  const items = actions.map((action) => ({
    id: `action ${action.name}`,
    label: action.label || action.name,
    help: action.help || undefined,
    run: () => setOpen(action),
  }))
  useCommands(useMemo(() => (small ? [] : items.map((one) => ({ ...one, about: t('palette.action') }))), [actions]))
  return (
    <>
      <Choices label={t('record.actions')} small={small} most={most} items={items} />
      {open && (
        <ActionDialog
          key={open.name}
          action={open}
          object={object}
          target={target}
          count={count}
          onClose={() => setOpen(undefined)}
          onDone={onDone}
        />
      )}
    </>
  )
}

/** Those that work on several records. */
export function onSearch({ scope }: ActionMetadata): boolean {
  return scope !== 'record'
}

interface ActionDialogProps extends Pick<ActionsProps, 'object' | 'target' | 'count' | 'onDone'> {
  readonly action: ActionMetadata
  readonly onClose: () => void
}

const formId = 'action-form'

function ActionDialog({ action, object, target, count, onClose, onDone }: ActionDialogProps) {
  const { parameters, name, label: text, confirm, help } = action
  const label = text || name
  const defaults = Object.fromEntries(parameters.map((field) => [field.name, initialValue(field)]))
  const [draft, setDraft] = useState<Values>(toDrafts(parameters, defaults))
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const [failure, setFailure] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [task, setTask] = useState<Task>()

  async function run(): Promise<void> {
    setBusy(true)
    setFailure('')
    setErrors({})
    try {
      const given = parameters.filter((field) => draft[field.name] !== '')
      const values = Object.fromEntries(given.map((field) => [field.name, toValue(field, draft[field.name])]))
      const answer = await client.object(object).action(name, values, target)
      say('task' in answer ? resultOf(await follow(answer.task)) : answer.result)
      onClose()
      onDone()
    } catch (reason) {
      const messages = RestClientError.is(reason) ? reason.messages : []
      setErrors(
        Object.fromEntries(
          messages.flatMap(({ field, text: said }) => (field ? [[field, underLabel(said, field)]] : [])),
        ),
      )
      setFailure(messageOf(reason, parameters))
      setTask(undefined)
      setBusy(false)
    }
  }

  /** The dialog may be closed meanwhile: the result comes as a message. */
  function follow(started: Task): Promise<Task> {
    setTask(started)
    return client.waitForTask(started.id, { onProgress: setTask })
  }

  function say(result: unknown): void {
    toast(typeof result === 'string' && result !== '' ? result : t('record.ran', { action: label }))
  }

  return (
    <Dialog
      title={label}
      onClose={onClose}
      locked={isBusy && !task}
      footer={
        task ? (
          <Button onClick={onClose}>{t('record.background')}</Button>
        ) : (
          <>
            <Button onClick={onClose} disabled={isBusy}>
              {t('button.cancel')}
            </Button>
            <Button kind="primary" type="submit" form={formId} busy={isBusy}>
              {t('record.run')}
            </Button>
          </>
        )
      }
    >
      {task ? (
        <div class="filter-form" role="status">
          <progress
            class="action-progress"
            aria-label={label}
            {...(task.total !== null && { max: task.total, value: task.done })}
          />
          <p>{task.text || t('record.started', { action: label })}</p>
        </div>
      ) : (
        <form
          id={formId}
          class="filter-form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            if (!isBusy) void run()
          }}
        >
          {count !== undefined && <p>{t('list.count', { count })}</p>}
          {(confirm || help) && <p>{confirm || help}</p>}
          {failure && <Notice tone="bad" title={failure} />}
          {parameters.map((field) => (
            <Control
              key={field.name}
              field={field}
              label={field.label || field.name}
              value={draft[field.name]}
              onChange={(value) => setDraft((now) => ({ ...now, [field.name]: value }))}
              error={errors[field.name]}
              isNew
            />
          ))}
        </form>
      )}
    </Dialog>
  )
}

/** @throws Error with what the action said when it failed */
function resultOf({ status, result, error }: Task): unknown {
  if (status === 'done') return result
  throw new Error(error?.message ?? t('record.cancelled'))
}
