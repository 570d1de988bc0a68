import { useEffect } from 'preact/hooks'
import type { WireAction } from '@steward/manager-core'
import { createStore, useStore } from '@steward/page-kit'
import type { SignedInUser } from '../../lib/session/session-answer.js'
import { signInAddress } from './addresses.js'
import { api, type ApiFailure } from './api.js'
import { signedIn, untilSignedIn } from './ask.js'
import { isConnected } from './connection.js'
import { onOtherTab } from './session-key.js'
import { whoIsSignedIn } from './sign-in.js'

interface Asked<T> {
  readonly data?: T
  readonly failure?: ApiFailure
}

/** @returns asks once per load of the page; again after a failure, when a page needs it or the server answers again */
function asking<T>(ask: () => Promise<T>) {
  const store = createStore<Asked<T>>({})
  let begun = false
  const begin = (): void => {
    if (begun) return
    begun = true
    ask().then(
      (data) => store.set({ data }),
      (failure: ApiFailure) => {
        begun = false
        store.set({ failure })
      },
    )
  }
  isConnected.subscribe(() => isConnected.get() && store.get().failure && begin())
  return { store, begin }
}

const session = asking(async (): Promise<SignedInUser> => {
  for (;;) {
    const user = await whoIsSignedIn()
    if (user) return user
    await untilSignedIn()
  }
})
const table = asking(async (): Promise<ReadonlyMap<string, WireAction>> => {
  const { list } = await api<{ list: readonly WireAction[] }>('actions')
  return new Map(list.map((row) => [row.name, row]))
})

/** Whether there is a terminal, and who uses the pages may have one. */
export function hasTerminal({ features, abilities, instances }: SignedInUser): boolean {
  const mayAll = abilities.includes('admin') && abilities.includes('sensitive') && instances === null
  return features.terminal && mayAll
}

/** Who uses the pages; undefined until it is known. */
export function useSession(): SignedInUser | undefined {
  useEffect(session.begin, [])
  return useStore(session.store).data
}

/** What there is to do. */
export interface ActionTable {
  /** Undefined until the table is there. */
  readonly rows: ReadonlyMap<string, WireAction> | undefined
  readonly failure: ApiFailure | undefined
  /** Whether it may be offered; no while that is not known. */
  isAllowed(action: string): boolean
}

export function useActionTable(): ActionTable {
  useEffect(table.begin, [])
  const { data, failure } = useStore(table.store)
  return { rows: data, failure, isAllowed: (action) => data?.get(action)?.allowed ?? false }
}

/** A user signed in while the page was open; it shows nothing to one user that it asked for on behalf of another. */
export function userIsThere({ actor }: SignedInUser): void {
  const before = session.store.get().data
  if (before && before.actor !== actor) location.reload()
  else signedIn()
}

onOtherTab((key) => {
  // Signed out there: nothing stays open here, neither streams nor terminals.
  if (key === undefined) location.replace(signInAddress())
  else void whoIsSignedIn().then((user) => user && userIsThere(user))
})
