import type { ManagerContext } from '../context.js'
import { bucketOf, useBucket } from '../documents/bucket.js'
import { failureOf } from '../system/failure.js'
import type { DoctorCheck, Finding } from './check.js'

export const documentChecks: readonly DoctorCheck[] = [
  {
    id: 'documents',
    category: 'instances',
    title: 'Buckets of documents can be used',
    network: true,
    async run(context) {
      const buckets = await usersOfBuckets(context)
      const findings = await Promise.all([...buckets].map(([address, names]) => findingOf(context, address, names)))
      return findings.filter((finding) => finding !== undefined)
    },
  },
]

async function findingOf(
  context: ManagerContext,
  address: string,
  names: readonly string[],
): Promise<Finding | undefined> {
  try {
    await useBucket(context, address, (bucket) => bucket.list({ limit: 1 }))
    return undefined
  } catch (error) {
    const { message, help } = failureOf(error)
    const used = names.length === 0 ? 'It is for new instances.' : `Used by ${names.join(', ')}.`
    return { level: 'error', message: `${message} ${used}`, ...(help !== undefined && { help }) }
  }
}

/** Addresses of buckets, each with the instances whose documents are there. */
async function usersOfBuckets({ registry, home, settings }: ManagerContext): Promise<Map<string, string[]>> {
  const users = new Map<string, string[]>()
  const { address } = settings.global.documents
  if (address !== undefined) users.set(address, [])
  for (const { id, name } of registry.instances()) {
    // Settings that cannot be read are the finding of another check.
    const own = await settings.instance(home.instance(id).folder).catch(() => undefined)
    if (own?.documents === undefined) continue
    const bucket = bucketOf(own.documents)
    users.set(bucket, [...(users.get(bucket) ?? []), name])
  }
  return users
}
