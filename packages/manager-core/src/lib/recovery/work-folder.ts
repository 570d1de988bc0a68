import { mkdir, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree } from '../accounts/remove-tree.js'
import type { Home } from '../domain/home.js'
import { removeWorkOfDead } from '../store/registry-copies.js'

/**
 * Does work in a folder of its own below the copies of the registry, which may hold secrets and is removed afterwards; so
 * are those of processes that were killed.
 */
export async function inWorkFolder<T>(
  { registryCopies }: Pick<Home, 'registryCopies'>,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  await mkdir(registryCopies, { recursive: true, mode: 0o700 })
  removeWorkOfDead(registryCopies)
  const folder = await mkdtemp(join(registryCopies, `.work-${process.pid}-`))
  try {
    return await work(folder)
  } finally {
    await removeTree(folder)
  }
}
