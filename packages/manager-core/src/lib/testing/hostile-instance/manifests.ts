import type { Manifest } from '../../backup/backup.js'
import { forgeFile, forgeManifest, type Forgery } from './forgery.js'

function manifest(
  name: string,
  change: (manifest: Manifest, variables: Readonly<Record<string, string>>) => object,
): Forgery {
  return { name, forge: (folder, variables) => forgeManifest(folder, (one) => change(one, variables)) }
}

const instance = (name: string, change: (variables: Readonly<Record<string, string>>) => object) =>
  manifest(name, (one, variables) => ({ ...one, instance: { ...one.instance, ...change(variables) } }))

const escape = '\u001b]0;title\u0007\u202e\n\r'

export const manifestForgeries: readonly Forgery[] = [
  manifest('names of files that lead out', (one, { SECRET = '' }) => ({
    ...one,
    files: one.files.map((file) => ({ ...file, name: `../../../../../../../..${SECRET}` })),
  })),
  manifest('more files than there are', (one) => ({
    ...one,
    files: [...one.files, { ...one.files[0], name: 'manifest.json' }, { ...one.files[0], name: 'db.postgresql.zst' }],
  })),
  manifest('sizes that are none', (one) => ({
    ...one,
    files: one.files.map((file) => ({ ...file, size: -1, plainSize: Number.MAX_SAFE_INTEGER, entries: -5 })),
  })),
  manifest('tables named like parts of every object', (one) => ({
    ...one,
    database: {
      ...one.database,
      rows: JSON.parse('{"__proto__": 1, "constructor": 2, "a\\"; drop table note; --": 3}') as object,
    },
  })),
  manifest('texts for a terminal', (one) => ({
    ...one,
    warnings: [escape],
    tools: { [escape]: escape },
    database: { ...one.database, server: escape },
    started: escape,
  })),
  manifest('a database of another type', (one) => ({
    ...one,
    database: { ...one.database, type: '../../postgresql' },
  })),
  instance('an instance with the id of another one', ({ OTHER = '' }) => ({
    id: OTHER.split('/').at(-1),
    name: 'other',
  })),
  instance('an id that leads out', () => ({ id: '../../../private/victim' })),
  instance('a name that leads out', () => ({ name: '../other' })),
  instance('an owner for a terminal', () => ({
    ownerEmail: `a@b.example${escape}`,
    firstname: escape,
    company: escape,
  })),
  instance('an address that is the one of another instance', () => ({ customUrl: 'http://localhost:8000/other' })),
  instance('a version that leads out', () => ({ version: '../../../private/victim', revision: '../../private' })),
  instance('a runtime that is none', () => ({ runtime: '__proto__', host: '169.254.169.254' })),
  {
    name: 'settings with the environment of hooks',
    forge(folder, { MARKS = '' }) {
      const names = ['BASH_ENV', 'ENV', 'LD_PRELOAD', 'NODE_OPTIONS', 'PATH', 'PS4', 'SHELLOPTS', 'HOME']
      forgeFile(
        folder,
        'settings.sh.zst',
        Buffer.from(`${names.map((name) => `export ${name}=${MARKS}.evil\n`).join('')}export SERVICE_PORT=1\n`),
      )
      forgeManifest(folder, (one) => ({ ...one, secrets: true }))
    },
  },
  {
    name: 'settings that are a script',
    forge(folder, { MARKS = '' }) {
      forgeFile(
        folder,
        'settings.sh.zst',
        Buffer.from(`export A="$(touch ${MARKS}/settings)"\ntouch ${MARKS}/settings\n`),
      )
      forgeManifest(folder, (one) => ({ ...one, secrets: true }))
    },
  },
]
