// The reference of the public API, generated from doc comments: HTML in `docs/reference`, or in the folder of the argument.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Application } from 'typedoc'
import { repository, root } from '../../scripts/packages.mjs'
import { absoluteLinks } from '../../scripts/readme-links.mjs'
import { entries } from './entries.ts'

const temporary = mkdtempSync(join(tmpdir(), 'steward-reference-'))
const readme = join(temporary, 'README.md')
writeFileSync(readme, absoluteLinks(readFileSync(join(root, 'README.md'), 'utf8'), root))
const app = await Application.bootstrap({
  name: 'Steward',
  entryPoints: entries.map(({ source }) => source),
  alwaysCreateEntryPointModule: true,
  displayBasePath: join(root, 'packages'),
  tsconfig: join(import.meta.dirname, 'tsconfig.reference.json'),
  // The compiler that decides is another one: `npm run typecheck`.
  skipErrorChecking: true,
  readme,
  disableGit: true,
  basePath: root,
  sourceLinkTemplate: `${repository}/blob/main/packages/{path}#L{line}`,
  // A name of a file, such as metadata.md, is not an address.
  markdownItLoader: (markdown) => void markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false }),
  excludeInternal: true,
  excludePrivate: true,
  treatWarningsAsErrors: false,
  validation: { notExported: false, invalidLink: true, rewrittenLink: false, notDocumented: false },
})
const project = await app.convert()
if (!project) throw new Error('No reference can be made of these sources.')
// Called as they are imported: `rest-core/src/errors` is `@steward/rest-core/errors`.
for (const module of project.children ?? []) module.name = `@steward/${module.name.replace('/src', '')}`
const folder = resolve(root, process.argv[2] ?? 'docs/reference')
app.validate(project)
await app.generateDocs(project, folder)
rmSync(temporary, { recursive: true })
process.stdout.write(`${folder}/index.html\n`)
