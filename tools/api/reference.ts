// The reference of the public API, made of doc comments: HTML in `docs/reference`.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
  sourceLinkTemplate: `${repository}/blob/main/{path}#L{line}`,
  excludeInternal: true,
  excludePrivate: true,
  treatWarningsAsErrors: false,
  validation: { notExported: false, invalidLink: true, rewrittenLink: false, notDocumented: false },
})
const project = await app.convert()
if (!project) throw new Error('No reference can be made of these sources.')
const folder = join(root, 'docs', 'reference')
app.validate(project)
await app.generateDocs(project, folder)
rmSync(temporary, { recursive: true })
process.stdout.write(`${folder}/index.html\n`)
