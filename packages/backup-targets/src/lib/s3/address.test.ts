import { describe, expect, test } from 'vitest'
import { belowBucket, bucketOptions as optionsOf } from './address.js'

const bucketOptions = (address: string) => optionsOf(address, 'S3_KEY')

describe('bucketOptions()', () => {
  test('an address gives bucket, prefix and options', () => {
    expect(bucketOptions('s3://papers')).toEqual({ bucket: 'papers' })
    expect(bucketOptions('s3://papers/a/b/?endpoint=https://s3.example.org:9000&region=eu-1&path_style=no')).toEqual({
      bucket: 'papers',
      prefix: 'a/b/',
      endpoint: 'https://s3.example.org:9000',
      region: 'eu-1',
      path_style: 'no',
    })
  })

  test.each([
    ['papers', 'must be like s3://bucket'],
    ['s3:papers', 'must be like s3://bucket'],
    ['s3://', 'must be like s3://bucket'],
    ['s3://papers?lock_days=3', 'there is no option "lock_days"'],
    ['s3://papers#x', 'must be like s3://bucket'],
    ['s3://key:word@papers', 'must hold no keys; set S3_KEY'],
    ['s3://papers?secret_key=word', 'must hold no keys; set S3_KEY'],
  ])('refuses %s, and shows nothing of it', (address, message) => {
    const said = () => bucketOptions(address)
    expect(said).toThrow(message)
    expect(said).not.toThrow('word')
    expect(said).toThrow(expect.objectContaining({ code: 'ERR_TARGET_SETTINGS' }) as Error)
  })
})

test('belowBucket() keeps the options', () => {
  const below = belowBucket('s3://papers/a/?endpoint=https://s3.example.org&region=eu-1', 'b/c')
  expect(bucketOptions(below)).toEqual({
    bucket: 'papers',
    prefix: 'a/b/c/',
    endpoint: 'https://s3.example.org',
    region: 'eu-1',
  })
  expect(bucketOptions(belowBucket('s3://papers', 'b'))).toEqual({ bucket: 'papers', prefix: 'b/' })
})
