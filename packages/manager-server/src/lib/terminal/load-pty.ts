import { ManagerError } from '@steward/manager-core/errors'

export type Pty = typeof import('@lydell/node-pty')

/**
 * The optional package that makes pseudo-terminals.
 *
 * @throws ManagerError ERR_STATE when it is not there, or does not work on this system
 */
export async function loadPty(): Promise<Pty> {
  // Its binary needs glibc; on musl it would load, and take the server down with the first terminal.
  if (process.platform === 'linux' && !hasGlibc())
    throw new ManagerError('ERR_STATE', 'Terminals need a system with glibc.', { help: 'Use SSH.' })
  try {
    return await import('@lydell/node-pty')
  } catch (error) {
    throw new ManagerError('ERR_STATE', 'Terminals need the optional package @lydell/node-pty, which does not load.', {
      cause: error,
      help: 'Install the manager with its optional packages.',
    })
  }
}

let glibc: boolean | undefined

function hasGlibc(): boolean {
  if (glibc !== undefined) return glibc
  // Names of all peers would be looked up.
  Object.assign(process.report, { excludeNetwork: true })
  const { header } = process.report.getReport() as { readonly header?: { readonly glibcVersionRuntime?: string } }
  return (glibc = header?.glibcVersionRuntime !== undefined)
}
