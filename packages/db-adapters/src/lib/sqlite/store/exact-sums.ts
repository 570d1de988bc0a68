import { StoreError } from '@steward/rest-core/errors'
import type { VendorError } from './errors.js'

/** Reads with sums of 64 bits, and once more with wide ones, which take longer, when they overflow. */
export async function exactSums<T>(read: (wide: boolean) => T | Promise<T>): Promise<T> {
  try {
    return await read(false)
  } catch (error) {
    if (!isOverflow(error)) throw error
    return read(true)
  }
}

function isOverflow(error: unknown): boolean {
  return StoreError.is(error) && (error.cause as VendorError | undefined)?.message === 'integer overflow'
}
