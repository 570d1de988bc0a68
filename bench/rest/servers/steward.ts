import type { OpenServer } from '../servers.ts'

/** This project, with authentication, rights, hooks and ETags switched on. */
export const open: OpenServer = async () => {
  throw new Error('not written yet')
}
