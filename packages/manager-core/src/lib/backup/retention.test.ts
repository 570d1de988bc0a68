import { expect, it } from 'vitest'
import type { Backup } from './backup.js'
import { expiredOf } from './retention.js'

const backup = (stamp: string, damage?: string) => ({ key: `demo/${stamp}T000000Z-1.0-abcdefgh`, damage }) as Backup
const now = new Date('2026-11-21T12:00:00Z')
const expired = (backups: readonly Backup[], days: number) =>
  expiredOf(backups, now, days).map(({ key }) => key.slice(5, 13))

it('removes what is older than the depth, in days', () => {
  const backups = ['20261121', '20261119', '20261118', '20261001'].map((stamp) => backup(stamp))
  expect(expired(backups, 3)).toEqual(['20261118', '20261001'])
  expect(expired(backups, 0)).toEqual([])
})

it('never removes the newest good one, however old, and nothing when none is good', () => {
  expect(expired([backup('20260301'), backup('20260201')], 1)).toEqual(['20260201'])
  expect(expired([backup('20260301', 'broken'), backup('20260201'), backup('20260101')], 1)).toEqual([
    '20260301',
    '20260101',
  ])
  expect(expired([backup('20260301', 'broken'), backup('20260201', 'broken')], 1)).toEqual([])
})

it('leaves those from the future alone', () => {
  expect(expired([backup('20991231'), backup('20991230'), backup('20261101')], 1)).toEqual(['20261101'])
})
