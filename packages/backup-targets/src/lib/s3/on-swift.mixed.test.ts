/** @module-tag mixed */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSwift, toolIsMissing, type TestSwift } from '../../../../../tests/servers/index.js'
import { madeUpBytes, pieces } from '../checks/made-up.js'
import { reliable } from '../reliable/reliable.js'
import { bytesSource } from '../sources.js'
import { testBackupTarget } from '../testing/target-suite.js'
import { makeBucket, partBytes, type TestBucket } from './bucket-for-test.js'

const missing = toolIsMissing('swift') ?? toolIsMissing('memcached')

describe.skipIf(missing)('s3 on Swift', () => {
  let swift: TestSwift
  let bucket: TestBucket

  beforeAll(async () => {
    swift = await startSwift()
    bucket = await makeBucket(swift.s3)
  })
  afterAll(() => swift?.close())

  describe('contract', { concurrent: true }, () => {
    testBackupTarget({ name: 's3', open: () => bucket.open({ prefix: 'all/of-' }) })
  })

  it('a store that refuses conditions is asked before', { tags: 'core' }, async () => {
    const target = await bucket.open()
    expect(target.capabilities.conditionalCreate).toBe(false)
    await target.put('first', bytesSource('1'), { ifAbsent: true })
    await expect(target.put('first', bytesSource('2'), { ifAbsent: true })).rejects.toMatchObject({
      code: 'ERR_TARGET_EXISTS',
    })
  })

  it('an upload continues when the server was killed in the middle of it', async () => {
    const target = await bucket.open()
    const bytes = madeUpBytes(4 * partBytes)
    let isKilled = false
    const killed = async () => {
      isKilled = true
      await swift.stop('proxy')
      await swift.start('proxy')
    }
    await reliable(target, { minPauseMs: 100, attempts: 10 }).put('killed', pieces(bytes), {
      upload: 'killed00',
      onProgress: (done) => void (done > 0 && !isKilled && killed()),
    })
    expect(isKilled).toBe(true)
    expect(await bucket.unfinished()).toEqual([])
    const stored = await bucket.s3.getObject({ Bucket: bucket.name, Key: 'killed' })
    expect(bytes.equals((await stored.Body?.transformToByteArray()) ?? Buffer.alloc(0))).toBe(true)
  })
})

it.skipIf(!missing)('s3 on Swift is tested with a real server', { tags: 'core' }, ({ skip }) => skip(missing))
