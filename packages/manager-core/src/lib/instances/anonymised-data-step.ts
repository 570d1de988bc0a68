import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { ManagerError } from '../../errors.js'
import { accountAt } from '../accounts/account.js'
import { copyFolder } from '../accounts/copy-folder.js'
import { anonymiseDump, type Counts } from '../anonymise/anonymise-dump.js'
import {
  inspectAnonymisation,
  type DocumentsPlace,
  type InspectedAnonymisation,
} from '../anonymise/inspect-anonymisation.js'
import { createKey } from '../anonymise/key.js'
import { reportOf, type AnonymisationReport } from '../anonymise/report.js'
import { openSpool } from '../anonymise/spool.js'
import type { Step, StepRun } from '../context.js'
import { emptyDatabase } from '../databases/dump-database.js'
import type { InstanceDatabase } from '../databases/instance-database.js'
import { applicationOf, dumpPortable, restorePortable } from '../databases/portable-dump.js'
import { documentFolder } from '../documents/document-files.js'
import { instanceHomeAt } from '../domain/home.js'
import type { DatabaseType } from '../domain/instance.js'
import { fileError } from '../files/file-error.js'
import { writePrivateFile } from '../files/write-private-file.js'
import { stageOf } from './stage.js'
import { withDocuments } from './with-documents.js'

/** An instance that another one is made from. */
export type SourceFacts = {
  readonly id: string
  readonly name: string
  readonly folder: string
  readonly database: DatabaseType
}

/** What the plan of a clone knows of its rules; the seed stays in the file. */
export type AnonymisationFacts = {
  /** Absolute path of the rules. */
  readonly file: string
  readonly hash: string
  readonly keepsDocuments: boolean
  readonly documents: DocumentsPlace
}

/** Where the report is kept in the home of the clone. */
export const reportFile = 'anonymisation.json'

/**
 * Fills the clone with the records of its source, changed on their way: nothing of it is ever there as it was. The
 * source keeps running meanwhile, its records are those of one moment. Gives the report.
 */
export function anonymisedDataStep(source: SourceFacts, facts: AnonymisationFacts): Step {
  return {
    id: 'data',
    title: `Copy the records of "${source.name}", anonymised`,
    do: (run) => copyAnonymised(run, source, facts),
    // It goes with the database and what is laid out.
    check: () => 'not-done',
  }
}

async function copyAnonymised(
  run: StepRun,
  source: SourceFacts,
  facts: AnonymisationFacts,
): Promise<AnonymisationReport> {
  const { context } = run
  const stage = stageOf(run)
  const databaseOf = async (folder: string) => ({ folder, settings: await context.settings.instance(folder) })
  const [from, to] = await Promise.all([databaseOf(source.folder), databaseOf(stage.folder)])
  const inspected = await inspectAnonymisation(context, source.folder, facts.file)
  if (inspected.hash !== facts.hash)
    throw new ManagerError('ERR_STATE', `The rules in ${facts.file} changed in the meantime.`, {
      help: 'Clone again.',
    })
  await emptyDatabase(context, to)
  const { counts, documents } = await copyRecords(run, { from, to }, inspected)
  if (documents.size > 0) {
    const isWanted = (key: string) => documents.has(key.split('/')[1] ?? '')
    await withDocuments(
      run,
      { from: from.settings, to: to.settings },
      async (copyRest) => {
        await copyDocuments(run, source, facts.documents, documents)
        await copyRest()
      },
      isWanted,
    )
  }
  const report = reportOf(inspected.plan, counts)
  for (const warning of report.warnings) run.warn(warning)
  const kept = { source: source.name, created: context.clock().toISOString(), rules: inspected.rules.file, ...report }
  await writePrivateFile(join(stage.folder, reportFile), `${JSON.stringify(kept, undefined, 2)}\n`)
  return report
}

async function copyRecords(
  run: StepRun,
  { from, to }: { readonly from: InstanceDatabase; readonly to: InstanceDatabase },
  { rules, plan, fake }: InspectedAnonymisation,
): Promise<{ readonly counts: Counts; readonly documents: ReadonlySet<string> }> {
  const { context, signal } = run
  const counts: Counts = {}
  const documents = new Set<string>()
  const spool = openSpool()
  const [app, other] = [applicationOf(from.folder, to.folder), applicationOf(to.folder, from.folder)]
  const dump = dumpPortable(context, from, app, { signal })
  try {
    const onRows = (object: string, rows: number) => run.progress(`${object}: ${rows} records`)
    const administrator = to.settings.adminUser
    const onDocument = (id: string) => void documents.add(id)
    const options = { plan, key: createKey(rules.seed), spool, fake, administrator, onDocument, onRows }
    const content = Readable.from(anonymiseDump(dump.content, options, counts), { objectMode: false })
    await restorePortable(context, to, other, content, { signal })
    await dump.done
  } finally {
    dump.content.destroy()
    spool.close()
  }
  return { counts, documents }
}

/** Nothing else of the source's data: it could be a copy of records. What lies in the application comes with it. */
async function copyDocuments(
  { signal, ...run }: StepRun,
  { name, folder }: SourceFacts,
  place: DocumentsPlace,
  ids: ReadonlySet<string>,
): Promise<void> {
  const documents = join(instanceHomeAt(folder).data, place.path)
  if (place.below !== 'data' || !existsSync(documents)) return
  try {
    const stage = stageOf(run)
    const accounts = { reader: accountAt(folder), writer: accountAt(stage.folder) }
    const only = [...ids].flatMap((id) => documentFolder(id) ?? [])
    await copyFolder(documents, join(stage.data, place.path), { only, signal, warn: run.warn, ...accounts })
  } catch (error) {
    throw fileError(error, `Cannot copy the documents of "${name}"`)
  }
}
