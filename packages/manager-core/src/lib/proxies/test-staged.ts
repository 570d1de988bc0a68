import { randomBytes } from 'node:crypto'

import { join } from 'node:path'
import { removeTreeSync } from '../accounts/remove-tree.js'
import { ManagerError } from '../../errors.js'
import type { ProxyRefusal } from './reverse-proxy.js'
import { makeShadow } from './shadow.js'

export interface StagedTest {
  readonly mainFile: string
  /** Folder with all generations and `live`. */
  readonly folder: string
  readonly staged: string
  /** Line that belongs into the main file. */
  readonly includeLine: string
  /** Runs the program's own test. */
  readonly run: (mainFile: string) => Promise<ProgramTest>
}

export interface ProgramTest {
  readonly refusal?: ProxyRefusal
  /** Whether the program has read what is staged. Absent: unknown; then it is enough that a file names it. */
  readonly isIncluded?: boolean
}

/**
 * Tests the whole configuration with another generation in it.
 *
 * @throws ManagerError ERR_SETTINGS when the configuration does not include what is published, or cannot be read
 */
export async function testStaged({
  mainFile,
  folder,
  staged,
  includeLine,
  run,
}: StagedTest): Promise<ProxyRefusal | undefined> {
  const shadowFolder = join(folder, 'generations', `check-${randomBytes(4).toString('hex')}`)
  try {
    const shadow = shadowOf()
    if (!shadow.isIncluded) throw notIncluded()
    const { refusal, isIncluded = true } = await run(shadow.mainFile)
    if (!refusal && !isIncluded) throw notIncluded()
    return refusal?.file === undefined ? refusal : { ...refusal, file: shadow.real(refusal.file) }
  } finally {
    removeTreeSync(shadowFolder)
  }

  function notIncluded(): ManagerError {
    return new ManagerError('ERR_SETTINGS', `${mainFile} does not include the manager's configuration.`, {
      help: `Add this line to it, or to a file that it includes in the same folder: ${includeLine}`,
      command: 'proxy check',
    })
  }

  function shadowOf() {
    try {
      return makeShadow({ mainFile, live: join(folder, 'live'), staged, own: folder, folder: shadowFolder })
    } catch (error) {
      throw new ManagerError(
        'ERR_SETTINGS',
        `The configuration of the reverse proxy cannot be read: ${(error as Error).message}.`,
        {
          cause: error,
          help: 'Set APPS_PROXYCONFIG to its main file.',
        },
      )
    }
  }
}
