import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { ManagerError } from '../../errors.js'

/** Absolute path of a program; those of administrators are not in the `PATH` of every caller. */
export function programPath(program: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin', '/usr/bin', '/bin']
  return folders.map((folder) => join(folder || '.', program)).find(existsSync)
}

/** @throws ManagerError ERR_FAILED with what the program printed */
export async function run(program: string, args: readonly string[]): Promise<void> {
  const { execa } = await import('execa')
  const { failed, stderr, shortMessage } = await execa(programPath(program) ?? program, args, {
    reject: false,
    stdin: 'ignore',
  })
  if (!failed) return
  throw new ManagerError('ERR_FAILED', `${program} failed: ${stderr.trim().split('\n').at(-1) || shortMessage}`, {
    output: stderr.trim().slice(-2000),
  })
}
