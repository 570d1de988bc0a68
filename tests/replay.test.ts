import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onEachDatabase } from './databases.js'
import { formatExchange, logFiles, parseLog, readLog, writeLog, type Exchange } from './replay/log.js'
import { openReplay, type Replay } from './replay/replay.js'

/** `REPLAY=record` writes down what SQLite answers; the other databases must answer the same. */
const records = process.env['REPLAY'] === 'record'

describe('the recorded log is answered with the same bytes', () => {
  onEachDatabase((fresh, name) => {
    let replay: Replay
    let drop = async (): Promise<void> => {}
    beforeAll(async () => {
      const database = await fresh()
      drop = () => database.drop()
      replay = await openReplay(database.url)
    })
    afterAll(async () => {
      await replay?.close()
      await drop()
    })

    // One after the other on one database: later files ask for what earlier ones have written.
    for (const file of logFiles()) {
      test(file.name, { retry: 0 }, async () => {
        const recorded = readLog(file.url)
        const answered: Exchange[] = []
        for (const exchange of recorded) {
          if (name !== 'mssql') answered.push(await replay.send(exchange))
          else answered.push(withCode(await replay.send(withCode(exchange, 'z', 'y')), 'y', 'z'))
        }
        if (records && name === 'sqlite') writeLog(file.url, answered)
        else expect(answered.map(formatExchange)).toEqual(recorded.map(formatExchange))
      })
    }
  })
})

/**
 * The exchange with another code of one kind. Unique indexes of SQL Server take `z` and `z ` for the same; `y` has the
 * same place in their order.
 */
function withCode(exchange: Exchange, from: string, to: string): Exchange {
  const replace = (text: string) =>
    text.replaceAll(`kin_code":"${from}"`, `kin_code":"${to}"`).replaceAll(`[["${from}"]`, `[["${to}"]`)
  const { body, answer } = exchange
  return { ...exchange, body: body === undefined ? undefined : replace(body), answer: answer.map(replace) }
}

test('the log holds a few hundred requests, and no failure of the service', () => {
  const all = logFiles().flatMap(({ url }) => readLog(url))
  expect(all.length).toBeGreaterThan(300)
  expect(all.filter(({ answer: [status = '500'] }) => Number(status) >= 500)).toEqual([])
})

test('parseLog() names a line that it cannot read', () => {
  expect(() => parseLog('GET /Kind/\nget /Kind/\n')).toThrow('Line 2 of the log is neither a request nor an answer')
})
