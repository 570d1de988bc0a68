import type { Readable, Writable } from 'node:stream'
import { lend, lendOwn } from '../../lent.js'
import { TargetError } from '../../target-error.js'
import { PacketParser, packetType, PacketReader, text, uint32, uint64, type FileAttributes } from './packet.js'
import { SftpError, status } from './error.js'

/** What every server must take; OpenSSH announces that it takes more. */
const defaultChunkBytes = 32_768
/** OpenSSH takes up to 255 KiB: pieces of files, of 256 KiB, would leave a small rest each. */
const maxChunkBytes = 131_072

interface Answer {
  readonly type: number
  readonly fields: PacketReader
}

interface Waiting {
  resolve(answer: Answer): void
  reject(error: Error): void
}

/**
 * A client of SFTP version 3 on the two streams of a connection. Any number of requests may be under way at the same time.
 * Rejects with `SftpError` when the server refuses, with what `end` was given when the connection is gone.
 */
export class SftpClient {
  readonly #output: Writable
  readonly #waiting = new Map<number, Waiting>()
  #nextId = 0
  #ended: Error | undefined
  #version: Waiting | undefined
  #extensions: ReadonlyMap<string, string> = new Map()
  #chunkBytes = defaultChunkBytes

  constructor(input: Readable, output: Writable) {
    this.#output = output
    const parser = new PacketParser()
    input.on('data', (chunk: Buffer) => {
      try {
        for (const packet of parser.add(lendOwn(chunk))) this.#receive(packet)
      } catch (error) {
        this.end(
          new TargetError('ERR_TARGET_FAILED', 'The server does not speak SFTP.', {
            cause: error,
            help: 'Make sure that the start-up files of the shell print nothing for log-ins without a terminal.',
          }),
        )
      }
    })
    // What it says is known from the end of the connection.
    output.on('error', () => {})
  }

  /** First of all: agrees on the version and learns what the server can do. */
  async start(): Promise<void> {
    const { fields } = await new Promise<Answer>((resolve, reject) => {
      this.#version = { resolve, reject }
      this.#send([Buffer.from([packetType.init]), uint32(3)])
    })
    fields.uint32()
    const extensions = new Map<string, string>()
    while (!fields.isAtEnd) extensions.set(fields.text(), fields.text())
    this.#extensions = extensions
    if (!this.has('limits@openssh.com')) return
    const limits = (await this.extended('limits@openssh.com')).fields
    limits.uint64()
    const [read, write] = [limits.uint64(), limits.uint64()]
    this.#chunkBytes = Math.max(
      defaultChunkBytes,
      Math.min(maxChunkBytes, read || maxChunkBytes, write || maxChunkBytes),
    )
  }

  /** Whether the server has this extension, e.g. `posix-rename@openssh.com`. */
  has(extension: string): boolean {
    return this.#extensions.has(extension)
  }

  /** Most bytes of one `read` or `write`. */
  get chunkBytes(): number {
    return this.#chunkBytes
  }

  async open(path: string, flags: number): Promise<Buffer> {
    return this.#handle(packetType.open, text(path), uint32(flags), uint32(0))
  }

  async openFolder(path: string): Promise<Buffer> {
    return this.#handle(packetType.opendir, text(path))
  }

  async close(handle: Buffer): Promise<void> {
    await this.#command(packetType.close, text(handle))
  }

  /** For a file that is of no use any more. */
  closeQuietly(handle: Buffer): void {
    this.close(handle).catch(() => {})
  }

  /** At most that many bytes, at least one; empty at the end of the file. */
  async read(handle: Buffer, offset: number, length: number): Promise<Buffer> {
    try {
      const { fields } = await this.#request(packetType.read, [text(handle), uint64(offset), uint32(length)])
      const bytes = fields.bytes()
      const { buffer } = bytes
      return lend(bytes, () => void (buffer as ArrayBuffer).transfer(0))
    } catch (error) {
      if (error instanceof SftpError && error.status === status.endOfFile) return Buffer.alloc(0)
      throw error
    }
  }

  async write(handle: Buffer, offset: number, bytes: Buffer): Promise<void> {
    await this.#command(packetType.write, text(handle), uint64(offset), uint32(bytes.length), bytes)
  }

  /** Does not follow a symbolic link. */
  async lstat(path: string): Promise<FileAttributes> {
    return (await this.#request(packetType.lstat, [text(path)])).fields.attributes()
  }

  async stat(path: string): Promise<FileAttributes> {
    return (await this.#request(packetType.stat, [text(path)])).fields.attributes()
  }

  /** Some of what is in a folder, also `.` and `..`; empty when that was all. */
  async readFolder(handle: Buffer): Promise<({ readonly name: string } & FileAttributes)[]> {
    try {
      const { fields } = await this.#request(packetType.readdir, [text(handle)])
      return Array.from({ length: fields.uint32() }, () => {
        const name = fields.text()
        fields.bytes()
        return { name, ...fields.attributes() }
      })
    } catch (error) {
      if (error instanceof SftpError && error.status === status.endOfFile) return []
      throw error
    }
  }

  async remove(path: string): Promise<void> {
    await this.#command(packetType.remove, text(path))
  }

  async makeFolder(path: string): Promise<void> {
    await this.#command(packetType.mkdir, text(path), uint32(0))
  }

  async removeFolder(path: string): Promise<void> {
    await this.#command(packetType.rmdir, text(path))
  }

  /** The absolute path; `.` is where the session starts. */
  async realPath(path: string): Promise<string> {
    const { fields } = await this.#request(packetType.realpath, [text(path)])
    fields.uint32()
    return fields.text()
  }

  /** Fails when there is a file of the new name. */
  async rename(from: string, to: string): Promise<void> {
    await this.#command(packetType.rename, text(from), text(to))
  }

  async extended(name: string, ...fields: readonly Buffer[]): Promise<Answer> {
    return this.#request(packetType.extended, [text(name), ...fields])
  }

  /** Nothing more will come. All that waits, and what is asked from now on, rejects with this. */
  end(error: Error): void {
    this.#ended ??= error
    this.#version?.reject(this.#ended)
    for (const { reject } of this.#waiting.values()) reject(this.#ended)
    this.#waiting.clear()
  }

  async #handle(type: number, ...fields: readonly Buffer[]): Promise<Buffer> {
    return Buffer.from((await this.#request(type, fields)).fields.bytes())
  }

  async #command(type: number, ...fields: readonly Buffer[]): Promise<void> {
    await this.#request(type, fields)
  }

  #request(type: number, fields: readonly Buffer[]): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#ended) {
        reject(this.#ended)
        return
      }
      const id = this.#nextId
      this.#nextId = (id + 1) % 2 ** 32
      this.#waiting.set(id, { resolve, reject })
      this.#send([Buffer.from([type]), uint32(id), ...fields])
    })
  }

  /** The bytes of a `write` are not copied. */
  #send(fields: readonly Buffer[]): void {
    const last = fields.at(-1) as Buffer
    const head = Buffer.concat(fields.slice(0, -1))
    this.#output.cork()
    this.#output.write(Buffer.concat([uint32(head.length + last.length), head]))
    this.#output.write(last)
    this.#output.uncork()
  }

  #receive(packet: Buffer): void {
    const type = packet[0] as number
    const fields = new PacketReader(packet.subarray(1))
    if (type === packetType.version) {
      this.#version?.resolve({ type, fields })
      this.#version = undefined
      return
    }
    const id = fields.uint32()
    const waiting = this.#waiting.get(id)
    if (!waiting) throw new RangeError(`An answer to nothing: ${id}.`)
    this.#waiting.delete(id)
    if (type !== packetType.status) {
      waiting.resolve({ type, fields })
      return
    }
    const code = fields.uint32()
    if (code === status.ok) waiting.resolve({ type, fields })
    else waiting.reject(new SftpError(code, fields.isAtEnd ? '' : fields.text()))
  }
}
