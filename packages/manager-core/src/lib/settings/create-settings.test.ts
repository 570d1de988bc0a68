import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../../../../tests/fuzz/any-character.js'
import { Secret } from '../domain/secret.js'
import { settingsOf, settingsOfText } from './settings-for-test.js'
import { readableParts } from './on-demand.js'
import type { GlobalSettings, InstanceSettings, Settings } from './settings.js'
import { globalTable } from './tables/global.js'
import type { Variable } from './variable.js'
import { withDefaults } from './with-defaults.js'

const messageOf = (call: () => unknown) => {
  try {
    call()
  } catch (error) {
    expect(error).toMatchObject({ code: 'ERR_SETTINGS' })
    return (error as Error).message
  }
  throw new Error('It was taken.')
}

describe('settings.global', () => {
  it('has the defaults of the requirements', () => {
    const { home, settings } = settingsOf()
    const none = new Secret('')
    expect(settings.global).toMatchObject({
      baseUrl: 'http://localhost:8000',
      rootContext: true,
      databases: ['sqlite', 'mysql', 'postgresql'],
      defaultDatabase: 'sqlite',
      maxInstances: 0,
      isolation: 'auto',
      containers: { socket: '/var/run/docker.sock', image: undefined, network: 'host' },
      swarm: { registry: undefined, user: undefined, passwordFile: undefined },
      allowRegister: false,
      allowDownload: true,
      defaultProtected: false,
      defaultAutoSave: false,
      defaultAutoUpdate: true,
      externalApiKey: undefined,
      proxy: { type: 'nginx', enabled: false },
      ssl: { mode: 'on', serverCertificate: undefined },
      saveFolder: join(home.folder, 'save'),
      saveAllFolder: join(home.folder, 'save'),
      saveDepthDays: 0,
      saveAllRemoveLocal: false,
      targets: [],
      mail: undefined,
      databaseServers: {
        mysql: { host: 'localhost', port: 3306, adminUser: 'root', adminPassword: none },
        postgresql: { port: 5432, adminUser: 'postgres' },
        oracle: { port: 1521, adminUser: 'system', service: 'FREEPDB1', environment: {} },
        mssql: { port: 1433, adminUser: 'sa', encryption: 'yes' },
      },
      passedOn: {},
    })
  })

  it('reads what the file says, with the names of products and their neutral ones', () => {
    const { home, settings } = settingsOf([
      'APPS_BASEURL=https://apps.example.org/',
      'export APPS_SAVE_DIR="$APPS_HOME/backups"',
      'APPS_SAVEALL_DIR=$APPS_SAVE_DIR/all/',
      'APPS_DATABASES="sqlite, postgresql,sqlite"',
      'APPS_ROOTCONTEXT=false APPS_DEFAULTPROTECTED=yes APPS_DEFAULTAUTOSAVE=true APPS_ALLOWDOWNLOAD=No',
      'APPS_SSL=force APPS_SERVER_CERT=server.crt APPS_SERVER_KEY=/keys/server.key',
      'APPS_STORE_A_CONTAINER=backups APPS_SWIFT_AUTH_URL=https://auth.example.org/v3 APPS_STORE_A_PASSWORD=s3cret',
      'APPS_S3_BUCKET=mine APPS_STORE_B_BUCKET=other',
      "APPS_POSTGRESQL_ADMINPASSWORD='pa$$ word' APPS_MAILSERVER=mail.example.org APPS_MAILUSER=me",
      'APPS_HOOKTIMEOUT=2 APPS_WINDOW=22:00-05:30 APPS_PORTS=20000-20010 APPS_EXTERNAL_API_KEY=abc',
    ])
    const { global } = settings
    expect(global).toMatchObject({
      baseUrl: 'https://apps.example.org',
      saveFolder: join(home.folder, 'backups'),
      saveAllFolder: join(home.folder, 'backups/all'),
      databases: ['sqlite', 'postgresql'],
      rootContext: false,
      defaultProtected: true,
      defaultAutoSave: true,
      allowDownload: false,
      ssl: { mode: 'force', serverCertificate: '/etc/ssl/server.crt', serverKey: '/keys/server.key' },
      targets: [
        { name: 'swift', type: 'swift', options: { container: 'backups', auth_url: 'https://auth.example.org/v3' } },
        { name: 's3', type: 's3', options: { bucket: 'mine' } },
      ],
      mail: { server: 'mail.example.org', port: 587, user: 'me', password: undefined },
      hookTimeoutMs: 2000,
      window: { from: '22:00', to: '05:30' },
      ports: { from: 20_000, to: 20_010 },
    })
    expect(global.databaseServers.postgresql.adminPassword.reveal()).toBe('pa$$ word')
    expect((global.targets[0]?.options['password'] as Secret | undefined)?.reveal()).toBe('s3cret')
    expect(global.externalApiKey?.reveal()).toBe('abc')
    expect(JSON.stringify(global)).not.toMatch(/s3cret|pa\$\$/)
  })

  it.for([
    ['APPS_BASEURL=apps.example.org', 'an address such as'],
    [
      'APPS_BASEURL=https://me:secret@apps.example.org',
      '"https://***@apps.example.org" (config.sh:3), but must be an address',
    ],
    ['APPS_MAXINSTANCES=many', 'a whole number of at least 0'],
    ['APPS_MAXINSTANCES=-1', 'a whole number of at least 0'],
    ['APPS_MAXINSTANCES=1.5', 'a whole number of at least 0'],
    ['APPS_MYSQL_PORT=0', 'a whole number from 1 to 65535'],
    ['APPS_MYSQL_PORT=70000', 'a whole number from 1 to 65535'],
    ['APPS_ORACLE_HOST=db:1521/FREEPDB1', 'the name or address of a host'],
    ['APPS_MSSQL_HOST=mssql://db', 'the name or address of a host'],
    ['APPS_POSTGRESQL_HOST=[::1]', 'the name or address of a host'],
    ['APPS_MYSQL_HOST="db example"', 'the name or address of a host'],
    ['APPS_ORACLE_SERVICE=db/FREEPDB1', 'the name of a service'],
    ['ORACLE_SID="FREE PDB1"', 'the name of a service'],
    ['APPS_ROOTCONTEXT=maybe', '"true" or "false"'],
    ['APPS_DEFAULTPROTECTED=1', '"yes" or "no"'],
    ['APPS_HTTPSERVER=caddy', 'one of nginx, httpd'],
    ['APPS_DATABASES=sqlite,dbase', 'some of sqlite, mysql, postgresql, oracle, mssql'],
    ['APPS_DATABASES=sqlite,', 'some of sqlite'],
    ['APPS_DEFAULTDATABASE=dbase', 'one of sqlite'],
    ['APPS_SAVE_DIR=backups', 'an absolute path'],
    ['APPS_EMAIL="me@example.org, you@example.org"', 'one e-mail address'],
    ["APPS_EMAIL='me@example.org\nBcc: x@example.org'", 'one e-mail address'],
    ['APPS_PORTS=20000', 'a range of ports'],
    ['APPS_PORTS=20010-20000', 'a range of ports'],
    ['APPS_PORTS=1-99999', 'a range of ports'],
    ['APPS_WINDOW=25:00-05:30', 'a time of day'],
    ['APPS_WINDOW=05:00-05:00', 'a time of day'],
  ] as const)('refuses %j with what is allowed, and where it is', ([line, allowed]) => {
    const { settings } = settingsOf(['# second line', line])
    const message = messageOf(() => JSON.stringify(settings.global))
    expect(message).toContain(line.slice(0, line.indexOf('=')))
    expect(message).toContain(allowed)
    expect(message).toContain('(config.sh:3)')
  })

  it.for(['db.example.org', '10.0.0.1', '::1', 'db_1', '/var/run/postgresql'])('takes %s as host', (host) => {
    const { settings } = settingsOf([`APPS_POSTGRESQL_HOST=${host}`, 'APPS_ORACLE_SERVICE=FREE.pdb-1$'])
    expect(settings.global.databaseServers).toMatchObject({
      postgresql: { host },
      oracle: { service: 'FREE.pdb-1$' },
    })
  })

  it('refuses a default database that is not managed', () => {
    const { settings } = settingsOf(['APPS_DATABASES=mysql'])
    expect(messageOf(() => JSON.stringify(settings.global))).toContain('APPS_DEFAULTDATABASE is "sqlite" (default)')
  })

  it('needs an address; an empty value counts as not set', () => {
    expect(messageOf(() => ({ ...settingsOfText('').settings.global }))).toContain('APPS_BASEURL is not set')
    expect(messageOf(() => ({ ...settingsOfText('APPS_BASEURL=').settings.global }))).toContain(
      'APPS_BASEURL is not set',
    )
    expect(settingsOf(['APPS_MAXINSTANCES=']).settings.global.maxInstances).toBe(0)
  })

  it('takes from the environment what the file does not set, but the home', () => {
    const environment = {
      APPS_HOME: '/elsewhere',
      APPS_BASEURL: 'http://environment:1',
      APPS_MAXINSTANCES: '5',
      UNKNOWN: 'x',
    }
    const { home, settings } = settingsOf(['APPS_HOME=/somewhere', 'APPS_SAVE_DIR=$APPS_HOME/s'], environment)
    expect(settings.global).toMatchObject({ baseUrl: 'http://localhost:8000', maxInstances: 5, passedOn: {} })
    expect(settings.global.saveAllFolder).toBe(settings.global.saveFolder)
    expect(settings.environment()['APPS_HOME']).toBe(home.folder)
    const broken = settingsOf([], { APPS_MAXINSTANCES: 'x' })
    expect(messageOf(() => ({ ...broken.settings.global }))).toContain('(environment)')
  })

  it('passes on what it does not know, and the variables of vendors', () => {
    const { settings } = settingsOf(['export ORACLE_HOME=/opt/oracle', 'MY_KEY=1', 'APPS_S3_BUCKET=b', 'APPS_OWN=2'])
    expect(settings.global.passedOn).toEqual({ ORACLE_HOME: '/opt/oracle', MY_KEY: '1', APPS_OWN: '2' })
  })

  it('does not pass on what was probably meant for the manager', async () => {
    const { home, settings } = settingsOf(['APPS_PASWORD=s3cret', 'APPS_MYSQL_ADMINPASWORD=s3cret', 'MY_OWN=x'])
    expect(settings.global.passedOn).toEqual({ MY_OWN: 'x' })
    expect(JSON.stringify(settings.environment())).not.toContain('s3cret')
    writeFileSync(home.versionSettings('1.0'), 'APPS_TEMPLAT=default\nMY_OWN=y\n')
    expect((await settings.version('1.0')).passedOn).toEqual({ MY_OWN: 'y' })
  })

  it('holds what the file says now', () => {
    const { home, settings } = settingsOf(['APPS_MAXINSTANCES=1'])
    expect(settings.global.maxInstances).toBe(1)
    expect(settings.global).toBe(settings.global)
    writeFileSync(home.config, 'APPS_BASEURL=http://localhost\nAPPS_MAXINSTANCES=12\n')
    expect(settings.global.maxInstances).toBe(12)
  })

  it('says that a folder is not a home', () => {
    const { home, settings } = settingsOf()
    rmSync(home.config)
    expect(() => settings.global).toThrow(expect.objectContaining({ code: 'ERR_HOME' }))
  })
})

describe('a setting that cannot be used', () => {
  /** Which settings cannot be read. */
  const spoilt = (global: GlobalSettings) =>
    Object.keys(global).filter((name) => !Object.hasOwn(readableParts(global), name))
  const messages = (settings: Settings) => settings.problems().map(({ message }) => message)

  it('spoils what needs it and nothing else, whichever it is', () => {
    const typed = Object.entries(globalTable as Readonly<Record<string, Variable>>).filter(
      ([name, { type, aliases }]) => !['text', 'secret'].includes(type) && !aliases && name !== 'APPS_HOME',
    )
    expect(typed.length).toBeGreaterThan(60)
    const all = Object.keys(settingsOf().settings.global).length
    const wanted: Record<string, readonly string[]> = {
      APPS_BASEURL: ['baseUrl', 'instancesUrl'],
      APPS_DATABASES: ['databases', 'defaultDatabase'],
      APPS_SAVE_DIR: ['saveFolder', 'saveAllFolder'],
    }
    for (const [name, { defaultIfWrong }] of typed) {
      const { settings } = settingsOf([`${name}='? ?'`])
      const found = spoilt(settings.global)
      if (wanted[name]) expect(found, name).toEqual(wanted[name])
      expect(found.length, name).toBeLessThanOrEqual(defaultIfWrong ? 0 : 2)
      // A variable that is not used at present spoils nothing.
      for (const message of messages(settings)) expect(message, name).toContain(`${name} is "? ?" (config.sh:2)`)
      if (defaultIfWrong || found.length > 0) expect(messages(settings), name).toHaveLength(1)
      const looked = withDefaults(() => Object.keys({ ...settings.global }).length)
      expect(looked, name).toBe(all)
    }
  })

  it('has its default for those who only look, and is used as before in a process that knew it', () => {
    const { home, settings } = settingsOf([
      'APPS_TRASHDAYS=30',
      'APPS_SAVE_DIR=/backups',
      'APPS_DATABASES=mysql,sqlite',
    ])
    expect(settings.global.trashDays).toBe(30)
    const write = (...lines: string[]) =>
      writeFileSync(home.config, `APPS_BASEURL=http://localhost:1\n${lines.join('\n')}\n`)
    write('APPS_TRASHDAYS=abc', 'APPS_SAVE_DIR=backups', 'APPS_MAXINSTANCES=3', 'APPS_MYSQL_PORT=x')
    expect(settings.global).toMatchObject({ trashDays: 30, saveFolder: '/backups', maxInstances: 3 })
    expect(settings.global.databaseServers.mysql.port).toBe(3306)
    write('APPS_TRASHDAYS=abcd')
    expect(settings.global).toMatchObject({ trashDays: 30, saveFolder: join(home.folder, 'save'), maxInstances: 0 })
    write('APPS_TRASHDAYS=12')
    expect(settings.global.trashDays).toBe(12)

    const started = settingsOf(['APPS_TRASHDAYS=abc', 'APPS_SAVE_DIR=backups', 'APPS_MSSQL_PORT=x']).settings
    expect(() => started.global.trashDays).toThrow('APPS_TRASHDAYS is "abc"')
    expect(() => started.global.saveAllFolder).toThrow('APPS_SAVE_DIR is "backups" (config.sh:3)')
    expect(() => started.global.databaseServers.mssql).toThrow('APPS_MSSQL_PORT')
    expect(started.global.databaseServers.mysql.port).toBe(3306)
    expect(withDefaults(() => started.global.trashDays)).toBe(7)
    expect(withDefaults(() => started.global.saveAllFolder)).toMatch(/\/save$/)
    expect(messages(started)).toHaveLength(3)
  })

  it.for([
    ['APPS_EMAIL="me@example.org', 'email', 'config.sh:2: The quote " has no end.'],
    ['APPS_SAVE_DIR=$APPS_HOM/save', 'saveFolder', 'config.sh:2: $APPS_HOM in the value of APPS_SAVE_DIR is not set.'],
    ['APPS_SAVE_DIR=`pwd`', 'saveFolder', 'config.sh:2: A command substitution'],
    ['MY_KEY=$(cat key)', 'passedOn', 'config.sh:2: A command substitution'],
  ] as const)('%s: the other lines are read', ([line, part, message]) => {
    const { settings } = settingsOf([line, 'APPS_MAXINSTANCES=3'])
    expect(settings.global.maxInstances).toBe(3)
    expect(() => settings.global[part]).toThrow(message)
    expect(messages(settings)).toEqual([expect.stringContaining(message)])
  })

  it.for(['if [ -f x ]; then', 'touch x', 'APPS_EMAIL="me@example.org\nAPPS_REALMNAME="x y"'])(
    '%s: nothing is known of what is meant, so that changes are refused, and those who look find the rest',
    (line) => {
      const { home, settings } = settingsOf([line, 'APPS_MAXINSTANCES=3'])
      expect(() => settings.global.maxInstances).toThrow(/config\.sh:[23]: /)
      expect(() => settings.environment()).toThrow(/config\.sh:[23]: /)
      expect(withDefaults(() => settings.global.maxInstances)).toBe(3)
      expect(messages(settings)).toHaveLength(1)
      writeFileSync(home.config, 'APPS_BASEURL=http://localhost:8000\nAPPS_MAXINSTANCES=4\n')
      expect(settings.global.maxInstances).toBe(4)
      writeFileSync(home.config, `APPS_BASEURL=http://localhost:8000\n${line}\nAPPS_MAXINSTANCES=5\n`)
      expect(settings.global.maxInstances).toBe(4)
      expect(messages(settings)).toHaveLength(1)
    },
  )
})

describe('settings.version()', () => {
  const versionOf = async (version: string, text: string) => {
    const { home, settings } = settingsOf()
    writeFileSync(home.versionSettings(version), text)
    return settings.version(version)
  }

  it('reads lines with and without export', async () => {
    const read = await versionOf('1.0', 'APPS_TEMPLATE=folder:/x\nexport APPS_TOMCATMAXMEM=256\nOWN=1\n')
    expect(read).toMatchObject({
      template: 'folder:/x',
      autoUpgrade: true,
      encoding: 'UTF-8',
      minMemoryMb: undefined,
      maxMemoryMb: 256,
      passedOn: { OWN: '1' },
    })
  })

  it('has the defaults when there is no file', async () => {
    const { settings } = settingsOf()
    expect(await settings.version('9.9')).toMatchObject({ template: undefined, autoUpgrade: true, passedOn: {} })
  })

  it('forces APPS_AUTOUPGRADE to false below 4.0 of what runs on Java, which has memory by default', async () => {
    const java = 'APPS_JDK=/opt/jdk\nAPPS_AUTOUPGRADE=true\n'
    expect(await versionOf('3.2', java)).toMatchObject({ autoUpgrade: false, minMemoryMb: 128, maxMemoryMb: 512 })
    expect(await versionOf('4.0', java)).toMatchObject({ autoUpgrade: true })
    expect(await versionOf('5.1-p2', java)).toMatchObject({ autoUpgrade: true })
    expect(await versionOf('4.0', 'APPS_AUTOUPGRADE=false')).toMatchObject({ autoUpgrade: false })
  })

  it('refuses names that would be other files, and wrong values', async () => {
    const { settings } = settingsOf()
    await expect(settings.version('../config')).rejects.toMatchObject({ code: 'ERR_USAGE' })
    await expect(versionOf('1.0', 'APPS_TOMCATMAXMEM=lots')).rejects.toThrow('(version-1.0.sh:1)')
  })
})

describe('settings.instance()', () => {
  const text = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 20 }).filter((value) => !value.includes('\0'))
  const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
  const secret = text.map((value) => new Secret(value))
  const port = fc.integer({ min: 1, max: 65_535 })
  const memory = fc.integer({ min: 16, max: 100_000 })
  const anySettings: fc.Arbitrary<InstanceSettings> = fc.record({
    context: text,
    url: fc.constant('http://127.0.0.1:10000/io'),
    user: text,
    password: secret,
    adminUser: text,
    adminPassword: secret,
    database: fc.constantFrom('sqlite', 'mysql', 'postgresql', 'oracle', 'mssql'),
    databaseHost: maybe(text),
    databasePort: maybe(port),
    databaseName: text,
    databaseUser: fc.oneof(text, fc.constant('')),
    databasePassword: fc.oneof(secret, fc.constant(new Secret(''))),
    databaseSid: maybe(text),
    minMemoryMb: maybe(memory),
    maxMemoryMb: maybe(memory),
    limits: fc.record({ memory: maybe(fc.constantFrom(0, 64, 512)), cpu: maybe(port) }),
    debug: fc.constant(true),
    debugOrigin: maybe(text),
    quality: fc.record({
      project: maybe(text),
      url: fc.constant(undefined),
      login: maybe(secret),
      password: maybe(secret),
      organization: maybe(text),
    }),
    remoteGit: fc.record({ user: maybe(text), password: maybe(secret) }),
    others: fc.dictionary(fc.stringMatching(/^[A-Z_][A-Z0-9_]{2,8}$/), fc.oneof(text, fc.constant('')), {
      noNullPrototype: true,
    }),
  })
  /** Secrets in plain, so that they are compared. */
  const plain = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, function (this: Record<string, unknown>, key: string, shown: unknown) {
        const inner = this[key]
        return inner instanceof Secret ? `secret ${inner.reveal()}` : shown
      }),
    )

  it('gives back what was written, whatever it is', async () => {
    const { home, settings } = settingsOf()
    mkdirSync(join(home.instances, 'abc'), { recursive: true })
    const { folder } = home.instance('abc')
    await fc.assert(
      fc.asyncProperty(anySettings, async (written) => {
        await settings.writeInstance(folder, written)
        expect(plain(await settings.instance(folder))).toEqual(plain(written))
      }),
      { numRuns: 100 },
    )
    expect(statSync(home.instance('abc').settings).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['settings.sh'])
  })

  it('says what is missing, and shows no password', async () => {
    const { home, settings } = settingsOf()
    const { folder, settings: file } = home.instance('abc')
    await expect(settings.instance(folder)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, 'SERVICE_CONTEXT=/\nSERVICE_PASSWORD=s3 cret\n')
    await expect(settings.instance(folder)).rejects.toThrow(`${file}:2: `)
    await expect(settings.instance(folder)).rejects.not.toThrow('cret')
    writeFileSync(file, 'SERVICE_CONTEXT=/\n')
    await expect(settings.instance(folder)).rejects.toThrow('SERVICE_URL is not set')
  })

  it('keeps comments and order when it writes', async () => {
    const { home, settings } = settingsOf()
    const { folder, settings: file } = home.instance('abc')
    mkdirSync(folder, { recursive: true })
    const lines = (url: string) =>
      [
        '# By hand.',
        'export SERVICE_PASSWORD=x # rotated in May',
        `SERVICE_URL=${url}`,
        'SERVICE_CONTEXT=/',
        'SERVICE_USER=service',
        'SERVICE_ADMIN_USER=admin SERVICE_ADMIN_PASSWORD=x',
        'SERVICE_DATABASE=sqlite SERVICE_DATABASE_NAME=data/database.db SERVICE_DATABASE_USER= SERVICE_DATABASE_PASSWORD=',
        '',
        '# The application has these.',
        'COLOR=blue',
        '',
      ].join('\n')
    writeFileSync(file, lines('http://127.0.0.1:1/io'))
    await settings.writeInstance(folder, { ...(await settings.instance(folder)), url: 'http://127.0.0.1:2/io' })
    expect(readFileSync(file, 'utf8')).toBe(lines('http://127.0.0.1:2/io'))
  })

  it('keeps the old file when the new one cannot be written', async () => {
    const { home, settings } = settingsOf()
    const { folder, settings: file } = home.instance('abc')
    mkdirSync(folder, { recursive: true })
    const [good] = fc.sample(anySettings, 1) as [InstanceSettings]
    await settings.writeInstance(folder, good)
    const before = readFileSync(file)
    await expect(settings.writeInstance(folder, { ...good, user: 'a\0b' })).rejects.toMatchObject({
      code: 'ERR_SETTINGS',
    })
    expect(readFileSync(file)).toEqual(before)
  })
})
