import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../scripts/packages.mjs'

export interface Group {
  readonly text: string
  /** Files of the repository, in the order in which they are read. */
  readonly files: readonly string[]
}

const docs = (...names: readonly string[]) => names.map((name) => `docs/${name}.md`)
const docsIn = (folder: string) =>
  readdirSync(join(root, 'docs', folder))
    .filter((name) => name.endsWith('.md'))
    // The index first.
    .toSorted((one, other) => Number(other === 'README.md') - Number(one === 'README.md') || (one < other ? -1 : 1))
    .map((name) => `docs/${folder}/${name}`)
const readmesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /^[^/\\]+[/\\]README\.md$/.test(name))
    .toSorted()
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)

/** What is read first comes first. */
export const groups: readonly Group[] = [
  { text: 'Start here', files: docs('tutorial', 'tutorial-server', 'tutorial-plugin') },
  {
    text: 'Build an application',
    files: docs(
      'objects',
      'rules',
      'actions',
      'publications',
      'pivot-tables',
      'reports',
      'documents',
      'audit-and-events',
      'databases',
      'migrations',
      'import-export',
      'records-pages',
      'quality',
    ),
  },
  {
    text: 'Use the REST service',
    files: docs(
      'rest-api',
      'filters',
      'index-search',
      'writing',
      'metadata',
      'documentation',
      'tester',
      'operations',
      'several-servers',
    ),
  },
  {
    text: 'Manage instances',
    files: docs(
      'manager',
      'production',
      'pages',
      'backups',
      'disaster-recovery',
      'anonymise',
      'monitoring',
      'access',
      'isolation',
      'reverse-proxies',
      'certificates',
      'registration',
      'terminal',
      'runtimes',
      'sleeping',
      'systemd',
      'containers',
      'swarm',
      'java-applications',
    ),
  },
  { text: 'Extend Steward', files: docs('writing-plugins', 'writing-a-target', 'writing-a-runtime') },
  {
    text: 'Reference',
    files: [...docs('manager-commands', 'manager-api', 'backup-format', 'requirements'), ...docsIn('spec')],
  },
  { text: 'Packages', files: readmesIn('packages') },
  { text: 'Examples', files: readmesIn('examples') },
  {
    text: 'About',
    files: [
      'docs/README.md',
      ...docs('comparison', 'security-model'),
      'SECURITY.md',
      'ARCHITECTURE.md',
      ...docsIn('decisions'),
    ],
  },
  { text: 'Change Steward', files: ['CONTRIBUTING.md', ...docsIn('contributing'), 'docs/releasing.md'] },
]

/** The path of a file's page in the site, without ending: `docs/filters.md` is `filters`. */
export function pathOf(file: string): string {
  return file
    .replace(/^docs\//, '')
    .replace(/(?:\/README)?\.md$/, '')
    .toLowerCase()
}

/** Files of the repository that have a page. */
export const files: ReadonlySet<string> = new Set(groups.flatMap((group) => group.files))
