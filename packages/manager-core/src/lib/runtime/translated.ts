import { fileError } from '../files/file-error.js'
import type { InstanceRef } from './runtime.js'

/** What the system says, with what was attempted. */
export async function translated<T>({ folder }: InstanceRef, what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw fileError(error, `Cannot ${what} the instance in ${folder}`)
  }
}
