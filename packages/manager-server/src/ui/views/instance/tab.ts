import type { WireHealth } from '@steward/manager-core'
import type { ActionDialogProps } from '../../components/action-dialog.js'
import type { Instance } from '../../lib/instance.js'

/** How an action is asked for, beside its name and the instance. */
export type ActionUse = Omit<ActionDialogProps, 'action' | 'onClose'>

/** Starts an action on the instance; a dialog opens for one that needs an answer. */
export type Ask = (action: string, use?: ActionUse) => void

/** What each tab of an instance is given. */
export interface TabProps {
  readonly item: Instance
  readonly ask: Ask
  /** See `useHealth`. */
  readonly health: WireHealth | undefined
  /** What is shown of the instance may be different now. */
  readonly reload: () => void
}
