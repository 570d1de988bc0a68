import { createWriteStream, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { execa } from 'execa'
import type { TestManager } from './create-test-manager.js'

/** Downloads with this input and unpacks by the system's tar. Gives the folder, called like the instance. */
export async function unpackDownload(
  { folder, perform }: TestManager,
  input: { readonly name: string; readonly type: string },
): Promise<string> {
  const { file } = await perform('download', input)
  const { name, content } = file as NonNullable<typeof file>
  const target = join(folder, `unpacked-${name}`)
  mkdirSync(target)
  const archive = join(target, 'archive.tar.gz')
  await pipeline(Readable.from(content()), createWriteStream(archive))
  await execa('tar', ['-xzf', archive, '-C', target])
  return join(target, input.name)
}
