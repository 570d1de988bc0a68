import { createStore } from '@steward/page-kit'

/** Grows with each action of this page that has ended, done or not: what is shown may be out of date. */
export const changes = createStore(0)

/** Everything that is shown is read again. */
export function dataChanged(): void {
  changes.set(changes.get() + 1)
}
