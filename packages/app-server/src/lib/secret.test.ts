import { randomBytes } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeFolder } from '../running-app-for-test.js'
import { loadSecrets } from './secret.js'
import { readSettings } from './settings.js'

const secret = () => randomBytes(32).toString('base64')
const told = (secrets: readonly Uint8Array[] | undefined) => secrets?.map((one) => Buffer.from(one).toString('base64'))

test('loadSecrets() makes one, keeps it, and accepts older ones after it', async () => {
  const { folder, remove } = await makeFolder({})
  onTestFinished(remove)
  const file = join(folder, 'token.secret')
  const [made = ''] = told(await loadSecrets(file)) ?? []
  expect([Buffer.from(made, 'base64').length, (await stat(file)).mode & 0o777]).toEqual([32, 0o600])
  expect(told(await loadSecrets(file))).toEqual([made])
  const newer = secret()
  await writeFile(file, `${newer}\n${await readFile(file, 'utf8')}`)
  expect(told(await loadSecrets(file))).toEqual([newer, made])
  await writeFile(file, 'short\n')
  await expect(loadSecrets(file)).rejects.toThrow('does not hold a secret')
})

test('STEWARD_TOKEN_SECRET has one secret or more, and a mistake in it is not shown', () => {
  const [one, two] = [secret(), secret()]
  expect(told(readSettings({ STEWARD_TOKEN_SECRET: `${one}, ${two}` }).tokenSecrets)).toEqual([one, two])
  expect(readSettings({}).tokenSecrets).toBeUndefined()
  for (const wrong of ['hunter2', `${one},hunter2`, ','])
    expect(() => readSettings({ STEWARD_TOKEN_SECRET: wrong })).toThrow(
      /^STEWARD_TOKEN_SECRET must be .*(?<!hunter2.*)$/,
    )
})
