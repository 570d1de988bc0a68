import type { WireAction } from '@steward/manager-core'
import { toast } from '@steward/page-kit'
import type { ApiFailure } from './api.js'
import { dataChanged } from './changes.js'
import { endOf } from './end-of.js'
import { t } from './i18n.js'
import { begin } from './use-run.js'

const shownMs = 10_000

/**
 * Says for a while what moved to the trash, with a button that restores it.
 *
 * @param undelete its row of the action table
 * @param answers of `delete`
 */
export function offerUndo(undelete: WireAction, answers: readonly object[]): void {
  const entries = answers.flatMap(({ entry }: { readonly entry?: unknown }) => (typeof entry === 'string' ? entry : []))
  if (entries.length === 0) return
  const names = { name: nameOf(entries[0] as string), count: entries.length }
  toast(t('trash.moved', names), {
    shownMs,
    action: {
      text: t('trash.undo'),
      async onPress() {
        const dismiss = toast(t('trash.restoring', names), { shownMs: Infinity })
        const failures: string[] = []
        for (const entry of entries) failures.push(...(await restore(undelete, entry)))
        dismiss()
        dataChanged()
        if (failures.length > 0) toast(failures.join(' '), { tone: 'bad' })
        else toast(t('trash.restored', names))
      },
    },
  })
}

/** `crm-20261122T120000Z-k3x9q2ab` → `crm` */
function nameOf(entry: string): string {
  return entry.slice(0, entry.indexOf('-'))
}

/** @returns why it could not be restored; empty: it is */
async function restore(undelete: WireAction, entry: string): Promise<readonly string[]> {
  try {
    const { operation } = await begin(undelete, { entry })
    const { state, message } = await endOf(operation as string)
    return state === 'succeeded' ? [] : [message]
  } catch (failure) {
    return [(failure as ApiFailure).message]
  }
}
