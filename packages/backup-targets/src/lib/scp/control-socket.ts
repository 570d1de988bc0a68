import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SshSettings } from './settings.js'

/** The name of a socket has at most 103 bytes, and `ssh` first makes one with a longer name. */
const longestFolder = 60

/** The settings of a connection that commands can go over by a socket; without it, they connect by themselves. */
export function withControlSocket(settings: SshSettings): SshSettings & { readonly controlPath: string } {
  const temporary = tmpdir()
  const folder = mkdtempSync(join(temporary.length > longestFolder ? '/tmp' : temporary, 'steward-ssh-'))
  return { ...settings, controlPath: join(folder, 'control') }
}

export function removeControlSocket({ controlPath }: { readonly controlPath: string }): void {
  rmSync(join(controlPath, '..'), { recursive: true, force: true })
}
