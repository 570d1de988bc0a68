import type { Faker } from '@faker-js/faker'
import { ManagerError } from '../../errors.js'
import type { FakeKind } from './rule.js'

/** Makes a text of a kind. `letters` are of the value that it stands for, `length` is that value's length. */
export type Fake = (kind: FakeKind, seed: Buffer, letters: string, length: number) => string

/**
 * Loads what makes values up; it is installed only where it is needed.
 *
 * @throws ManagerError ERR_SETTINGS when it is not installed, or has no such locale
 */
export async function loadFake(locale: string): Promise<Fake> {
  const { faker: general } = await importFaker(locale)
  const random = createRandom()
  // The class is not imported by its name, because all locales would come with it.
  const OwnFaker = general.constructor as new (options: object) => Faker
  const faker = new OwnFaker({ locale: general.rawDefinitions, randomizer: random })
  return (kind, seed, letters, length) => {
    random.begin(seed)
    return makers[kind](faker, letters, length)
  }
}

/** xoshiro128**: it starts again for each value, which would take faker's own generator most of the time. */
function createRandom() {
  const state = new Uint32Array(4)
  const rotated = (value: number, by: number) => (value << by) | (value >>> (32 - by))
  return {
    begin(seed: Buffer): void {
      for (let at = 0; at < 4; at++) state[at] = seed.readUInt32BE(at * 4)
    },
    next(): number {
      const [a, b, c, d] = state as unknown as readonly [number, number, number, number]
      const [third, fourth] = [c ^ a, d ^ b]
      state[0] = a ^ fourth
      state[1] = b ^ third
      state[2] = third ^ (b << 9)
      state[3] = rotated(fourth, 11)
      return (Math.imul(rotated(Math.imul(b, 5), 7), 9) >>> 0) / 2 ** 32
    },
    // Only `begin` seeds it.
    seed(): void {},
  }
}

async function importFaker(locale: string): Promise<{ readonly faker: Faker }> {
  try {
    const name = `@faker-js/faker/locale/${locale}`
    return (await import(/* @vite-ignore */ name)) as { readonly faker: Faker }
  } catch (error) {
    const isThere = await import('@faker-js/faker').then(
      () => true,
      () => false,
    )
    throw isThere
      ? new ManagerError('ERR_SETTINGS', `Values cannot be generated for the locale "${locale}".`, {
          help: 'Use a locale of @faker-js/faker: en, fr, de, es, it, nl, pt_BR …',
          cause: error,
        })
      : new ManagerError('ERR_SETTINGS', 'The rules generate values, which requires @faker-js/faker.', {
          help: 'Install it next to the manager (npm install @faker-js/faker), or use only hash, shuffle and null.',
          cause: error,
        })
  }
}

/** Addresses and numbers reach no one: example.org is reserved, and no country has +999. */
const makers: Readonly<Record<FakeKind, (faker: Faker, letters: string, length: number) => string>> = {
  name: ({ person }) => `${person.firstName()} ${person.lastName()}`,
  firstName: ({ person }) => person.firstName(),
  lastName: ({ person }) => person.lastName(),
  login: ({ person }, letters) => `${slug(person.firstName())}.${letters}`,
  email: ({ person }, letters) => `${slug(person.firstName())}.${letters}@example.org`,
  phone: ({ string }) => `+999 ${string.numeric({ length: 9, allowLeadingZeros: true }).replace(/(...)(?=.)/g, '$1 ')}`,
  address: ({ location }) => `${location.streetAddress()}, ${location.zipCode()} ${location.city()}`,
  street: ({ location }) => location.streetAddress(),
  zip: ({ location }) => location.zipCode(),
  city: ({ location }) => location.city(),
  country: ({ location }) => location.country(),
  place: ({ location }) => `${location.latitude()};${location.longitude()}`,
  company: ({ company }) => company.name(),
  job: ({ person }) => person.jobTitle(),
  iban: ({ finance }) => finance.iban(),
  url: (_, letters) => `https://example.org/${letters}`,
  color: ({ color }) => color.rgb(),
  words: ({ lorem }) => lorem.words({ min: 1, max: 3 }),
  text: ({ lorem }, _letters, length) => {
    const wanted = Math.min(length, mostText)
    let text = lorem.sentence()
    while (text.length < wanted) text += ` ${lorem.sentence()}`
    return text.slice(0, Math.max(wanted, 1)).trim()
  },
}

/** Longer texts are not made up in their whole length. */
const mostText = 10_000

/** Letters of addresses. */
function slug(name: string): string {
  const letters = name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
  return letters.slice(0, 12) || 'user'
}
