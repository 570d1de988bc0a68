/**
 * Memory of chunks that is used again, or freed, as soon as the last byte of it was given back. V8 frees used buffers only
 * when there are some 60 MB of them: more than all else that a transfer needs.
 */
interface Loan {
  left: number
  readonly onReturn: () => void
}

const loans = new WeakMap<ArrayBufferLike, Loan>()

/** From now on the memory of the chunk belongs to who gets it, who may give it back. @returns the chunk */
export function lend(chunk: Buffer, onReturn: () => void): Buffer {
  loans.set(chunk.buffer, { left: chunk.length, onReturn })
  return chunk
}

/** {@link lend}, of what came from the system and has its memory for itself: it is freed. */
export function lendOwn(chunk: Buffer): Buffer {
  const { buffer } = chunk
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== chunk.length || chunk.length === 0) return chunk
  return lend(chunk, () => void buffer.transfer(0))
}

/**
 * These bytes are no longer used. A chunk may be given back in pieces, each byte once; what was not lent is left alone,
 * and who gives nothing back leaves it to V8.
 */
export function giveBack(chunk: Uint8Array): void {
  const loan = loans.get(chunk.buffer)
  if (!loan || (loan.left -= chunk.length) > 0) return
  loans.delete(chunk.buffer)
  loan.onReturn()
}
