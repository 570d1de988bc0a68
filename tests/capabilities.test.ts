// What READMEs and documents list is compared with the tables in the code, and what they say is not there with the sources.
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createStore } from '../packages/db-adapters/src/lib/create-store.js'
import { builtInTypes } from '../packages/backup-targets/src/lib/registry.js'
import { databaseTypes } from '../packages/manager-core/src/lib/domain/instance.js'
import { actions } from '../packages/manager-core/src/lib/actions/index.js'
import { builtInRuntimes } from '../packages/manager-core/src/lib/runtime/built-in.js'
import { proxyTable } from '../packages/manager-core/src/lib/settings/tables/proxy.js'
import { fieldTypes } from '../packages/rest-core/src/lib/fields/index.js'
import { tableRows } from './programs/markdown.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const textOf = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
const names = (pattern: string, end: RegExp) =>
  globSync(pattern, { cwd: root }).map((file) => file.replaceAll('\\', '/').replace(/^.*\//, '').replace(end, ''))

interface Capability {
  /** The names that the code has. */
  readonly inCode: readonly string[]
  /** How documents name them. */
  readonly called: Readonly<Record<string, string>>
  /** Documents that list all of them, in a block after `<!-- lists: <capability> -->`. */
  readonly in: readonly string[]
}

const asInCode = (list: readonly string[]) => Object.fromEntries(list.map((name) => [name, `\`${name}\``]))

const capabilities: Readonly<Record<string, Capability>> = {
  databases: {
    inCode: databaseTypes,
    called: {
      sqlite: 'SQLite',
      mysql: 'MySQL',
      postgresql: 'PostgreSQL',
      oracle: 'Oracle',
      mssql: 'SQL Server',
    },
    in: [
      'README.md',
      'ARCHITECTURE.md',
      'packages/rest-core/README.md',
      'packages/db-adapters/README.md',
      'packages/app-server/README.md',
      'packages/manager-core/README.md',
      'docs/databases.md',
    ],
  },
  runtimes: {
    inCode: Object.keys(builtInRuntimes),
    called: { process: 'process', container: 'container', tomcat: 'Tomcat', systemd: 'systemd', swarm: 'swarm' },
    in: ['README.md', 'ARCHITECTURE.md', 'packages/manager-core/README.md', 'docs/runtimes.md'],
  },
  targets: {
    inCode: builtInTypes,
    called: { local: 'folder', scp: 'SCP', ftp: 'FTP', swift: 'Swift', s3: 'S3', gcs: 'Google Cloud Storage' },
    in: ['README.md', 'ARCHITECTURE.md', 'packages/backup-targets/README.md', 'packages/manager-core/README.md'],
  },
  proxies: {
    inCode: proxyTable.APPS_HTTPSERVER.choices,
    called: { nginx: 'nginx', httpd: 'Apache httpd' },
    in: ['README.md', 'ARCHITECTURE.md', 'packages/manager-core/README.md', 'docs/reverse-proxies.md'],
  },
  'template sources': {
    inCode: names('packages/manager-core/src/lib/templates/!(template)-source.ts', /-source\.ts$/),
    called: { folder: 'folder', git: 'git', npm: 'npm' },
    in: ['ARCHITECTURE.md', 'packages/manager-core/README.md'],
  },
  'quality servers': {
    inCode: names('packages/manager-core/src/lib/quality/*/*-quality.ts', /-quality\.ts$/),
    called: { local: 'this machine', sonarqube: 'SonarQube' },
    in: ['ARCHITECTURE.md', 'packages/manager-core/README.md'],
  },
  authenticators: {
    inCode: [
      ...[...textOf('packages/rest-core/src/system.ts').matchAll(/\bcreate\w+Directory\b/g)].map(([name]) => name),
      ...names('examples/authenticator-*', /^authenticator-/),
    ],
    called: { createUserDirectory: '`createUserDirectory`', ldap: 'LDAP' },
    in: ['ARCHITECTURE.md', 'packages/rest-koa/README.md'],
  },
  'field types': {
    inCode: Object.keys(fieldTypes),
    called: asInCode(Object.keys(fieldTypes)),
    in: ['docs/objects.md', 'packages/rest-core/README.md'],
  },
  languages: {
    inCode: names('packages/page-kit/src/texts/??.ts', /\.ts$/),
    called: { en: 'English', fr: 'French', de: 'German' },
    in: ['packages/manager-server/README.md', 'packages/rest-pages/README.md'],
  },
}

const documents = globSync(
  ['*.md', 'website/index.md', '{packages,examples,templates}/*/README.md', 'docs/*.md', 'docs/contributing/*.md'],
  { cwd: root, exclude: (name) => name === 'node_modules' },
)
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file !== 'docs/requirements.md')

/** What is said not to be there, with words that the code would have if it were. */
const absent: Readonly<Record<string, { readonly words: RegExp; readonly in: string }>> = {
  'incremental backups': { words: /\bincremental\b/i, in: 'packages/manager-core/src' },
  'a registry that several managers share': {
    words: /@steward\/db-adapters|'pg'|'mysql2'/,
    in: 'packages/manager-core/src/lib/store',
  },
  'users with roles': { words: /\broles?\b/i, in: 'packages/manager-core/src/lib/access' },
  'single sign-on': { words: /\b(?:oauth|oidc|openid|saml)\b/i, in: 'packages/manager-{core,server}/src' },
  'second factors': { words: /\b(?:totp|webauthn|second factor)\b/i, in: 'packages/manager-{core,server}/src' },
  'OAuth and OpenID Connect': {
    words: /\b(?:oauth|oidc|openid)\b/i,
    in: 'packages/{rest-koa,rest-core,app-server}/src',
  },
  'registration of users by themselves': {
    words: /\b(?:self-?registration|sign-?up)\b/i,
    in: 'packages/{rest-koa,rest-core,app-server,rest-pages}/src',
  },
  'mails for lost passwords': {
    words: /\b(?:nodemailer|lost password|forgotten password)\b/i,
    in: 'packages/{rest-koa,rest-core,app-server,rest-pages}/src',
  },
  'completion for PowerShell': { words: /powershell/i, in: 'packages/manager-cli/src' },
}

/** What a document says is not there: cells of a column "Not there …", and the sentence "Not in it: …; …." */
function denialsOf(text: string): string[] {
  const found: string[] = []
  for (const [, table = ''] of text.matchAll(/^(\|.*\|\n\|[-:| ]+\|\n(?:\|.*\|\n?)+)/gm)) {
    const [head = [], , ...rows] = table
      .trimEnd()
      .split('\n')
      .map((row) =>
        row
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      )
    const column = head.findIndex((cell) => /^not (?:there|supported|implemented)/i.test(cell))
    if (column >= 0) found.push(...rows.flatMap((row) => (row[column] ?? '').split(',')))
  }
  for (const [, sentence = ''] of text.matchAll(/^Not in it: ([^]*?)\.(?:\s|$)/gm)) found.push(...sentence.split(';'))
  return found.map((each) => each.replaceAll(/\s+/g, ' ').trim()).filter((each) => each !== '')
}

it('no document says that something is not there which a table in the code has', () => {
  const named = [
    ...Object.values(capabilities).flatMap(({ called }) => Object.values(called)),
    ...new Set(actions.map(({ name }) => `\`${name.split(' ')[0]}\``)),
  ]
  const wrong = documents.flatMap((file) =>
    denialsOf(textOf(file)).flatMap((denial) =>
      named
        .filter((name) => denial.toLowerCase().includes(name.toLowerCase()))
        .map((name) => `${file}: "${denial}": ${name}`),
    ),
  )
  expect(wrong).toEqual([])
})

it('what documents say is not there is listed here, and no source has it', () => {
  const denials = documents.flatMap((file) => denialsOf(textOf(file)).map((denial) => ({ file, denial })))
  expect(denials.filter(({ denial }) => !Object.hasOwn(absent, denial))).toEqual([])
  const there = Object.entries(absent).flatMap(([denial, { words, in: folder }]) =>
    globSync(`${folder}/**/!(*.test).{ts,tsx}`, { cwd: root })
      .filter((file) => words.test(textOf(file)))
      .map((file) => `${denial}: ${file}`),
  )
  expect(there).toEqual([])
})

it('documents promise nothing for later: what is not there is said as "Not in it: …"', () => {
  const promised = documents.flatMap((file) =>
    [
      ...textOf(file).matchAll(
        /not (?:there|supported|implemented|available) yet|not yet (?:there|supported|implemented|available)|in preparation|coming soon/gi,
      ),
    ].map(([words]) => `${file}: ${words}`),
  )
  expect(promised).toEqual([])
})

it.each(Object.entries(capabilities))(
  '%s have a name in documents each, and are listed where they must be',
  (name, capability) => {
    expect(Object.keys(capability.called).toSorted()).toEqual([...capability.inCode].toSorted())
    const incomplete = documents.flatMap((file) =>
      blocksAfter(textOf(file), name).flatMap((block) =>
        Object.values(capability.called)
          .filter((each) => !block.toLowerCase().includes(each.toLowerCase()))
          .map((each) => `${file} lacks ${each}`),
      ),
    )
    expect(incomplete).toEqual([])
    expect(capability.in.filter((file) => blocksAfter(textOf(file), name).length === 0)).toEqual([])
  },
)

it('every contract with a published suite is in ARCHITECTURE.md, and each suite in a document', () => {
  const suites = new Set(
    globSync('packages/*/src/testing.ts', { cwd: root }).flatMap((file) => textOf(file).match(/\btest[A-Z]\w+/g) ?? []),
  )
  // What a runtime under test runs.
  suites.delete('testProgram')
  expect(suites.size).toBeGreaterThan(8)
  const [, contracts = ''] = textOf('ARCHITECTURE.md').split('## Contracts')
  const unknown = [...suites].filter((suite) => !contracts.includes(`\`${suite.slice('test'.length)}\``))
  expect(unknown).toEqual([])
  const texts = documents.map(textOf).join('\n')
  expect([...suites].filter((suite) => !texts.includes(suite))).toEqual([])
})

it('docs/writing-plugins.md has a row for every export of a package that is looked for', () => {
  const exports = [
    .../export type PluginExport =([^\n]*(?:\n {2}\|[^\n]*)*)/
      .exec(textOf('packages/manager-core/src/lib/system/plugins.ts'))![1]!
      .matchAll(/'(\w+)'/g),
    ...textOf('packages/app-server/src/lib/plugins.ts').matchAll(/pluginOf<\w+>\(folder, '(\w+)'/g),
    ...textOf('packages/app-server/src/lib/plugins.ts').matchAll(/await load\(folder, '(\w+)'/g),
    ...textOf('packages/backup-targets/src/lib/plugin.ts').matchAll(/\bmodule\.(?!default)(\w+)/g),
  ].map(([, name = '']) => name)
  expect(exports.length).toBeGreaterThan(7)
  const rows = tableRows(new URL('../docs/writing-plugins.md', import.meta.url), 'Writing plug-ins')
  const listed = rows.flatMap(([, , cell = '']) => cell.split('` or `'))
  expect([...new Set(exports)].filter((name) => !listed.includes(name))).toEqual([])
})

it('every mark of a list names a capability', () => {
  const unknown = documents.flatMap((file) =>
    marksOf(textOf(file)).filter((name) => !Object.hasOwn(capabilities, name)),
  )
  expect(unknown).toEqual([])
})

it('the README of db-adapters says what each store can do', async () => {
  const urls = ['sqlite::memory:', 'postgresql://u:p@h/d', 'mysql://u:p@h/d', 'oracle://u:p@h/d', 'mssql://u:p@h/d']
  // Nothing connects before the first call.
  const stores = await Promise.all(urls.map((url) => createStore(url)))
  const rows = tableRows(new URL('../packages/db-adapters/README.md', import.meta.url), 'Capabilities')
  const said = Object.fromEntries(rows.map(([cell = '', ...cells]) => [/`?(\w+)/.exec(cell)?.[1], cells]))
  const { name: _, ...flags } = stores[0]!.capabilities
  expect(said).toEqual(
    Object.fromEntries(
      Object.keys(flags).map((flag) => [
        flag,
        stores.map(({ capabilities: can }) => (can[flag as keyof typeof can] ? 'yes' : 'no')),
      ]),
    ),
  )
  await Promise.all(stores.map((store) => store.close()))
})

/** Who names three of the databases names all of them, but for what tests run on. */
it('lists of databases are complete', () => {
  const incomplete = documents
    .filter((file) => !file.startsWith('docs/') && file !== 'CONTRIBUTING.md')
    .flatMap((file) =>
      textOf(file)
        .split(/\n\n|\n(?=[|-])|[.;:|]\s/)
        .filter(
          (part) => /SQLite[^]*PostgreSQL[^]*MySQL/.test(part) && !(/Oracle/.test(part) && /SQL Server/.test(part)),
        )
        .filter((part) => !/\btest/i.test(part))
        .map((part) => `${file}: ${part.trim()}`),
    )
  expect(incomplete).toEqual([])
})

const mark = /<!-- lists: ([^>]+?) -->\n+/g
const marksOf = (text: string) => [...text.matchAll(mark)].flatMap(([, list = '']) => list.split(', '))

/** The paragraphs or tables that follow marks with this name. */
function blocksAfter(text: string, name: string): string[] {
  return [...text.matchAll(mark)]
    .filter(([, list = '']) => list.split(', ').includes(name))
    .map(({ index, 0: whole }) => (text.slice(index + whole.length).split(/\n\n/)[0] ?? '').replaceAll(/\s+/g, ' '))
}
