/** Shorter pieces are copied together: each buffer takes some hundred bytes beside what it holds. */
const shortBytes = 4096
/** Not specified; chosen as what a socket gives at once. */
const blockBytes = 1 << 16

/** What comes in pieces, which may be of one byte each. */
export class Pieces {
  #whole: Buffer[] = []
  #block: Buffer | undefined
  #filled = 0

  /** Buffers that hold it. */
  get buffers(): number {
    return this.#whole.length + (this.#filled > 0 ? 1 : 0)
  }

  add(piece: Buffer): void {
    // A block is full before the next one: what is left of it would be held for nothing.
    const rest = this.#block ? this.#fill(this.#block, piece) : piece
    // Most bodies are one short piece, or few.
    if (rest.length >= shortBytes || this.#whole.length === 0) this.#whole.push(rest)
    else if (rest.length > 0) {
      this.#block = Buffer.allocUnsafeSlow(this.#whole.length === 1 ? shortBytes : blockBytes)
      this.#fill(this.#block, rest)
    }
  }

  /** All of it, which is no longer here then. */
  take(): Buffer {
    this.#closeBlock()
    const [first, second] = this.#whole
    const all = first && !second ? first : Buffer.concat(this.#whole)
    this.clear()
    return all
  }

  clear(): void {
    this.#whole = []
    this.#block = undefined
    this.#filled = 0
  }

  /** @returns what does not fit */
  #fill(block: Buffer, piece: Buffer): Buffer {
    const count = piece.copy(block, this.#filled)
    this.#filled += count
    if (this.#filled === block.length) this.#closeBlock()
    return piece.subarray(count)
  }

  #closeBlock(): void {
    if (this.#block && this.#filled > 0) this.#whole.push(this.#block.subarray(0, this.#filled))
    this.#block = undefined
    this.#filled = 0
  }
}
