import { existsSync, readdirSync, statSync } from 'node:fs'
import { mkdir, open, readdir, rename, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree } from '../accounts/remove-tree.js'
import type { Home } from '../domain/home.js'
import { forgetAttempts } from './attempts.js'
import { readCertificate, type CertificateInfo } from './certificate.js'
import { readPair } from './read-pair.js'

/** A certificate that was issued over ACME, with its files. */
export interface StoredCertificate extends CertificateInfo {
  /** The first of the names that it was asked for; its folder is called so. */
  readonly name: string
  readonly certificate: string
  readonly key: string
}

/** How many of a name are kept: workers of a proxy may still read the one before. */
const kept = 2

const folderPattern = /^\d{8}T\d{9}Z$/

/**
 * The newest one of each name. A certificate and its key lie in a folder of their own, `<name>/<time>/`, which appears as a
 * whole and is never changed: who reads one file also finds the other one that belongs to it.
 */
export function storedCertificates(folder: string): readonly StoredCertificate[] {
  return namesIn(folder).flatMap((name) => newest(folder, name) ?? [])
}

function newest(folder: string, name: string): StoredCertificate | undefined {
  const generations = foldersIn(join(folder, name)).filter((one) => folderPattern.test(one))
  for (const generation of generations.toSorted().toReversed()) {
    const at = (file: string) => join(folder, name, generation, file)
    try {
      if (!existsSync(at('key.pem'))) continue
      const files = { certificate: at('cert.pem'), key: at('key.pem') }
      readPair(files)
      return { name, ...files, ...readCertificate(files.certificate) }
    } catch {
      // Damaged by hand: the one before, else it is issued again.
    }
  }
  return undefined
}

/** Changes when a certificate is stored. */
export function stampOf(folder: string): number {
  return statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

/** Atomically, with the key readable by its owner alone. */
export async function storeCertificate(
  { certificates: folder }: Pick<Home, 'certificates'>,
  name: string,
  { certificate, key, at }: { readonly certificate: string; readonly key: string; readonly at: Date },
): Promise<void> {
  const own = join(folder, name)
  const generation = freeName(own, at)
  const beside = join(own, `.${generation}`)
  // Left by orders that were killed or found no room.
  for (const one of foldersIn(own)) if (one.startsWith('.')) await removeTree(join(own, one))
  await mkdir(beside, { recursive: true, mode: 0o700 })
  await write(join(beside, 'cert.pem'), certificate)
  await write(join(beside, 'key.pem'), key)
  await rename(beside, join(own, generation))
  await touch(folder)
  const old = (await readdir(own))
    .filter((one) => folderPattern.test(one))
    .toSorted()
    .slice(0, -kept)
  for (const one of old) await removeTree(join(own, one))
}

/** Two may come at the same time of a clock. */
function freeName(own: string, at: Date): string {
  const name = at.toISOString().replaceAll(/[-:.]/g, '')
  return existsSync(join(own, name)) ? freeName(own, new Date(at.getTime() + 1)) : name
}

/** What is left of attempts goes, too. */
export async function removeCertificate(home: Pick<Home, 'certificates'>, name: string): Promise<void> {
  await removeTree(join(home.certificates, name))
  await touch(home.certificates)
  await forgetAttempts(home, name)
}

/** Notifies readers that there are new ones. */
async function touch(folder: string): Promise<void> {
  const now = new Date()
  await utimes(folder, now, now)
}

async function write(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Folders of certificates are called like hosts, which have a dot; those of other things have none. */
function namesIn(folder: string): readonly string[] {
  return foldersIn(folder).filter((name) => /^[^.].*\../.test(name))
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
