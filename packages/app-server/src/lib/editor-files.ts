import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire, findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { appSchema } from './app-schema.js'
import { ownPackages } from './application-modules.js'

/** Written again by each call, and not for version control: it contains paths of this machine. */
const folderName = '.steward'
const extended = `./${folderName}/tsconfig.json`

/**
 * Writes what editors and `tsc` need in the folder of an application that has nothing installed: where the types of
 * this server's packages are, and the schemas of YAML files.
 *
 * @returns what was written, for people, and what is left for them to do.
 */
export async function writeEditorFiles(folder: string): Promise<string> {
  const made = join(folder, folderName)
  await mkdir(made, { recursive: true })
  await writeFile(join(made, '.gitignore'), '*\n')
  await writeFile(join(made, 'tsconfig.json'), pretty(await createConfig()))
  await writeFile(join(made, 'app.json'), pretty(appSchema))
  await copyFile(
    createRequire(import.meta.url).resolve('@steward/rest-core/schema/object.json'),
    join(made, 'object.json'),
  )
  const own = join(folder, 'tsconfig.json')
  const config = await readFile(own, 'utf8').catch(() => undefined)
  if (config === undefined) await writeFile(own, pretty({ extends: extended }))
  const toDo = config === undefined || config.includes(extended) ? '' : ` Add "extends": "${extended}" to ${own}.`
  return `Wrote ${made}: the types of this server for editors and tsc, and the schemas of YAML files.${toDo}`
}

async function createConfig(): Promise<object> {
  const paths = (await Promise.all(ownPackages.map(typesOf))).flat()
  const knexTypes = createRequire(import.meta.url).resolve('knex/types/index.d.ts')
  const koaTypes = findPackageJSON('@types/koa', import.meta.url)
  const nodeTypes = koaTypes && findPackageJSON('@types/node', koaTypes)
  return {
    compilerOptions: {
      target: 'ES2023',
      lib: ['ES2024'],
      module: 'ESNext',
      moduleResolution: 'Bundler',
      moduleDetection: 'force',
      ...(nodeTypes !== undefined && { typeRoots: [dirname(dirname(nodeTypes))], types: ['node'] }),
      paths: Object.fromEntries([...paths, ['knex', [knexTypes]]]),
      strict: true,
      allowJs: true,
      allowImportingTsExtensions: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      skipLibCheck: true,
      noEmit: true,
    },
    include: ['ts', 'mts', 'js', 'mjs'].map((ending) => `../**/*.${ending}`),
    exclude: ['../node_modules', '../data'],
  }
}

/** Where the types of each of a package's addresses are. */
async function typesOf(name: string): Promise<[address: string, files: string[]][]> {
  const file = findPackageJSON(name, import.meta.url) as string
  const { exports } = JSON.parse(await readFile(file, 'utf8')) as { exports: Record<string, { types?: string }> }
  return Object.entries(exports).flatMap(([path, { types }]) =>
    types === undefined ? [] : [[name + path.slice(1), [join(dirname(file), types)]]],
  )
}

function pretty(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
