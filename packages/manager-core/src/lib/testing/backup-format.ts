import { readFileSync } from 'node:fs'
import { execa } from 'execa'

/** The page that documents backups. */
export const backupFormat = readFileSync(new URL('../../../../../docs/backup-format.md', import.meta.url), 'utf8')

/** Runs the shell block of this name of the page. @returns what it printed */
export async function runBlock(
  name: string,
  { folder, environment = {} }: { readonly folder: string; readonly environment?: Readonly<Record<string, string>> },
): Promise<string> {
  const [, block] = new RegExp(`\`\`\`sh ${name}\n([^]*?)\`\`\``).exec(backupFormat) ?? []
  if (block === undefined) throw new Error(`docs/backup-format.md has no block "${name}"`)
  const { stdout } = await execa('sh', ['-euc', block], { cwd: folder, env: environment, stdin: 'ignore' })
  return stdout
}
