import { accessSync, constants, globSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { DatabaseServerError } from './database-server.js'
import type { DatabaseAccount, Launch } from './database-server.js'
import { runToEnd } from './run-tool.js'

/** Programs of a vendor by the name that they have here; the names under which they may be installed, best first. */
export type ToolNames = Readonly<Record<string, readonly string[]>>

export interface Tools {
  /** Absolute path, `undefined` when it is not there. */
  find(tool: string): string | undefined
  /** @throws DatabaseServerError ERR_NO_TOOL */
  need(tool: string): string
  /** How a program is launched for this account. */
  launch(account: DatabaseAccount): Launch | undefined
  /** What the program says to `--version`, its first line. */
  version(tool: string, account: DatabaseAccount): Promise<string>
  all(): Readonly<Record<string, string | undefined>>
}

/**
 * Looks for programs in `path` (default: `PATH`, then the folders of `usual`, newest first). Repeated at each call, so that
 * what was installed meanwhile is found.
 */
export function createTools(
  names: ToolNames,
  {
    path,
    usual = [],
    launch,
  }: { readonly path?: string; readonly usual?: readonly string[]; readonly launch?: Launch | undefined },
): Tools {
  const find = (tool: string): string | undefined => {
    const folders = [
      ...(path ?? process.env['PATH'] ?? '').split(delimiter),
      ...(path === undefined ? places(usual) : []),
    ]
    for (const name of names[tool] ?? [])
      for (const folder of folders) if (folder !== '' && isProgram(join(folder, name))) return join(folder, name)
    return undefined
  }
  const need = (tool: string): string => {
    const found = find(tool)
    if (found !== undefined) return found
    const called = (names[tool] ?? [tool]).join(' or ')
    throw new DatabaseServerError(
      'ERR_NO_TOOL',
      `The program ${called} is not there; install it, or put it on the PATH.`,
    )
  }
  return {
    find,
    need,
    launch: (account) => account.launch ?? launch,
    async version(tool, account) {
      const { output } = await runToEnd({
        command: need(tool),
        args: ['--version'],
        launch: account.launch ?? launch,
      })
      return output.split('\n')[0]?.trim() ?? ''
    },
    all: () => Object.fromEntries(Object.keys(names).map((tool) => [tool, find(tool)])),
  }
}

function places(patterns: readonly string[]): string[] {
  const newestFirst = new Intl.Collator('en', { numeric: true })
  return globSync(patterns).toSorted((one, other) => newestFirst.compare(other, one))
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
