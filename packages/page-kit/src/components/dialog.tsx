import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { t } from '../lib/i18n.js'
import '../styles/dialog.css'
import { Button } from './button.js'
import { useModal } from './use-modal.js'

export interface DialogProps {
  /** Default: yes; for those who draw it only while it is. */
  readonly open?: boolean
  readonly title: string
  /** Escape, the cross, a press beside it. */
  readonly onClose: () => void
  /** Something is under way: it cannot be closed. */
  readonly locked?: boolean
  /** Default `normal`: 34 rem. */
  readonly size?: 'normal' | 'wide'
  /** Buttons below, which stay in sight. */
  readonly footer?: ComponentChildren
  readonly children: ComponentChildren
}

/**
 * A modal dialog. Its content is there only while it is open, so that each opening starts afresh. The focus goes to the
 * first field with `autofocus`, else to the dialog, and comes back in the end.
 */
export function Dialog(props: DialogProps) {
  return (props.open ?? true) ? <OpenDialog {...props} /> : null
}

function OpenDialog({ title, onClose, locked = false, size = 'normal', footer, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useModal(element)
  // What had the focus may be gone: a form whose answer is shown now.
  useEffect(() => {
    if (document.activeElement === document.body) element.current?.focus()
  })
  const close = () => !locked && onClose()
  return (
    <dialog
      ref={element}
      class={`dialog ${size}`}
      aria-labelledby={id}
      tabIndex={-1}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
      onMouseDown={(event) => event.target === element.current && close()}
    >
      <div class="dialog-frame">
        <header class="dialog-head">
          <h2 id={id}>{title}</h2>
          <Button kind="quiet" icon="close" label={t('button.close')} onClick={close} disabled={locked} />
        </header>
        <div class="dialog-body">{children}</div>
        {footer !== undefined && <footer class="dialog-foot">{footer}</footer>}
      </div>
    </dialog>
  )
}

export interface ConfirmProps extends Pick<DialogProps, 'open' | 'title' | 'onClose' | 'children'> {
  /** What the button says that does it. */
  readonly action: string
  readonly onConfirm: () => void
  readonly danger?: boolean
  readonly busy?: boolean
}

/** Asks before something is done. The button that leaves it has the focus. */
export function Confirm({ action, onConfirm, danger = false, busy = false, children, ...rest }: ConfirmProps) {
  return (
    <Dialog
      {...rest}
      locked={busy}
      footer={
        <>
          <Button autofocus onClick={rest.onClose} disabled={busy}>
            {t('button.cancel')}
          </Button>
          <Button kind={danger ? 'danger' : 'primary'} onClick={onConfirm} busy={busy}>
            {action}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  )
}
