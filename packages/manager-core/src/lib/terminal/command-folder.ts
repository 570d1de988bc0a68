import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ManagerContext } from '../context.js'

/** A folder with the program `manager` of this installation, for the PATH of terminals. */
export function commandFolder({ home, command }: Pick<ManagerContext, 'home' | 'command'>): string {
  const file = join(home.programs, 'manager')
  const text = `#!/bin/sh\nexec ${command.map(quoted).join(' ')} "$@"\n`
  if (textOf(file) === text) return home.programs
  mkdirSync(home.programs, { recursive: true, mode: 0o755 })
  const beside = `${file}.${process.pid}`
  writeFileSync(beside, text)
  chmodSync(beside, 0o755)
  renameSync(beside, file)
  return home.programs
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
