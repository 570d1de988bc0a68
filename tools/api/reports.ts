// Reports of the public API in `api`, one per entry, so that a review shows what a change means for users.
// `node tools/api/reports.ts` writes them, `--check` compares; an argument is another folder, and further ones name the
// entries to be looked at, as `rest-client`. Build first: they are generated from the declarations in `dist`.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor'
import { root } from '../../scripts/packages.mjs'
import { compilerOptions, entries, type Entry } from './entries.ts'
import { undocumentedIn } from './undocumented.ts'

const { values, positionals } = parseArgs({ options: { check: { type: 'boolean' } }, allowPositionals: true })
const [folder = 'api', ...names] = positionals
const reports = resolve(root, folder)
const isWanted = (name: string): boolean => names.length === 0 || names.includes(name)
const wanted = entries.filter(({ name }) => isWanted(name))
const made = mkdtempSync(join(tmpdir(), 'steward-api-'))
try {
  makeReports()
  if (values.check) check()
  else write()
} finally {
  rmSync(made, { recursive: true })
}

function makeReports(): void {
  const configs = wanted.map(configOf)
  const [first] = configs
  if (!first) return
  // One for all, which takes a third of the time.
  const compilerState = CompilerState.create(first, {
    additionalEntryPoints: wanted.map(({ declarations }) => declarations),
  })
  for (const config of configs) {
    const { succeeded } = Extractor.invoke(config, {
      localBuild: true,
      compilerState,
      messageCallback(message) {
        message.handled = message.logLevel !== ExtractorLogLevel.Error
      },
    })
    if (!succeeded) throw new Error(`No report can be made of ${config.mainEntryPointFilePath}.`)
  }
}

function configOf({ name, packageFolder, declarations }: Entry): ExtractorConfig {
  const files = wanted.map((entry) => entry.declarations)
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(packageFolder, 'package.json'),
    configObject: {
      projectFolder: packageFolder,
      mainEntryPointFilePath: declarations,
      compiler: { overrideTsconfig: { compilerOptions, files } },
      apiReport: {
        enabled: true,
        reportFolder: made,
        reportTempFolder: join(made, 'temp'),
        reportFileName: `${name}.api.md`,
        // Types that only others refer to; those of a subpath are mostly exported by the package's first entry.
        includeForgottenExports: !name.includes('.'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        extractorMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    },
  })
}

function readReports(folder: string): ReadonlyMap<string, string> {
  return new Map(
    readdirSync(folder)
      .filter((file) => file.endsWith('.api.md') && isWanted(file.slice(0, -'.api.md'.length)))
      .map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
  )
}

function write(): void {
  mkdirSync(reports, { recursive: true })
  const now = readReports(made)
  for (const file of readReports(reports).keys()) if (!now.has(file)) rmSync(join(reports, file))
  for (const [file, text] of now) writeFileSync(join(reports, file), text)
}

function check(): void {
  const [now, before] = [readReports(made), readReports(reports)]
  for (const [file, text] of now) {
    const names = undocumentedIn(text)
    if (names.length === 0) continue
    process.stderr.write(`api/${file}: no doc comment: ${names.join(', ')}. Write what it does, and what it throws.\n`)
    process.exitCode = 1
  }
  const changed = [...new Set([...now.keys(), ...before.keys()])].filter((file) => now.get(file) !== before.get(file))
  if (changed.length === 0) return
  process.stderr.write(
    `The public API differs from its reports: ${changed.map((file) => `api/${file}`).join(', ')}.\n` +
      'Run "npm run api", read what "git diff api" shows, and commit it with your change. A conflict is resolved alike.\n',
  )
  process.exitCode = 1
}
