import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Backup, ManifestFile } from '../backup/backup.js'
import { manifestName, manifestText } from '../backup/manifest.js'

/** Changes the dump of a backup, and makes its manifest fit: all hashes are right. @returns id of the backup */
export function forgeDump({ folder, manifest }: Backup, change: (plain: Buffer) => Buffer): string {
  const files = manifest.files.map((file): ManifestFile => {
    if (!file.name.startsWith('db.')) return file
    const stored = join(folder, file.name)
    const plain = change(execFileSync('zstd', ['-dc', '--quiet'], { input: readFileSync(stored) }))
    const bytes: Buffer = execFileSync('zstd', ['-qc', '--check'], { input: plain })
    chmodSync(stored, 0o600)
    writeFileSync(stored, bytes)
    const hash = (each: Buffer) => createHash('sha256').update(each).digest('hex')
    return { ...file, size: bytes.length, sha256: hash(bytes), plainSize: plain.length, plainSha256: hash(plain) }
  })
  chmodSync(join(folder, manifestName), 0o600)
  writeFileSync(join(folder, manifestName), manifestText({ ...manifest, files }))
  return manifest.id
}
