import { Confirm, Notice, type ConfirmProps } from '@steward/page-kit'
import { useState } from 'preact/hooks'
import { messageOf } from './problem.js'

export interface ConfirmChangeProps extends Pick<ConfirmProps, 'title' | 'action' | 'danger' | 'onClose' | 'children'> {
  /** Changes something; once it has, the dialog is closed by its owner. @throws RestClientError */
  readonly onConfirm: () => Promise<void>
}

/** Asks before something is changed, and stays open with the reason when that is refused. */
export function ConfirmChange({ onConfirm, children, ...confirm }: ConfirmChangeProps) {
  const [isBusy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState('')
  async function change(): Promise<void> {
    setBusy(true)
    setRefusal('')
    try {
      await onConfirm()
    } catch (reason) {
      setRefusal(messageOf(reason))
      setBusy(false)
    }
  }
  return (
    <Confirm {...confirm} busy={isBusy} onConfirm={() => void change()}>
      {children}
      {refusal && <Notice tone="bad" title={refusal} />}
    </Confirm>
  )
}
