import type { ActionDialogProps } from '../../components/action-dialog.js'
import type { Instance } from '../../lib/instance.js'

/** How an action is asked for, beside its name and the instance. */
export type Use = Omit<ActionDialogProps, 'action' | 'onClose'>

/** Opens the dialog of an action on the instance. */
export type Ask = (action: string, use?: Use) => void

/** What each tab of an instance is given. */
export interface TabProps {
  readonly item: Instance
  readonly ask: Ask
  /** What is shown of the instance may be different now. */
  readonly reload: () => void
}
