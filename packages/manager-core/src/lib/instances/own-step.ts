import { accountAt, type SystemAccount } from '../accounts/account.js'
import { foreignStats } from '../accounts/foreign.js'
import { endAllOf } from '../accounts/end-all-of.js'
import { giveHome, takeHome } from '../accounts/give.js'
import type { Step } from '../context.js'
import { instanceHomeAt } from '../domain/home.js'
import type { Json } from '../domain/json.js'
import { fileError } from '../files/file-error.js'
import { madeAccount } from './account-step.js'

/** Makes a home that is stopped that of the account that `accountStep` made. */
export function ownStep(folder: string): Step {
  const home = instanceHomeAt(folder)
  return {
    id: 'own',
    title: 'Change the owner of its files to the account',
    // Its own files may be those of an account whose home it was, or which is gone.
    async intent(): Promise<Json> {
      const account = accountAt(folder)
      return { account: account ? { ...account } : null, uid: foreignStats(home.app)?.uid ?? 0 }
    },
    do: (run) =>
      changeOwner(folder, () => giveHome(home, madeAccount(run), (run.intent as { readonly uid: number }).uid)),
    undo: (run) =>
      changeOwner(folder, async () => {
        const made = madeAccount(run)
        const { account } = run.intent as { readonly account: SystemAccount | null }
        await endAllOf(made)
        await (account ? giveHome(home, account, made.uid) : takeHome(home, made.uid))
      }),
    check: () => 'not-done',
  }
}

/** What the system says, with what was attempted. */
export async function changeOwner<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw fileError(error, `Cannot change the owner of ${folder}`)
  }
}
