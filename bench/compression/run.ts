import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib'
import { generator, item } from '../rest/data.ts'

/** Below it, answers are compressed in one synchronous call. Source: rest-koa, `http/compression.ts`. */
const synchronousUpTo = 32_768
const sizes = [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 262_144, 1_048_576]
const rounds = 9
const gzipAsync = promisify(gzip)
const brotliAsync = promisify(brotliCompress)

type Compress = (body: string) => Buffer | Promise<Buffer>

const brotli = (quality: number): { once: Compress; pooled: Compress } => {
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: 18 }
  return { once: (body) => brotliCompressSync(body, { params }), pooled: (body) => brotliAsync(body, { params }) }
}
const gzipped = (level: number): { once: Compress; pooled: Compress } => ({
  once: (body) => gzipSync(body, { level }),
  pooled: (body) => gzipAsync(body, { level }),
})
const ways = { 'gzip 1': gzipped(1), 'gzip 6': gzipped(6), 'br 1': brotli(1), 'br 4': brotli(4) }

/** Items as a search answers them, cut to a size. */
function bodyOf(size: number): string {
  const random = generator(42)
  const rows: object[] = []
  for (let length = 0; length < size;) {
    const row = { row_id: String(rows.length + 1), ...item(rows.length + 1, random) }
    length += JSON.stringify(row).length + 1
    rows.push(row)
  }
  return JSON.stringify(rows).slice(0, size)
}

/** CPU time of all threads, in µs, of one call: the median of some rounds. */
async function cpuOf(compress: Compress, body: string): Promise<number> {
  const calls = Math.max(4, Math.min(200, Math.floor(2_000_000 / body.length)))
  const samples: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const before = process.cpuUsage()
    for (let call = 0; call < calls; call++) await compress(body)
    const { user, system } = process.cpuUsage(before)
    // The first round warms up.
    if (round > 0) samples.push((user + system) / calls)
  }
  return samples.toSorted((one, other) => one - other)[Math.floor(samples.length / 2)] ?? 0
}

/** µs that bytes take on a line of 100 Mbit/s. */
const lineTime = (bytes: number): number => (bytes * 8) / 100

const columns = Object.keys(ways).flatMap((name) => [`${name}: bytes`, 'CPU µs', 'saved µs'])
console.log(`| size | ${columns.join(' | ')} |\n|${' ---: |'.repeat(columns.length + 1)}`)
for (const size of sizes) {
  const body = bodyOf(size)
  const cells: number[] = []
  for (const { once, pooled } of Object.values(ways)) {
    const compress = size <= synchronousUpTo ? once : pooled
    const [{ length }, cpu] = [await compress(body), await cpuOf(compress, body)]
    cells.push(length, Math.round(cpu), Math.round(lineTime(size - length) - cpu))
  }
  console.log(`| ${[size, ...cells].map((cell) => cell.toLocaleString('en')).join(' | ')} |`)
}
