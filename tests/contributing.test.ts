// The texts for contributors: their sizes, the files that they name, and whether their steps lead to every place.
import { globSync, readFileSync, statSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const skipped = new Set(['node_modules', 'dist', 'reference', '.turbo', '.git'])
const list = (patterns: readonly string[]) =>
  globSync([...patterns], { cwd: root, exclude: (name) => skipped.has(name) }).map((file) => file.replaceAll('\\', '/'))
const textOf = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')

describe('sizes', () => {
  it.each([
    ['README.md', 9],
    ['CONTRIBUTING.md', 8],
    ['ARCHITECTURE.md', 12],
  ])('%s has at most %d KB', (file, most) => {
    expect(statSync(new URL(`../${file}`, import.meta.url)).size).toBeLessThanOrEqual(most * 1024)
  })

  it('each decision is at most one page, has its four parts, and is in the index', () => {
    const decisions = list(['docs/decisions/[0-9]*.md'])
    const index = textOf('docs/decisions/README.md')
    expect(decisions.length).toBeGreaterThan(30)
    const wrong = decisions.filter((file) => {
      const text = textOf(file)
      const parts = [...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title)
      return (
        text.length > 3 * 1024 ||
        parts.join() !== 'Problem,Options,Figures,Decision' ||
        !index.includes(`](${posix.basename(file)})`)
      )
    })
    expect(wrong).toEqual([])
  })
})

const pages = list([
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'docs/contributing/*.md',
  'docs/decisions/*.md',
  'docs/spec/README.md',
  'tests/**/README.md',
  'packages/*/src/**/README.md',
])
const tracked = list(['**/*', '.github/**/*', '.ci/*', '.changeset/README.md', '.oxlintrc.json'])

/**
 * Names of files and folders in the code of a text. `<name>` and `*` stand for one part of a path or a piece of it. What the
 * user makes (`node_modules`, `dist` …) is not among them.
 */
function filesNamedIn(text: string): string[] {
  return [...text.replaceAll(/^[ \t]*```[^]*?^[ \t]*```/gm, '').matchAll(/`([^`\n]+)`/g)]
    .map(([, name = '']) => name)
    .filter((name) =>
      /^(?!@|\/|https?:|\.\/x|node_modules|dist|tarballs|run\/|servers\/|website\/dist|src\/\*\*)[\w.<>*/-]+$/.test(
        name,
      ),
    )
    .filter((name) => /\/[\w<*]/.test(name) || /\.(?:[jt]sx?|mjs|json|md|ya?ml)$/.test(name))
    .filter((name) => !outside.has(name))
}

/** Not files of this repository, or examples of names. */
const outside = new Set(['ipaddr.js', 'app.yaml', 'info.json', 'package.json', 'text/html', 'es.ts', '.js', 'src/x.ts'])

describe('files that the texts for contributors name', () => {
  it.each(pages)('%s names files that are there', (file) => {
    const missing = filesNamedIn(textOf(file)).filter((name) => {
      const pattern = name
        .replace(/^\.\//, '')
        .replace(/\/$/, '')
        .replaceAll(/[.+()]/g, String.raw`\$&`)
        .replaceAll('**', '.*')
        .replaceAll(/(?<!\.)\*|<[\w-]+>/gi, '[^/]+')
      // Within the folder of the text, a package or the repository; a folder is named by its files.
      const expected = new RegExp(`(?:^|/)${pattern}(?:/|$)`)
      return !tracked.some((each) => expected.test(each))
    })
    expect(missing).toEqual([])
  })

  it('each folder of manager-core stands on a floor of ARCHITECTURE.md', () => {
    const [, floors = ''] = textOf('ARCHITECTURE.md').split('## Floors of manager-core')
    const folders = new Set(list(['packages/manager-core/src/lib/*/*']).map((file) => file.split('/')[4] ?? ''))
    expect([...folders].filter((folder) => !floors.includes(`\`${folder}\``))).toEqual([])
  })

  it('each script of npm that they name is there', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }
    const named = [...pages, 'README.md'].flatMap((file) =>
      [...textOf(file).matchAll(/npm run ([\w:-]+)/g)].map(([, script = '']) => ({ file, script })),
    )
    expect(named.filter(({ script }) => !Object.hasOwn(scripts, script))).toEqual([])
  })
})

/**
 * For something that there is: every file that knows it by its name must be on the page that says how to add another.
 * `besides`: files that use it for something else.
 */
const samples = [
  {
    page: 'docs/contributing/field-type.md',
    sample: 'color and geocoords',
    in: [
      'packages/{rest-core,db-adapters,rest-koa,rest-client,rest-pages,page-kit,app-server}/src/**/*.{ts,tsx}',
      'packages/rest-core/schema/*.json',
      'packages/manager-core/src/lib/anonymise/*.ts',
    ],
    known: /['"](?:color|geocoords)['"]|\b(?:color|geocoords)Type\b/,
    besides: ['packages/manager-core/src/lib/anonymise/rule.ts'],
  },
  {
    page: 'docs/contributing/target.md',
    sample: 'ftp',
    in: ['packages/{backup-targets,manager-core,manager-cli,manager-server}/{src/**/*.{ts,tsx},package.json}'],
    known: /['"](?:\.\/)?ftp['"]|\/ftp\/|APPS_FTP_SERVER/,
    besides: [],
  },
  {
    page: 'docs/contributing/command.md',
    sample: 'dbinfo',
    in: ['packages/manager-{core,cli,server}/src/**/*.{ts,tsx}'],
    known: /['"]dbinfo\b|database-info\.js/,
    // Where a page shows what it answers, and what it is tried with.
    besides: ['packages/manager-server/src/ui/views/'],
  },
  {
    page: 'docs/contributing/runtime.md',
    sample: 'swarm',
    in: ['packages/manager-{core,cli,server}/src/**/*.{ts,tsx}'],
    known: /create-swarm-runtime\.js|^ +name: 'swarm'/m,
    besides: [],
  },
  {
    page: 'docs/contributing/runtime.md',
    sample: 'tomcat',
    in: ['packages/manager-{core,cli,server}/src/**/*.{ts,tsx}'],
    known: /['"]tomcat['"]/,
    // A part of homes and of what is started.
    besides: [
      'packages/manager-core/src/lib/domain/home.ts',
      'packages/manager-core/src/lib/application/webapp-spec.ts',
      'packages/manager-core/src/lib/runtime/tomcat/served-context.ts',
    ],
  },
  {
    page: 'docs/contributing/setting.md',
    sample: 'APPS_HEALTHWINDOW',
    in: ['packages/manager-{core,cli,server}/src/**/*.{ts,tsx}'],
    known: /APPS_HEALTHWINDOW(?=:|')/,
    besides: ['packages/manager-core/src/lib/actions/', 'packages/manager-core/src/lib/upgrade/'],
  },
  {
    page: 'docs/contributing/parameter.md',
    sample: '_fields',
    in: ['packages/{rest-core,rest-koa}/src/**/*.{ts,tsx}', 'packages/rest-client/src/lib/*.ts'],
    known: /\b_fields\b['":=]/,
    // A message that names it.
    besides: ['packages/rest-core/src/lib/byte-budget.ts'],
  },
  {
    page: 'docs/contributing/parameter.md',
    sample: '_inline_thumbnails',
    in: ['packages/{rest-core,rest-koa}/src/**/*.{ts,tsx}', 'packages/rest-client/src/lib/*.ts'],
    known: /\b(?:_inline_thumbnails|inlineThumbnails)\b/,
    besides: [],
  },
  {
    page: 'docs/contributing/database-adapter.md',
    sample: 'oracle',
    in: [
      'packages/{db-adapters,manager-core,manager-server,app-server}/{src/**/*.{ts,tsx},package.json}',
      'tests/{*,servers/*}.ts',
      'compose.yaml',
      '.github/workflows/*.yml',
      '.oxlintrc.json',
    ],
    known: /['"]\.?\/?oracle(?:db)?\b|^ {2}oracle:|\/oracle\/|\|oracle\)|\boracle:/m,
    // How the other databases are, tools of tests.
    besides: ['tests/sequencer.ts', 'tests/contributing.test.ts', 'tests/servers/oracle.ts'],
  },
  {
    page: 'docs/contributing/database-adapter.md',
    sample: 'postgresql',
    in: ['packages/db-adapters/src/lib/{*,schema/*,server/*,knex/*}.ts'],
    known: /'postgresql'/,
    besides: [],
  },
  {
    page: 'docs/contributing/operation.md',
    sample: 'rename',
    in: ['packages/manager-core/src/lib/**/*.ts'],
    known: /\brenameKind\b|(?:kind|action|name): 'rename'/,
    besides: [],
  },
  {
    page: 'docs/contributing/page.md',
    sample: 'French',
    in: ['packages/{page-kit,rest-pages,rest-koa,manager-core,manager-server}/src/**/*.{ts,tsx}'],
    known: /\bfr: |^import \{ fr\b|'fr'/m,
    // In names of tests.
    besides: ['packages/manager-core/src/lib/testing/', 'packages/rest-koa/src/lib/testing/'],
  },
]

describe('pages that say how to add something', () => {
  it.each(samples)('$page leads to every file that knows $sample', ({ page, in: where, known, besides }) => {
    const text = textOf(page)
    const named = filesNamedIn(text)
    const files = list(where).filter(
      (file) =>
        !/(?:\.test|\.inside|-for-test)\.tsx?$/.test(file) &&
        !besides.some((each) => file.startsWith(each)) &&
        known.test(textOf(file)),
    )
    expect(files.length).toBeGreaterThan(1)
    const unnamed = files.filter((file) => !named.some((name) => leadsTo(name, file)))
    expect(unnamed).toEqual([])
  })
})

/** The file, by the end of its path; or its folder. */
function leadsTo(name: string, file: string): boolean {
  const pattern = name.replaceAll(/[.+()]/g, String.raw`\$&`).replaceAll(/\*|<[\w-]+>/gi, '[^/]+')
  return new RegExp(`(?:^|/)${pattern}(?:$|/)`).test(file)
}
