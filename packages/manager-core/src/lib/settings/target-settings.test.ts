import { targetTypeOf } from '@steward/backup-targets'
import { describe, expect, it } from 'vitest'
import { settingsOf } from './settings-for-test.js'
import { targetTable } from './tables/targets.js'

describe('settings of targets', () => {
  const targetsOf = (lines: readonly string[], environment?: Record<string, string>) =>
    settingsOf(lines, environment).settings.global.targets.map(({ name, type, options }) => ({
      ...{ name, type },
      options: Object.fromEntries(
        Object.entries(options).map(([key, value]) => [
          key,
          typeof value === 'string' ? value : `secret ${value.reveal()}`,
        ]),
      ),
    }))

  it('are none when nothing is set', () => {
    expect(targetsOf([])).toEqual([])
    expect(targetsOf(['APPS_SCP_USER=backup', 'APPS_TARGETS='])).toEqual([])
  })

  it('come from the variables of the requirements, also by their neutral names', () => {
    const lines = [
      'APPS_SCP_SERVER=nas.example.org',
      'APPS_SCP_PORT=2222',
      'APPS_SCP_KNOWN_HOSTS=/etc/hosts.ssh',
      'APPS_FTP_SERVER=ftp.example.org',
      'APPS_FTP_PASSWORD=s3cret',
      'APPS_FTP_TLS=implicit',
      'APPS_STORE_A_CONTAINER=main',
      'APPS_STORE_A_CONTAINER_ALT=other',
      'APPS_STORE_A_PREFIX_ALT=old/',
      'APPS_SWIFT_PASSWORD=s3cret',
      'APPS_SWIFT_AUTH_VERSION=3',
      'APPS_STORE_B_BUCKET=bucket',
      'APPS_S3_SECRET_KEY=s3cret',
      'APPS_S3_LOCK_DAYS=30',
      'APPS_STORE_C_BUCKET=bucket',
    ]
    const account = { password: 'secret s3cret', auth_version: '3' }
    expect(targetsOf(lines)).toEqual([
      { name: 'scp', type: 'scp', options: { server: 'nas.example.org', port: '2222', known_hosts: '/etc/hosts.ssh' } },
      { name: 'ftp', type: 'ftp', options: { server: 'ftp.example.org', password: 'secret s3cret', tls: 'implicit' } },
      { name: 'swift', type: 'swift', options: { ...account, container: 'main' } },
      { name: 'swift-alt', type: 'swift', options: { ...account, container: 'other', prefix: 'old/' } },
      { name: 's3', type: 's3', options: { bucket: 'bucket', secret_key: 'secret s3cret', lock_days: '30' } },
      { name: 'gcs', type: 'gcs', options: { bucket: 'bucket' } },
    ])
  })

  it('are options that their types have', async () => {
    for (const type of ['scp', 'ftp', 'swift', 's3', 'gcs']) {
      const prefix = `APPS_${type.toUpperCase()}_`
      const variables = Object.keys(targetTable).filter((name) => name.startsWith(prefix) && !name.endsWith('_ALT'))
      const { options } = await targetTypeOf(type)
      const names = options.map(({ name }) => name)
      expect(names, type).toEqual(
        expect.arrayContaining(variables.map((name) => name.slice(prefix.length).toLowerCase())),
      )
    }
  })

  it('may have any names, also from the environment', () => {
    const lines = [
      'APPS_TARGETS="nas,nas-2, box"',
      'APPS_TARGET_NAS_TYPE=local',
      'APPS_TARGET_NAS_PATH=/mnt/nas',
      'APPS_TARGET_NAS_2_TYPE=scp',
      'APPS_TARGET_NAS_2_KNOWN_HOSTS=/etc/hosts.ssh',
      'APPS_TARGET_BOX_TYPE=@acme/box',
      'APPS_TARGET_BOX_PASS=s3cret',
    ]
    expect(targetsOf(lines, { APPS_TARGET_BOX_URL: 'https://box.example.org' })).toEqual([
      { name: 'nas', type: 'local', options: { path: '/mnt/nas' } },
      { name: 'nas-2', type: 'scp', options: { known_hosts: '/etc/hosts.ssh' } },
      { name: 'box', type: '@acme/box', options: { pass: 'secret s3cret', url: 'https://box.example.org' } },
    ])
  })

  it.each([
    [['APPS_TARGETS=nas'], 'APPS_TARGET_NAS_TYPE is not set.'],
    [['APPS_TARGETS=NAS'], 'APPS_TARGETS is "NAS" (config.sh:2), but must be names of lower-case letters'],
    [['APPS_TARGETS=nas,scp'], 'APPS_TARGETS is'],
    [['APPS_TARGETS=../x'], 'APPS_TARGETS is'],
    [['APPS_SCP_SERVER=x', 'APPS_SCP_PORT=70000'], 'APPS_SCP_PORT is "70000" (config.sh:3)'],
    [
      ['APPS_SCP_SERVER=x', 'APPS_SCP_KEY=id_rsa'],
      'APPS_SCP_KEY is "id_rsa" (config.sh:3), but must be an absolute path',
    ],
    [['APPS_TARGET_BANDWIDTH=fast'], 'APPS_TARGET_BANDWIDTH is "fast"'],
  ])('%j is refused', (lines, message) => {
    expect(() => ({ ...settingsOf(lines).settings.global })).toThrow(message)
  })

  it('are shown without secrets, with hints, and kept from instances and hooks', () => {
    const lines = [
      'APPS_TARGETS=store,box',
      'APPS_TARGET_STORE_TYPE=s3',
      'APPS_TARGET_STORE_BUCKET=backups',
      'APPS_TARGET_STORE_LOCK_DAYS=30',
      'APPS_TARGET_STORE_SECRET_KEY=s3cret',
      'APPS_TARGET_BOX_SAS=s3cret',
      'APPS_TARGET_STROE_BUCKET=s3cret',
      'APPS_TARGET_OTHER_PLACE=s3cret',
    ]
    const { settings } = settingsOf(lines, { APPS_TARGET_BOX_PIN: 's3cret' })
    const described = settings.describe()
    expect(JSON.stringify(described)).not.toContain('s3cret')
    const find = (name: string) => described.find((one) => one.name === name)
    expect(find('APPS_TARGET_STORE_BUCKET')).toMatchObject({ value: 'backups', origin: 'config.sh:4' })
    expect(find('APPS_TARGET_STORE_LOCK_DAYS')?.value).toBe('30')
    expect(find('APPS_TARGET_BOX_PIN')).toMatchObject({ value: '***', origin: 'environment' })
    expect(find('APPS_TARGET_BOX_TYPE')?.hint).toContain('APPS_TARGET_BOX_TYPE is not set.')
    expect(find('APPS_TARGET_STROE_BUCKET')?.hint).toBe('Did you mean APPS_TARGET_STORE_BUCKET?')
    expect(find('APPS_TARGET_OTHER_PLACE')?.hint).toBe('APPS_TARGETS has no store of that name.')
    expect(JSON.stringify(settings.environment())).not.toContain('s3cret')
    const complete = settingsOf([...lines, 'APPS_TARGET_BOX_TYPE=@acme/box', 'MY_OWN=x'])
    expect(complete.settings.global.passedOn).toEqual({ MY_OWN: 'x' })
  })
})
