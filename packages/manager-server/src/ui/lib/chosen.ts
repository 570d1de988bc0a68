import { createStore } from '@steward/page-kit'

const none: readonly string[] = []

/** Names of the instances that are selected in the list, while it is shown. */
export const chosenInstances = createStore(none)
