import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Background, started } from './background.js'
import { makeFolder } from './folders.js'
import { serverEnvironment } from './programs.js'
import { takeTestPort } from '../../packages/manager-core/src/lib/testing/take-ports.js'

/** A private LDAP directory: OpenLDAP's slapd. */
export interface TestSlapd {
  readonly url: string
  readonly baseDn: string
  /** The only one who may read everything. */
  readonly readerDn: string
  readonly readerPassword: string
  add(login: string, password: string, place?: string): Promise<void>
  setPassword(login: string, password: string): Promise<void>
  close(): Promise<void>
}

const baseDn = 'dc=example,dc=com'
const [readerDn, readerPassword] = [`cn=reader,${baseDn}`, 'reader-password']

/** Starts one with these people on a free port; needs `slapd`. */
export async function startSlapd(
  people: readonly { readonly login: string; readonly password: string }[],
): Promise<TestSlapd> {
  const folder = await makeFolder('slapd')
  const port = await takeTestPort()
  const url = `ldap://127.0.0.1:${port}`
  await mkdir(join(folder, 'data'))
  await writeFile(
    join(folder, 'slapd.conf'),
    `include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile ${folder}/pid
database mdb
suffix "${baseDn}"
rootdn "${readerDn}"
rootpw ${readerPassword}
directory ${folder}/data
dbnosync
access to attrs=userPassword by anonymous auth by * none
access to * by * none
`,
  )
  const entries = [
    { dn: baseDn, lines: ['objectClass: dcObject', 'objectClass: organization', 'dc: example', 'o: Example'] },
    ...['people', 'guests'].map((ou) => ({
      dn: `ou=${ou},${baseDn}`,
      lines: ['objectClass: organizationalUnit', `ou: ${ou}`],
    })),
    ...people.map(({ login, password }) => personOf(login, password, 'ou=people')),
  ]
  await writeFile(
    join(folder, 'people.ldif'),
    entries.map(({ dn, lines }) => [`dn: ${dn}`, ...lines, ''].join('\n')).join('\n'),
  )
  await promisify(execFile)('slapadd', ['-q', '-f', join(folder, 'slapd.conf'), '-l', join(folder, 'people.ldif')], {
    env: serverEnvironment({ HOME: folder }),
  })
  const programs = await started(new Background(userInfo().username, folder), async (background) => {
    background.spawn('slapd', ['slapd', '-d', '0', '-f', join(folder, 'slapd.conf'), '-h', url])
    await background.listens(port)
  })

  async function change(work: (client: import('ldapts').Client) => Promise<unknown>): Promise<void> {
    const { Client } = await import('ldapts')
    const client = new Client({ url })
    try {
      await client.bind(readerDn, readerPassword)
      await work(client)
    } finally {
      await client.unbind()
    }
  }

  return {
    url,
    baseDn,
    readerDn,
    readerPassword,
    add: (login, password, place = 'ou=people') =>
      change((client) => {
        const { dn, attributes } = personOf(login, password, place)
        return client.add(dn, attributes)
      }),
    setPassword: (login, password) =>
      change(async (client) => {
        const { Attribute, Change } = await import('ldapts')
        const modification = new Attribute({ type: 'userPassword', values: [password] })
        await client.modify(`uid=${login},ou=people,${baseDn}`, new Change({ operation: 'replace', modification }))
      }),
    close: () => programs.close(),
  }
}

function personOf(login: string, password: string, place: string) {
  const attributes = {
    objectClass: ['inetOrgPerson'],
    uid: [login],
    cn: [login],
    sn: [login],
    userPassword: [password],
  }
  return {
    dn: `uid=${login},${place},${baseDn}`,
    attributes,
    lines: Object.entries(attributes).flatMap(([name, values]) => values.map((value) => `${name}: ${value}`)),
  }
}
