import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import { removeTree } from '../accounts/remove-tree.js'
import { ManagerError } from '../../errors.js'

/** What is used of yauzl 3, which has no types of its own; those of others are of version 2. */
interface Yauzl {
  openPromise(path: string): Promise<{
    eachEntry(): AsyncIterable<ZipEntry>
    openReadStreamPromise(entry: ZipEntry): Promise<Readable>
    close(): void
  }>
}

interface ZipEntry {
  /** Relative, without `..`; of a folder it ends with a slash. */
  readonly fileName: string
  readonly crc32: number
}

/**
 * Puts what is in the one `*.war` of a folder in place of all that is there. Nothing to do for a folder that has a web
 * application, or an application for Node, already.
 *
 * @throws ManagerError ERR_TEMPLATE when there are several, or it is not whole
 */
export async function unpackWar(folder: string, signal?: AbortSignal): Promise<void> {
  const names = await readdir(folder)
  const wars = names.filter((name) => name.toLowerCase().endsWith('.war'))
  const [war] = wars
  if (war === undefined || names.includes('WEB-INF') || names.includes('app.yaml')) return
  if (wars.length > 1)
    throw new ManagerError('ERR_TEMPLATE', `It has ${wars.length} web applications: ${wars.join(', ')}.`, {
      help: 'A template is one application: leave one *.war in the folder.',
    })
  const unpacked = join(folder, '.unpacked')
  await mkdir(unpacked)
  try {
    await unpack(join(folder, war), unpacked, signal)
  } catch (error) {
    signal?.throwIfAborted()
    throw new ManagerError('ERR_TEMPLATE', `${war} cannot be unpacked: ${(error as Error).message}.`, {
      cause: error,
      help: 'It is not a complete WAR file. Build or copy it again, then refresh.',
    })
  }
  for (const name of names) await removeTree(join(folder, name))
  for (const name of await readdir(unpacked)) await rename(join(unpacked, name), join(folder, name))
  await removeTree(unpacked)
}

async function unpack(war: string, folder: string, signal: AbortSignal | undefined): Promise<void> {
  const { default: yauzl } = (await import('yauzl')) as unknown as { readonly default: Yauzl }
  // It refuses names that lead out of the folder.
  const zip = await yauzl.openPromise(war)
  try {
    for await (const entry of zip.eachEntry()) {
      const path = join(folder, entry.fileName)
      if (entry.fileName.endsWith('/')) {
        await mkdir(path, { recursive: true })
        continue
      }
      await mkdir(dirname(path), { recursive: true })
      let sum = 0
      const content = await zip.openReadStreamPromise(entry)
      content.on('data', (piece: Buffer) => (sum = crc32(piece, sum)))
      await pipeline(content, createWriteStream(path, { flags: 'wx' }), signal ? { signal } : {})
      if (sum !== entry.crc32) throw new Error(`${entry.fileName} is damaged`)
    }
  } finally {
    zip.close()
  }
}
