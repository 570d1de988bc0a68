import { createStore } from '@steward/page-kit'
import { settings } from './settings.js'

/** A user whose view an administrator has. */
export interface Viewed {
  readonly login: string
  /** The administrator. */
  readonly by: string
}

const key = `steward.viewAs ${settings.rest}`
const viewed = createStore<Viewed | undefined>(readKept())

/** Whose view the pages show; undefined: one's own. */
export const viewAs = {
  ...viewed,
  /** From now on, in this tab. */
  set(user: Viewed | undefined): void {
    if (user) sessionStorage.setItem(key, JSON.stringify(user))
    else sessionStorage.removeItem(key)
    viewed.set(user)
  },
}

function readKept(): Viewed | undefined {
  const text = sessionStorage.getItem(key)
  return text === null ? undefined : (JSON.parse(text) as Viewed)
}
