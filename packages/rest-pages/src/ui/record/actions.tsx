import type { ActionMetadata, ObjectMetadata } from '@steward/rest-core'
import { Button, Dialog, Notice, toast } from '@steward/page-kit'
import { RestClientError } from '@steward/rest-client'
import { useMemo, useState } from 'preact/hooks'
import { messageOf } from '../components/problem.js'
import { t } from '../lib/i18n.js'
import { useCommands } from '../lib/screen.js'
import { client } from '../lib/session.js'
import { Control } from './control.js'
import { toDrafts, toValue, type Values } from './draft.js'

export interface ActionsProps {
  /** Metadata of this record: it has the actions that can run on it now. */
  readonly metadata: ObjectMetadata
  readonly id: string
  readonly onDone: () => void
}

/** A button for each action of a record; one that asks or has parameters opens a dialog first. */
export function Actions({ metadata, id, onDone }: ActionsProps) {
  const [open, setOpen] = useState<ActionMetadata>()
  useCommands(
    useMemo(
      () =>
        metadata.actions.map((action) => ({
          id: `action ${action.name}`,
          label: action.label || action.name,
          about: t('palette.action'),
          run: () => setOpen(action),
        })),
      [metadata],
    ),
  )
  return (
    <>
      {metadata.actions.map((action) => (
        <Button key={action.name} title={action.help || undefined} onClick={() => setOpen(action)}>
          {action.label || action.name}
        </Button>
      ))}
      {open && (
        <ActionDialog
          key={open.name}
          action={open}
          object={metadata.name}
          id={id}
          onClose={() => setOpen(undefined)}
          onDone={onDone}
        />
      )}
    </>
  )
}

interface ActionDialogProps {
  readonly action: ActionMetadata
  readonly object: string
  readonly id: string
  readonly onClose: () => void
  readonly onDone: () => void
}

const formId = 'action-form'

function ActionDialog({ action, object, id, onClose, onDone }: ActionDialogProps) {
  const { parameters, name, label: text, confirm, help, background } = action
  const label = text || name
  const defaults = Object.fromEntries(parameters.map((field) => [field.name, field.defaultValue]))
  const [draft, setDraft] = useState<Values>(toDrafts(parameters, defaults))
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const [failure, setFailure] = useState('')
  const [isBusy, setBusy] = useState(false)

  async function run(): Promise<void> {
    setBusy(true)
    try {
      const given = parameters.filter((field) => draft[field.name] !== '')
      const values = Object.fromEntries(given.map((field) => [field.name, toValue(field, draft[field.name])]))
      const answer = await client.object(object).action(name, values, { rowId: id })
      const result = 'result' in answer && typeof answer.result === 'string' ? answer.result : ''
      toast(result || t(background ? 'record.started' : 'record.ran', { action: label }))
      onClose()
      onDone()
    } catch (reason) {
      const messages = RestClientError.is(reason) ? reason.messages : []
      setErrors(Object.fromEntries(messages.flatMap(({ field, text: said }) => (field ? [[field, said]] : []))))
      setFailure(messageOf(reason))
      setBusy(false)
    }
  }

  return (
    <Dialog
      title={label}
      onClose={onClose}
      locked={isBusy}
      footer={
        <>
          <Button onClick={onClose} disabled={isBusy}>
            {t('button.cancel')}
          </Button>
          <Button kind="primary" type="submit" form={formId} busy={isBusy}>
            {t('record.run')}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        class="filter-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy) void run()
        }}
      >
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
          />
        ))}
      </form>
    </Dialog>
  )
}
