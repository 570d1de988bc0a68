import type { FieldMetadata } from '@steward/rest-core'
import { Button, Dialog, Notice, type DialogProps } from '@steward/page-kit'
import { RestClientError } from '@steward/rest-client'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { underLabel } from '../lib/field-message.js'
import { t } from '../lib/i18n.js'
import '../styles/dialog-form.css'
import { messageOf } from './problem.js'

/** Messages by field. */
export type Errors = Readonly<Record<string, string>>

/** What is saved by a form, and what was wrong with it the last time. */
export interface Saving {
  readonly isBusy: boolean
  readonly errors: Errors
  /** What is not said at a field; empty: nothing. */
  readonly failure: string
  /** @param work saves; once it has, the form is closed by its owner */
  readonly save: (work: () => Promise<void>) => Promise<void>
}

/**
 * @param fields names of those that show their errors
 * @param labels fields that messages name by their labels
 */
export function useSaving(fields: readonly string[], labels: readonly FieldMetadata[] = []): Saving {
  const [errors, setErrors] = useState<Errors>({})
  const [failure, setFailure] = useState('')
  const [isBusy, setBusy] = useState(false)
  return {
    isBusy,
    errors,
    failure,
    async save(work) {
      setBusy(true)
      setFailure('')
      setErrors({})
      try {
        await work()
      } catch (reason) {
        const placed = placedErrors(reason, fields, labels)
        setErrors(placed.errors)
        setFailure(placed.failure)
        setBusy(false)
      }
    },
  }
}

/** The messages of a refusal about fields that are shown, and its other message. */
function placedErrors(
  reason: unknown,
  fields: readonly string[],
  labels: readonly FieldMetadata[],
): Pick<Saving, 'errors' | 'failure'> {
  if (reason instanceof SyntaxError) return { errors: {}, failure: t('record.notJson') }
  const messages = RestClientError.is(reason) ? reason.messages : []
  const placed = messages.filter(({ field }) => field !== undefined && fields.includes(field))
  return {
    errors: Object.fromEntries(placed.map(({ field, text }) => [field as string, underLabel(text, field as string)])),
    failure: placed.length > 0 && placed.length === messages.length ? t('record.invalid') : messageOf(reason, labels),
  }
}

export interface DialogFormProps extends Pick<DialogProps, 'title' | 'size' | 'onClose' | 'children'> {
  /** What the button says that submits it. */
  readonly action: string
  readonly saving: Saving
  /**
   * Saves.
   *
   * @param given fields that have a name
   * @throws RestClientError
   */
  readonly onSave: (given: FormData) => Promise<void>
  /** Whether the browser checks its fields first. Default: no, what is wrong is said at the field. */
  readonly validated?: boolean
}

/** A form in a dialog, which stays open until it is saved. The first field that is wrong has the focus. */
export function DialogForm({ title, size, action, saving, validated, onClose, onSave, children }: DialogFormProps) {
  const { isBusy, errors, failure, save } = saving
  const id = useId()
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus(), [errors])
  return (
    <Dialog
      title={title}
      {...(size && { size })}
      onClose={onClose}
      locked={isBusy}
      footer={
        <>
          <Button onClick={onClose} disabled={isBusy}>
            {t('button.cancel')}
          </Button>
          <Button kind="primary" type="submit" form={id} busy={isBusy}>
            {action}
          </Button>
        </>
      }
    >
      <form
        id={id}
        ref={form}
        class="dialog-form"
        noValidate={!validated}
        onSubmit={(event) => {
          event.preventDefault()
          const given = new FormData(event.currentTarget)
          if (!isBusy) void save(() => onSave(given))
        }}
      >
        {failure && <Notice tone="bad" title={failure} />}
        {children}
      </form>
    </Dialog>
  )
}
