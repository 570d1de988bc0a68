import type { RuntimeRow } from '../../runtime/built-in.js'
import { createProcessRuntime } from '../../runtime/create-process-runtime.js'

/** Processes under another name, in the same folders and of the same accounts: an instance can be moved there. */
export const anotherRuntime: RuntimeRow = {
  runs: ['node'],
  make: () => ({
    ...createProcessRuntime(),
    name: 'another',
    probe: async () => ({ ok: true, message: 'Instances run beside the others.' }),
  }),
}
