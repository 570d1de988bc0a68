import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ManagerError } from '../../errors.js'
import type { Home } from '../domain/home.js'
import { believedTime } from '../history/believed-time.js'
import type { Settings } from '../settings/settings.js'
import { createDocumentBucketRows } from '../store/document-bucket-rows.js'
import type { Registry } from '../store/registry.js'
import type { Uptime } from '../system/uptime.js'
import { isGiven, newPlace, useBucket } from './bucket.js'
import { filesIn } from './document-files.js'

interface Context {
  readonly home: Home
  readonly settings: Settings
  readonly registry: Registry
  readonly clock: () => Date
  readonly uptime: () => Uptime
}

/** How long a place stays after the last instance that used it, in ms: a mistake can be undone for a day. */
const graceMs = 24 * 3_600_000

/**
 * A new place for documents of an instance, written down before anything is in it, so that it is found and removed when
 * nothing comes to use it.
 *
 * @param address of the bucket
 */
export async function reservePlace(
  { registry }: Pick<Context, 'registry'>,
  address: string,
  id: string,
): Promise<string> {
  const place = await newPlace(address, id)
  registerPlace({ registry }, place)
  return place
}

/** The same of a place that was chosen before; again does no harm. */
export function registerPlace({ registry }: Pick<Context, 'registry'>, place: string): void {
  createDocumentBucketRows(registry).insert(place)
}

/**
 * Removes what is in places that no instance has used for a day, here or in the trash. Only those that this manager gave
 * are looked at. @returns what could not be removed, in a sentence each
 */
export async function removeUnusedPlaces(context: Context): Promise<readonly string[]> {
  const { settings, registry } = context
  const now = believedTime(context)
  const rows = createDocumentBucketRows(registry)
  const used = await usedPlaces(context)
  // A registry that was rebuilt does not know them.
  for (const place of used) if (isGiven(place)) rows.insert(place)
  const failures: string[] = []
  for (const { address, unused_since: since } of rows.all()) {
    if (used.has(address)) {
      if (since !== '') rows.setUnused(address, '')
    } else if (since === '') rows.setUnused(address, now.toISOString())
    else if (now.getTime() - Date.parse(since) >= graceMs)
      try {
        await useBucket({ settings }, address, async (bucket) => {
          for await (const { key } of filesIn(bucket)) await bucket.delete(key)
        })
        rows.remove(address)
      } catch (error) {
        if (!ManagerError.is(error)) throw error
        failures.push(`Documents that no instance uses were not removed: ${error.message}`)
      }
  }
  return failures
}

/**
 * Places that settings name, of instances, of what operations lay out, and of the trash. Settings that cannot be read are
 * no reason to take documents for unused: then it fails.
 */
async function usedPlaces({ home, settings }: Pick<Context, 'home' | 'settings'>): Promise<ReadonlySet<string>> {
  const used = new Set<string>()
  const homes = [...(await foldersIn(home.instances)), ...(await foldersIn(home.trash))]
  // A restore keeps in `old` what it replaces.
  for (const folder of homes.flatMap((each) => [each, join(each, 'old')])) {
    const found = await settings.instance(folder).catch((error: unknown) => {
      if (ManagerError.is(error) && error.code === 'ERR_NOT_FOUND') return undefined
      throw error
    })
    if (found?.documents !== undefined) used.add(found.documents)
  }
  return used
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names.map((name) => join(folder, name))
}
