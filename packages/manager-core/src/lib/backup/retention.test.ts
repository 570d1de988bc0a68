import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stampOf, timeOf } from './new-backup.js'
import { retain, type RetentionCandidate, type RetentionRules } from './retention.js'

const none: RetentionRules = { depthDays: 0, last: 0, daily: 0, weekly: 0, monthly: 0 }
const now = new Date('2026-11-21T12:00:00Z')

type Marks = Partial<Omit<RetentionCandidate, 'key' | 'manifest'>>
const at = (stamp: string, marks: Marks = {}, started = timeOf(`demo/${stamp}Z`)): RetentionCandidate => ({
  key: `demo/${stamp}Z-1.0-abcdefgh`,
  manifest: {
    started: Number.isNaN(started) ? 'never' : new Date(started).toISOString(),
    instance: { id: 'idemo' },
  },
  ...marks,
})
const on = (day: string, marks?: Marks) => at(`${day}T000000`, marks)
const broken = { damage: 'broken' }

/** Days of those that go. */
const removed = (backups: readonly RetentionCandidate[], rules: Partial<RetentionRules>) =>
  retain(backups, { ...none, ...rules }, now)
    .filter(({ keep }) => !keep)
    .map(({ backup }) => backup.key.slice(5, 13))

describe('retention', () => {
  const zone = process.env.TZ
  beforeAll(() => {
    process.env.TZ = 'America/New_York'
  })
  afterAll(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })

  it('removes what is older than the depth, in days', () => {
    const backups = ['20261121', '20261119', '20261118', '20261001'].map((day) => on(day))
    expect(removed(backups, { depthDays: 3 })).toEqual(['20261118', '20261001'])
    expect(removed(backups, {})).toEqual([])
  })

  it('never removes the latest good backup, however old, and nothing when none is good', () => {
    expect(removed([on('20260301'), on('20260201')], { depthDays: 1 })).toEqual(['20260201'])
    expect(removed([on('20260301', broken), on('20260201', broken)], { depthDays: 1, last: 1 })).toEqual([])
  })

  it('never removes the latest with a test restore', () => {
    const proved = { proved: { at: '2026-11-01T00:00:00Z', seconds: 3 } }
    const backups = [on('20261121'), on('20261110', proved), on('20261109', proved), on('20261101')]
    expect(removed(backups, { last: 1 })).toEqual(['20261109', '20261101'])
    expect(
      removed([on('20261121'), on('20261110', { ...proved, ...broken }), on('20261109', proved)], { last: 1 }),
    ).toEqual(['20261110'])
  })

  it('counts no damaged one, and keeps it while nothing newer is good', () => {
    const backups = [on('20261121', broken), on('20261120'), on('20261119', broken), on('20261118')]
    expect(removed(backups, { last: 2 })).toEqual(['20261119'])
    expect(removed(backups, { depthDays: 3 })).toEqual(['20261118'])
    expect(removed(backups, { last: 1 })).toEqual(['20261119', '20261118'])
  })

  it('leaves those from the future alone', () => {
    const backups = [on('20991231'), on('20991230'), on('20261101'), on('20261001')]
    expect(removed(backups, { depthDays: 1 })).toEqual(['20261001'])
  })

  it('goes by when a backup was made, not by the order of ids that a wrong clock left behind', () => {
    const future = on('20310101')
    const days = ['15', '16', '17', '18', '19', '20']
    const chain = days.map((day, n) => at(`20310101T00000${n + 1}`, {}, Date.parse(`2026-11-${day}T12:00:00Z`)))
    const kept = retain([future, ...chain], { ...none, daily: 3 }, now).filter(({ keep }) => keep)
    expect(kept.map(({ backup, reason }) => `${backup.manifest.started.slice(0, 10)}: ${reason}`)).toEqual([
      '2026-11-20: the latest good backup',
      '2026-11-19: the last of 2026-11-19',
      '2026-11-18: the last of 2026-11-18',
      '2031-01-01: its date is in the future',
    ])
    expect(retain(chain, { ...none, depthDays: 3 }, now).filter(({ keep }) => keep)).toHaveLength(3)
  })

  it('leaves alone what is needed, and what has no date', () => {
    const backups = [
      on('20261121'),
      on('20261002', { needed: 'it is not at "s3" yet' }),
      on('20269999'),
      on('20261001'),
    ]
    expect(removed(backups, { last: 1 })).toEqual(['20261001'])
  })

  it('keeps the last of each day, week and month of local time', () => {
    // 03:00Z is 22:00 of the day before in winter there, and 23:00 in summer.
    const backups = [
      at('20261121T120000'),
      at('20261121T030000'),
      at('20261120T120000'),
      // Sunday, then the Monday before.
      at('20261116T030000'),
      at('20261109T120000'),
      at('20261101T030000'),
      at('20261031T120000'),
      at('20261001T030000'),
    ]
    expect(removed(backups, { daily: 2 })).toEqual([
      '20261120',
      '20261116',
      '20261109',
      '20261101',
      '20261031',
      '20261001',
    ])
    expect(removed(backups, { weekly: 2 })).toEqual([
      '20261121',
      '20261120',
      '20261109',
      '20261101',
      '20261031',
      '20261001',
    ])
    expect(removed(backups, { monthly: 3 })).toEqual(['20261121', '20261120', '20261116', '20261109', '20261031'])
    expect(removed(backups, { last: 1, daily: 3, monthly: 2 })).toEqual([
      '20261120',
      '20261109',
      '20261031',
      '20261001',
    ])
  })

  it('says why', () => {
    const backups = [
      on('20261121'),
      on('20261120', broken),
      on('20261110', { needed: 'it is in use' }),
      on('20261109'),
      on('20261001'),
      on('20260901'),
    ]
    const verdicts = retain(backups.toReversed(), { ...none, depthDays: 5, monthly: 2 }, now)
    expect(verdicts.map(({ keep, reason }) => `${keep ? 'kept' : 'removed'}: ${reason}`)).toEqual([
      'kept: younger than 5 days',
      'kept: younger than 5 days',
      'kept: it is in use',
      'removed: no rule keeps it',
      'kept: the last of 2026-09',
      'removed: no rule keeps it',
    ])
  })

  const count = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 8 }))
  const rules = fc.record({ depthDays: count, last: count, daily: count, weekly: count, monthly: count })
  const candidates = fc
    .uniqueArray(
      fc.record({
        hours: fc.integer({ min: -48, max: 24 * 120 }),
        damage: fc.option(fc.constant('broken'), { nil: undefined, freq: 3 }),
        proved: fc.option(fc.constant(true), { nil: undefined, freq: 1 }),
      }),
      { selector: ({ hours }) => hours, maxLength: 40 },
    )
    .map((all) =>
      all.map(({ hours, ...marks }) => at(stampOf(new Date(now.getTime() - hours * 3_600_000)).slice(0, -1), marks)),
    )
  const keptOf = (backups: readonly RetentionCandidate[], wanted: RetentionRules) =>
    retain(backups, wanted, now).flatMap(({ keep, backup }) => (keep ? [backup] : []))
  const good = (backups: readonly RetentionCandidate[]) =>
    backups.filter(({ damage }) => damage === undefined).toSorted((a, b) => timeOf(b.key) - timeOf(a.key))

  it('keeps, whatever there is, the latest good backup, the newest proved one, and what each rule says', () => {
    fc.assert(
      fc.property(candidates, rules, (backups, wanted) => {
        const kept = new Set(keptOf(backups, wanted))
        const usable = good(backups)
        if (usable.length === 0 || Object.values(wanted).every((each) => each === 0)) {
          expect(kept.size).toBe(backups.length)
          return
        }
        const proved = usable.find((each) => each.proved !== undefined)
        for (const each of [usable[0], ...(proved ? [proved] : []), ...usable.slice(0, wanted.last)])
          expect(kept).toContain(each)
        for (const each of backups)
          if (wanted.depthDays > 0 && now.getTime() - timeOf(each.key) <= wanted.depthDays * 86_400_000)
            expect(kept).toContain(each)
        const days = (list: readonly RetentionCandidate[]) =>
          new Set(list.map(({ key }) => new Date(timeOf(key)).toDateString())).size
        expect(days(good([...kept]))).toBeGreaterThanOrEqual(Math.min(days(usable), wanted.daily))
      }),
    )
  })

  it('removes nothing more when it is asked again, depends on no order, and on no damaged one', () => {
    fc.assert(
      fc.property(candidates, rules, (backups, wanted) => {
        const kept = keptOf(backups, wanted)
        expect(keptOf(kept, wanted)).toEqual(kept)
        expect(keptOf(backups.toReversed(), wanted)).toEqual(kept)
        expect(good(keptOf(good(backups), wanted))).toEqual(good(kept))
      }),
    )
  })

  it('keeps no less when a rule asks for more', () => {
    fc.assert(
      fc.property(candidates, rules, fc.constantFrom('last', 'daily', 'weekly', 'monthly'), (backups, wanted, rule) => {
        fc.pre(Object.values(wanted).some((each) => each > 0))
        const more = new Set(keptOf(backups, { ...wanted, [rule]: wanted[rule] + 1 }))
        for (const each of keptOf(backups, wanted)) expect(more).toContain(each)
      }),
    )
  })
})
