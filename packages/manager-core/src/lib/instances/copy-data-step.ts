import { relative } from 'node:path'
import { accountAt } from '../accounts/account.js'
import { copyFolder } from '../accounts/copy-folder.js'
import type { Step, StepRun } from '../context.js'
import { copyDatabase } from '../databases/copy-database.js'
import { databaseFiles } from '../databases/database-files.js'
import { instanceHomeAt, tokenKey } from '../domain/home.js'
import { isRunning } from '../domain/instance.js'
import { fileError } from '../files/file-error.js'
import type { SourceFacts } from './anonymised-data-step.js'
import type { InstanceSettings } from '../settings/settings.js'
import { stageOf } from './stage.js'
import { resumeSource, whileSuspended } from './while-suspended.js'
import { withDocuments } from './with-documents.js'

/**
 * Copies database and files of another instance, frozen meanwhile when it runs, so that both are of one moment. What it
 * serves waits; after APPS_SUSPENDMAX it resumes all the same.
 */
export function copyDataStep(source: SourceFacts): Step {
  const ref = { id: source.id, folder: source.folder }
  return {
    id: 'data',
    title: `Copy database and files of "${source.name}"`,
    intent: async ({ context }) => {
      const runtime = context.runtimes.of(ref)
      const { state } = await runtime.observe(ref)
      return { suspend: runtime.suspend !== undefined && isRunning(state) }
    },
    async do(run) {
      const settingsOf = (folder: string) => run.context.settings.instance(folder)
      const [from, to] = await Promise.all([settingsOf(source.folder), settingsOf(stageOf(run).folder)])
      await withDocuments(run, { from, to }, (copyRest) => {
        const work = async () => {
          await copy(run, source, { from, to })
          await copyRest()
        }
        return (run.intent as { suspend: boolean }).suspend ? whileSuspended(run, ref, work) : work()
      })
    },
    async undo({ context, intent }) {
      if ((intent as { suspend: boolean }).suspend) await resumeSource(context, ref)
    },
    check: () => 'not-done',
  }
}

async function copy(
  run: StepRun,
  { name, folder }: SourceFacts,
  { from, to }: { readonly from: InstanceSettings; readonly to: InstanceSettings },
): Promise<void> {
  const { context, signal } = run
  const stage = stageOf(run)
  run.progress('database')
  await copyDatabase(
    context,
    { from: { folder, settings: from }, to: { folder: stage.folder, settings: to } },
    { signal, warn: run.warn },
  )
  run.progress('files')
  // Its tokens would hold in the clone, and temporary files are not needed.
  const without = ['tmp', ...[tokenKey, ...databaseFiles(folder, from)].map((path) => relative('data', path))]
  try {
    const accounts = { reader: accountAt(folder), writer: accountAt(stage.folder) }
    const options = { without, within: folder, signal, warn: run.warn, ...accounts }
    await copyFolder(instanceHomeAt(folder).data, stage.data, options)
  } catch (error) {
    throw fileError(error, `Cannot copy the files of "${name}"`)
  }
}
