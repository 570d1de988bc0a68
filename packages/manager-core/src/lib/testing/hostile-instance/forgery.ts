import { createHash } from 'node:crypto'
import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import type { Manifest } from '../../backup/backup.js'
import { manifestName, manifestText } from '../../backup/manifest.js'
import { randomId } from '../../domain/names.js'

/** What is changed in a good backup by someone who can write where backups are. */
export interface Forgery {
  readonly name: string
  /** @param folder of the backup @param variables of attacks, see `attack.ts` */
  readonly forge: (folder: string, variables: Readonly<Record<string, string>>) => void
}

/** A copy of a backup, of the same instance. @returns its folder */
export function copyBackup(folder: string): string {
  const { id } = readManifestOf(folder)
  const copy = id.replace(/[^-]*$/, randomId())
  const to = join(dirname(folder), copy)
  cpSync(folder, to, { recursive: true })
  forgeManifest(to, (manifest) => ({ ...manifest, id: copy }))
  return to
}

/** Changes the manifest, which fits the rest: its hash is none of a secret. */
export function forgeManifest(folder: string, change: (manifest: Manifest) => object): void {
  const file = join(folder, manifestName)
  const text = manifestText(change(readManifestOf(folder)) as Manifest)
  chmodSync(file, 0o600)
  writeFileSync(file, text)
}

/** Puts a file in, or another one in its place. */
export function forgeFile(folder: string, name: string, content: Buffer): void {
  const stored = zstdCompressSync(content)
  writeFileSync(join(folder, name), stored, { mode: 0o600 })
  const file = {
    name,
    size: stored.length,
    sha256: hashOf(stored),
    plainSize: content.length,
    plainSha256: hashOf(content),
  }
  forgeManifest(folder, (manifest) => ({
    ...manifest,
    files: [...manifest.files.filter((one) => one.name !== name), file],
  }))
}

function readManifestOf(folder: string): Manifest {
  const { sha256: _hash, ...manifest } = JSON.parse(readFileSync(join(folder, manifestName), 'utf8')) as Manifest & {
    sha256: string
  }
  return manifest
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
