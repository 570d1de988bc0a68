import { giveBack } from '../../lent.js'

/** Types of packets, of version 3. Source: draft-ietf-secsh-filexfer-02. */
export const packetType = {
  init: 1,
  version: 2,
  open: 3,
  close: 4,
  read: 5,
  write: 6,
  lstat: 7,
  opendir: 11,
  readdir: 12,
  remove: 13,
  mkdir: 14,
  rmdir: 15,
  realpath: 16,
  stat: 17,
  rename: 18,
  status: 101,
  handle: 102,
  data: 103,
  name: 104,
  attrs: 105,
  extended: 200,
  extendedReply: 201,
} as const

/** What a file is; `permissions` has the bits of its type, 0 when the server does not send it. Dates in seconds. */
export interface FileAttributes {
  readonly size: number
  readonly permissions: number
  readonly modified: number
}

export function kindOf({ permissions }: FileAttributes): 'file' | 'folder' | 'other' {
  const type = permissions & 0o170_000
  if (type === 0o100_000) return 'file'
  return type === 0o040_000 ? 'folder' : 'other'
}

export function uint32(value: number): Buffer {
  const buffer = Buffer.allocUnsafe(4)
  buffer.writeUInt32BE(value)
  return buffer
}

export function uint64(value: number): Buffer {
  const buffer = Buffer.allocUnsafe(8)
  buffer.writeBigUInt64BE(BigInt(value))
  return buffer
}

/** A text or bytes, with their length in front. */
export function text(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([uint32(bytes.length), bytes])
}

/** Reads the fields of a packet one after the other; throws RangeError beyond its end. */
export class PacketReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  uint32(): number {
    const value = this.#bytes.readUInt32BE(this.#at)
    this.#at += 4
    return value
  }

  uint64(): number {
    const value = this.#bytes.readBigUInt64BE(this.#at)
    this.#at += 8
    return Number(value)
  }

  bytes(): Buffer {
    const length = this.uint32()
    if (this.#at + length > this.#bytes.length) throw new RangeError('A text is longer than its packet.')
    return this.#bytes.subarray(this.#at, (this.#at += length))
  }

  text(): string {
    return this.bytes().toString('utf8')
  }

  attributes(): FileAttributes {
    const flags = this.uint32()
    const size = flags & 0x1 ? this.uint64() : 0
    if (flags & 0x2) this.#at += 8
    const permissions = flags & 0x4 ? this.uint32() : 0
    const [, modified = 0] = flags & 0x8 ? [this.uint32(), this.uint32()] : []
    if (flags & 0x8000_0000)
      for (let count = this.uint32(); count > 0; count--) {
        this.bytes()
        this.bytes()
      }
    return { size, permissions, modified }
  }
}

/** Puts packets together from the chunks of a stream. */
export class PacketParser {
  readonly #head = Buffer.alloc(4)
  #headBytes = 0
  #packet: Buffer | undefined
  #filled = 0

  /**
   * The packets that are whole with this chunk, without their length, each with memory of its own. The chunk is given back.
   *
   * @throws RangeError when it is not SFTP.
   */
  add(chunk: Buffer): Buffer[] {
    const packets: Buffer[] = []
    for (let at = 0; at < chunk.length;) {
      if (!this.#packet) {
        const copied = chunk.copy(this.#head, this.#headBytes, at)
        at += copied
        this.#headBytes += copied
        if (this.#headBytes < 4) break
        this.#packet = Buffer.allocUnsafeSlow(lengthOf(this.#head))
        this.#headBytes = 0
        this.#filled = 0
      }
      const copied = chunk.copy(this.#packet, this.#filled, at)
      at += copied
      this.#filled += copied
      if (this.#filled < this.#packet.length) break
      packets.push(this.#packet)
      this.#packet = undefined
    }
    giveBack(chunk)
    return packets
  }
}

/** OpenSSH sends 256 KiB at most. */
const maxPacketBytes = 1 << 20

function lengthOf(head: Buffer): number {
  const length = head.readUInt32BE()
  if (length === 0 || length > maxPacketBytes) throw new RangeError(`A packet of ${length} bytes.`)
  return length
}
