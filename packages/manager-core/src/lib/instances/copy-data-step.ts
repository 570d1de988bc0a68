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
import { stageOf } from './stage.js'
import { resumeSource, whileSuspended } from './while-suspended.js'

/**
 * Copies database and files of another instance, frozen meanwhile when it runs, so that both are of one moment. What it
 * serves waits; after APPS_SUSPENDMAX it goes on all the same.
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
    do: (run) =>
      (run.intent as { suspend: boolean }).suspend
        ? whileSuspended(run, ref, () => copy(run, source))
        : copy(run, source),
    async undo({ context, intent }) {
      if ((intent as { suspend: boolean }).suspend) await resumeSource(context, ref)
    },
    check: () => 'not-done',
  }
}

async function copy(run: StepRun, { name, folder }: SourceFacts): Promise<void> {
  const { context, signal } = run
  const stage = stageOf(run)
  const [from, to] = await Promise.all([context.settings.instance(folder), context.settings.instance(stage.folder)])
  run.progress('database')
  await copyDatabase(
    context,
    { from: { folder, settings: from }, to: { folder: stage.folder, settings: to } },
    { signal },
  )
  run.progress('files')
  // Its tokens would hold in the clone, and temporary files are nobody's.
  const without = ['tmp', ...[tokenKey, ...databaseFiles(folder, from)].map((path) => relative('data', path))]
  try {
    const accounts = { reader: accountAt(folder), writer: accountAt(stage.folder) }
    await copyFolder(instanceHomeAt(folder).data, stage.data, { without, signal, ...accounts })
  } catch (error) {
    throw fileError(error, `Cannot copy the files of "${name}"`)
  }
}
