import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { packetType, PacketParser, PacketReader, text, uint32, uint64 } from './packet.js'
import { SftpClient } from './client.js'

const packet = (...fields: Buffer[]) => text(Buffer.concat(fields))
const versionPacket = packet(Buffer.from([packetType.version]), uint32(3))

/** A client, and the server's side of its two streams. */
function connection() {
  const [fromServer, toServer] = [new PassThrough(), new PassThrough()]
  return { client: new SftpClient(fromServer, toServer), fromServer, toServer }
}

describe('PacketParser', () => {
  it('puts packets together from chunks of any size', () => {
    const packets = [packet(Buffer.from('a')), packet(Buffer.alloc(1000, 'b')), packet(Buffer.from('cd'))]
    const stream = Buffer.concat(packets)
    for (const size of [1, 2, 3, 5, 7, 100, 1003, 2000]) {
      const parser = new PacketParser()
      const found: Buffer[] = []
      for (let at = 0; at < stream.length; at += size) found.push(...parser.add(stream.subarray(at, at + size)))
      expect(found.map((each) => each.toString())).toEqual(['a', 'b'.repeat(1000), 'cd'])
    }
  })

  it.each([Buffer.from('Welcome to this machine!'), uint32(0), uint32(2 ** 31)])(
    'refuses what is not a packet',
    (bytes) => {
      expect(() => new PacketParser().add(bytes)).toThrow(RangeError)
    },
  )
})

describe('PacketReader', () => {
  it('reads attributes with all that they can have', () => {
    const extension = [uint32(1), text('name'), text('value')]
    const bytes = Buffer.concat([
      uint32(0x8000_000f),
      uint64(2 ** 40),
      uint32(1),
      uint32(2),
      uint32(0o100_644),
      uint32(5),
      uint32(6),
      ...extension,
      uint32(7),
    ])
    const reader = new PacketReader(bytes)
    expect(reader.attributes()).toEqual({ size: 2 ** 40, permissions: 0o100_644, modified: 6 })
    expect(reader.uint32()).toBe(7)
    expect(new PacketReader(uint32(0)).attributes()).toEqual({ size: 0, permissions: 0, modified: 0 })
  })

  it('does not read beyond the end', () => {
    expect(() => new PacketReader(Buffer.from([0, 0, 0, 9, 1])).bytes()).toThrow(RangeError)
    expect(() => new PacketReader(Buffer.from([0])).uint32()).toThrow(RangeError)
  })
})

describe('SftpClient', () => {
  it('says so when a shell prints something before SFTP starts', async () => {
    const { client, fromServer } = connection()
    const started = client.start()
    fromServer.write('Welcome to this machine!\n')
    await expect(started).rejects.toMatchObject({
      code: 'ERR_TARGET_FAILED',
      help: expect.stringContaining('print nothing') as string,
    })
    await expect(client.lstat('a')).rejects.toMatchObject({ code: 'ERR_TARGET_FAILED' })
  })

  it('gives answers to their requests, in whatever order they come', async () => {
    const { client, fromServer } = connection()
    const started = client.start()
    fromServer.write(versionPacket)
    await started
    const asked = [client.lstat('a'), client.remove('b'), client.lstat('c')]
    const attributes = (size: number) => [uint32(1), uint64(size)]
    fromServer.write(packet(Buffer.from([packetType.attrs]), uint32(2), ...attributes(30)))
    fromServer.write(packet(Buffer.from([packetType.status]), uint32(1), uint32(3), text('No!'), text('en')))
    fromServer.write(packet(Buffer.from([packetType.attrs]), uint32(0), ...attributes(10)))
    const [a, b, c] = await Promise.allSettled(asked)
    expect(a).toMatchObject({ value: { size: 10 } })
    expect(b).toMatchObject({ reason: { status: 3, message: 'No!' } })
    expect(c).toMatchObject({ value: { size: 30 } })
  })

  it('rejects all that waits when the connection ends, and all that is asked later', async () => {
    const { client, fromServer } = connection()
    const started = client.start()
    fromServer.write(versionPacket)
    await started
    const asked = client.lstat('a')
    const error = new Error('gone')
    client.end(error)
    await expect(asked).rejects.toBe(error)
    await expect(client.lstat('b')).rejects.toBe(error)
  })
})
