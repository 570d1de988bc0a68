import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { settingsOf } from './settings-for-test.js'

describe('settings.describe()', () => {
  const described = (lines: readonly string[], environment: Record<string, string> = {}) => {
    const list = settingsOf(lines, environment).settings.describe()
    return new Map(list.map((one) => [one.name, one]))
  }

  it('says value, default and origin', () => {
    const all = described(['APPS_MAXINSTANCES=5', 'MY_OWN=x'], { APPS_REALMNAME: 'Ours' })
    expect(all.get('APPS_MAXINSTANCES')).toMatchObject({ value: '5', default: '0', origin: 'config.sh:2' })
    expect(all.get('APPS_REALMNAME')).toMatchObject({ value: 'Ours', origin: 'environment' })
    expect(all.get('APPS_ROOTCONTEXT')).toMatchObject({ value: 'true', default: 'true', origin: 'default' })
    expect(all.get('APPS_DEFAULTVERSION')).toMatchObject({ value: undefined, default: undefined, origin: 'default' })
    expect(all.get('MY_OWN')).toMatchObject({
      value: 'x',
      origin: 'config.sh:3',
      section: 'Passed on',
    })
    expect([...all.values()].filter(({ hint }) => hint !== undefined)).toEqual([])
  })

  it('says where a version does not have what is written', () => {
    const { home, settings } = settingsOf()
    const hintOf = (version: string, text: string) => {
      writeFileSync(home.versionSettings(version), text)
      return settings.describe({ version }).find(({ name }) => name === 'APPS_AUTOUPGRADE')?.hint
    }
    expect(hintOf('3.2', 'APPS_JDK=/opt/jdk\n')).toMatch(/^It is false: versions below 4\.0 /)
    expect(hintOf('3.2', 'APPS_JDK=/opt/jdk\nAPPS_AUTOUPGRADE=false\n')).toBeUndefined()
    expect(hintOf('4.0', 'APPS_JDK=/opt/jdk\n')).toBeUndefined()
    expect(hintOf('3.2', 'APPS_TEMPLATE=default\n')).toBeUndefined()
  })

  it('is about a version or an instance, too', () => {
    const { home, settings } = settingsOf()
    writeFileSync(home.versionSettings('1.0'), 'APPS_TEMPLATE=default\nAPPS_TOMCATMAXMEN=512\nAPPS_EMAIL=x\n')
    const ofVersion = settings.describe({ version: '1.0' })
    expect(ofVersion).toContainEqual(
      expect.objectContaining({ name: 'APPS_TEMPLATE', value: 'default', origin: 'version-1.0.sh:1' }),
    )
    expect(ofVersion.flatMap(({ hint }) => hint ?? [])).toEqual([
      'Did you mean APPS_TOMCATMAXMEM?',
      'Move it to config.sh.',
    ])
    const { folder, settings: file } = home.instance('abc')
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, 'SERVICE_PASSWORD=s3cret\nSERVICE_URL=x\n')
    const ofInstance = settings.describe({ folder })
    expect(ofInstance).toContainEqual(
      expect.objectContaining({ name: 'SERVICE_PASSWORD', value: '***', origin: 'abc/settings.sh:1' }),
    )
    expect(ofInstance.find(({ name }) => name === 'SERVICE_URL')?.hint).toContain('must be an address')
    expect(() => settings.describe({ version: '9.9' })).toThrow('File not found: version-9.9.sh')
  })

  it('masks secrets, also of variables that it does not know', () => {
    const lines = [
      'APPS_PASSWORD=s3cret',
      'APPS_STORE_A_PASSWORD=s3cret',
      'MY_API_TOKEN=s3cret',
      'APPS_PASWORD=s3cret',
      'MY_URL=postgres://me:s3cret@host/x',
    ]
    const all = described(lines, { APPS_MAILPASSWORD: 's3cret' })
    expect(JSON.stringify([...all.values()])).not.toContain('s3cret')
    expect(all.get('APPS_SWIFT_PASSWORD')?.value).toBe('***')
    expect(all.get('APPS_EXTERNAL_API_KEY')?.value).toBe('none')
  })

  it('hints at misspelt names, wrong places and wrong values, and does not fail', () => {
    const all = described([
      'APPS_EMIAL=me@example.org',
      'SERVICE_URL=http://x',
      'APPS_JDK=/opt/jdk',
      'APPS_MAXINSTANCES=x',
      'APPS_OWNTHING=1',
      'ORACLE_BASE=/x',
      'APPS_HOME=/other',
      'APPS_BASEURL=https://apps.example.org',
    ])
    const hints = Object.fromEntries(
      [...all.values()].flatMap(({ name, hint }) => (hint === undefined ? [] : [[name, hint]])),
    )
    expect(hints).toMatchObject({
      APPS_EMIAL: 'Did you mean APPS_EMAIL?',
      SERVICE_URL: 'Move it to the settings of an instance.',
      APPS_JDK: 'Move it to version-<version>.sh.',
      APPS_OWNTHING: 'The manager has no variable of this name.',
      APPS_HOME: 'config.sh:8 says /other, which is not used.',
      APPS_SERVER_CERT: 'It is required for HTTPS, because APPS_SSL is true.',
    })
    expect(hints['APPS_MAXINSTANCES']).toContain('must be a whole number')
    expect(hints).not.toHaveProperty('ORACLE_BASE')
  })
})

describe('settings.environment()', () => {
  it("is the caller's and the manager's without secrets", () => {
    const { home, settings } = settingsOf(['APPS_PASSWORD=s3cret', 'MY_OWN=x', 'APPS_EMAIL=me@example.org'], {
      PATH: '/bin',
      APPS_MAILPASSWORD: 's3cret',
      STEWARD_DATABASE: 'x',
      SERVICE_PASSWORD: 's3cret',
    })
    const environment = settings.environment()
    expect(environment).toMatchObject({
      APPS_HOME: home.folder,
      APPS_SAVE_DIR: join(home.folder, 'save'),
      APPS_EMAIL: 'me@example.org',
      MY_OWN: 'x',
      PATH: '/bin',
    })
    expect(JSON.stringify(environment)).not.toMatch(/s3cret|STEWARD/)
  })
})

describe('variables without effect', () => {
  it('say so, and what to do instead, when they have another value than the default', () => {
    const { home, settings } = settingsOf(['APPS_MSSQL_HOST=db'])
    writeFileSync(home.versionSettings('1.0'), 'APPS_TEMPLATE=default\n')
    const { folder, settings: file } = home.instance('abc')
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, 'SERVICE_AUTOUPGRADE=true\nSERVICE_REMOTE_GIT_USERNAME=me\n')
    const hints = [undefined, { version: '1.0' }, { folder }].flatMap((of) =>
      settings.describe(of).flatMap(({ name, hint }) => (hint?.startsWith('It has no effect here. ') ? [name] : [])),
    )
    expect(hints).toEqual(['SERVICE_REMOTE_GIT_USERNAME'])
  })

  it('are those of sleep without a reverse proxy, too', () => {
    const hint = (...lines: readonly string[]) =>
      settingsOf(lines)
        .settings.describe()
        .find(({ name }) => name === 'APPS_SLEEP_AFTER')?.hint
    expect(hint('APPS_SLEEP_AFTER=60')).toContain('APPS_PROXY=yes')
    expect(hint('APPS_SLEEP_AFTER=1h')).toContain('must be a whole number from 0 to 31536000')
    expect(hint('APPS_SLEEP_AFTER=60', 'APPS_PROXY=yes')).toBeUndefined()
    expect(hint('APPS_SLEEP_AFTER=0')).toBeUndefined()
  })

  it('are those of a default version that is not there, too', () => {
    const { home, settings } = settingsOf(['APPS_DEFAULTVERSION=9.9'])
    const hint = () => settings.describe().find(({ name }) => name === 'APPS_DEFAULTVERSION')?.hint
    writeFileSync(home.versionSettings('1.0'), 'APPS_TEMPLATE=default\n')
    expect(hint()).toBe(
      'Version 9.9 (version-9.9.sh) does not exist, so "add" needs a version; existing versions: 1.0.',
    )
    writeFileSync(home.versionSettings('9.9'), 'APPS_TEMPLATE=default\n')
    expect(hint()).toBeUndefined()
  })
})
