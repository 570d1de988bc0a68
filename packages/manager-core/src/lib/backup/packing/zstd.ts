import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { coerce, gte } from 'semver'
import type { SystemAccount } from '../../accounts/account.js'
import { filterOf, joined, runFilter, type Command, type Filter } from '../../accounts/program.js'
import { filterOfStage, type Stage } from './age.js'
import { packingTools } from './tools.js'

/**
 * Arguments of the program: one frame with a checksum, by all processors. Its threads that only read and write, which 1.5.4
 * has, cost more than they are worth between programs.
 */
function compression(version: string): readonly string[] {
  return ['-T0', '-3', '--check', '-q', '-c', ...(gte(coerce(version) ?? '0.0.0', '1.5.4') ? ['--no-asyncio'] : [])]
}

/**
 * Programs that compress, and then encrypt, each what the one before it writes. Undefined: Node does one of both.
 *
 * @param encrypt absent: it is not encrypted
 */
export async function storingPrograms(encrypt: Stage | undefined): Promise<readonly Command[] | undefined> {
  const { zstd } = await packingTools()
  if (zstd === undefined || (encrypt && !('command' in encrypt))) return undefined
  return [{ command: 'zstd', args: compression(zstd) }, ...(encrypt ? [encrypt.command] : [])]
}

/** @param account whom it runs as: it reads what anyone may have written. Default: this process's user, without privileges */
export function decompress(account?: SystemAccount): Command {
  return { command: 'zstd', args: ['-d', '-q', '-c', '--single-thread'], account, withoutPrivileges: true }
}

/**
 * Compresses with the program on all processors, else with Node on one; always one frame with a checksum.
 *
 * @param next encrypts what it gives
 */
export async function compressor(next?: Stage): Promise<Filter> {
  const { zstd } = await packingTools()
  if (zstd !== undefined) return ofProgram({ command: 'zstd', args: compression(zstd) }, undefined, next)
  const compress = createZstdCompress({
    params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
  })
  const output = withoutEmptyFrame()
  const done = pipeline(compress, output).then(() => ({}))
  done.catch(() => undefined)
  const filter = { ...filterOf(compress, output), done }
  return next ? joined(filter, filterOfStage(next)) : filter
}

/**
 * The program, else Node, whose decoder ends well after the first frame, whatever follows: compare length and hash of
 * what it gives.
 *
 * @param before decrypts what it is given
 */
export async function decompressor(before?: Stage): Promise<Filter> {
  if ((await packingTools()).zstd !== undefined) return ofProgram(decompress(), before, undefined)
  const filter = filterOf(createZstdDecompress())
  return before ? joined(filterOfStage(before), filter) : filter
}

/** Programs read one from the other. */
function ofProgram(command: Command, before: Stage | undefined, next: Stage | undefined): Filter {
  if (before)
    return 'command' in before ? runFilter([before.command, command]) : joined(before.filter, runFilter([command]))
  if (next) return 'command' in next ? runFilter([command, next.command]) : joined(runFilter([command]), next.filter)
  return runFilter([command])
}

/** What zstd makes of nothing, with a checksum. */
const emptyFrame = Buffer.from('28b52ffd240001000099e9d851', 'hex')

/**
 * Lets one frame through without an empty one after it, which Node's encoder adds now and then
 * (https://github.com/nodejs/node/issues/64741) and its decoder may stumble over.
 */
export function withoutEmptyFrame(): Transform {
  let tail = Buffer.alloc(0)
  let before = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const all = Buffer.concat([tail, chunk])
      const end = Math.max(0, all.length - emptyFrame.length)
      tail = all.subarray(end)
      before += end
      done(null, end > 0 ? all.subarray(0, end) : undefined)
    },
    flush(done) {
      done(null, before > 0 && tail.equals(emptyFrame) ? undefined : tail)
    },
  })
}
