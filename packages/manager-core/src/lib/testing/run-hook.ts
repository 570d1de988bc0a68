import { createManager, type ManagerOptions } from '../manager.js'

// Runs the hook `monitoring` of a manager.
const { context, close } = createManager(JSON.parse(process.argv[2] as string) as ManagerOptions)
await context.hooks.run({ hook: 'monitoring', args: [], environment: {}, input: {} })
close()
