const mebibyte = 1024 ** 2
/** The smallest part that S3 allows, but for the last one. */
export const minPartMb = 5
/** The largest one that is kept in memory. */
export const maxPartMb = 512
/** What Amazon's S3 allows, and others with it. */
export const maxParts = 10_000
export const maxObjectBytes = maxParts * maxPartMb * mebibyte
/** For parts of an upload, of which some are sent while the next one is read. */
const memoryBytes = 32 * mebibyte

/** How many parts are in memory at the same time. */
export function parallelOf(partBytes: number): number {
  return Math.max(1, Math.min(4, Math.floor(memoryBytes / partBytes)))
}

/** Larger than wanted when there would be too many. */
export function partBytesFor(size: number | undefined, wanted: number): number {
  return Math.max(wanted, Math.ceil((size ?? 0) / maxParts / mebibyte) * mebibyte)
}
