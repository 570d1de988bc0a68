import type { OpenServer } from '../servers.ts'
import { serveSteward } from './steward.ts'

/** The same with a hook after each write, which may undo it: each write is then a transaction around it. */
export const open: OpenServer = (target) => serveSteward(target, { postSave: () => {} })
