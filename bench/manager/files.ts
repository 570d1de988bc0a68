import { randomBytes } from 'node:crypto'
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchHome } from './commands.ts'

const block = 2 ** 20

/** Adds the instance `bench` with that many documents, stopped. @returns its folder. */
export async function addStopped(home: BenchHome, megabytes: number): Promise<string> {
  await home.manager('add', 'bench')
  await home.manager('stop', 'bench')
  // Folders are called by the internal id.
  const { id } = home.json('get', 'bench').item as { id: string }
  const folder = join(home.folder, 'instances', id)
  writeDocuments(join(folder, 'data', 'documents'), megabytes)
  return folder
}

/** Documents as applications keep them: half of each compresses well, half not at all; one in five is large. */
export function writeDocuments(folder: string, megabytes: number): void {
  mkdirSync(folder, { recursive: true })
  const text = Buffer.alloc(block / 2, 'Business objects and what belongs to them. ')
  let [left, number] = [megabytes, 0]
  while (left > 0) {
    const size = Math.min(left, number % 5 === 0 ? 20 : 1)
    const file = openSync(join(folder, `document-${number++}.bin`), 'w')
    for (let n = 0; n < size; n++) {
      writeSync(file, text)
      writeSync(file, randomBytes(block / 2))
    }
    closeSync(file)
    left -= size
  }
}
