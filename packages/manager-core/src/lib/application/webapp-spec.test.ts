import { describe, expect, it } from 'vitest'
import { Secret } from '../domain/secret.js'
import type { InstanceSettings, VersionSettings } from '../settings/settings.js'
import { webappSpec } from './webapp-spec.js'

const settings: VersionSettings = {
  template: undefined,
  runtime: undefined,
  autoUpgrade: true,
  jdk: '/opt/jdk',
  tomcat: '/opt/tomcat',
  encoding: 'UTF-8',
  minMemoryMb: 128,
  maxMemoryMb: 512,
  limits: {},
  passedOn: {},
}

const own: InstanceSettings = {
  context: '/shop',
  url: 'http://127.0.0.1:10000/io',
  user: 'service',
  password: new Secret('of the service'),
  adminUser: 'admin',
  adminPassword: new Secret('of the administrator'),
  database: 'postgresql',
  databaseHost: 'db',
  databasePort: 5432,
  databaseName: 'steward_i1',
  databaseUser: 'steward_i1',
  databasePassword: new Secret('of the database'),
  maxMemoryMb: undefined,
  others: {},
}

const specOf = (change: Partial<InstanceSettings>, version: Partial<VersionSettings> = {}) =>
  webappSpec({
    app: '/i/app',
    data: '/i/data',
    version: '1.0',
    own: { ...own, ...change },
    settings: { ...settings, ...version },
    databaseName: change.database === 'sqlite' ? '/i/data/database.db' : 'steward_i1',
  })

describe('webappSpec()', () => {
  it.each<[Partial<InstanceSettings>, string]>([
    [{}, 'jdbc:postgresql://db:5432/steward_i1'],
    [{ databaseHost: '::1' }, 'jdbc:postgresql://[::1]:5432/steward_i1'],
    [{ databaseHost: undefined, databasePort: undefined }, 'jdbc:postgresql://localhost/steward_i1'],
    [{ database: 'mysql', databasePort: 3306 }, 'jdbc:mariadb://db:3306/steward_i1'],
    [{ database: 'sqlite' }, 'jdbc:sqlite:/i/data/database.db'],
    [{ database: 'oracle', databasePort: 1521, databaseSid: 'FREEPDB1' }, 'jdbc:oracle:thin:@//db:1521/FREEPDB1'],
    [{ database: 'mssql', databasePort: 1433 }, 'jdbc:sqlserver://db:1433;databaseName=steward_i1'],
  ])('%j is reached at %s', (change, url) => {
    expect(specOf(change).environment['SERVICE_DATABASE_URL']).toBe(url)
  })

  it('has what the instance says before what its version says', () => {
    expect(specOf({}).tomcat).toMatchObject({
      context: '/shop',
      java: '/opt/jdk',
      home: '/opt/tomcat',
      minMemoryMb: 128,
    })
    expect(specOf({ minMemoryMb: 64 }).tomcat?.minMemoryMb).toBe(64)
  })

  it.each([
    ['8000', 8000],
    ['127.0.0.1:8000', 8000],
    ['localhost:8000', 8000],
    ['', undefined],
  ])('SERVICE_DEBUG_ORIGIN=%s is the port %s', (debugOrigin, port) => {
    expect(specOf({ debugOrigin }).tomcat?.debugPort).toBe(port)
  })

  it.each(['0.0.0.0:8000', '192.0.2.1', '0', '70000', 'x'])('refuses SERVICE_DEBUG_ORIGIN=%s', (debugOrigin) => {
    expect(() => specOf({ debugOrigin })).toThrow('debuggers listen on 127.0.0.1 only')
  })

  it('refuses a version without a JDK', () => {
    expect(() => specOf({}, { jdk: undefined })).toThrow(
      'Version 1.0 is a Java web application, but its settings name no JDK.',
    )
  })
})
