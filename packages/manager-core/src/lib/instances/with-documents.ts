import { join } from 'node:path'
import { accountAt } from '../accounts/account.js'
import { giveHome } from '../accounts/give.js'
import type { StepRun } from '../context.js'
import { copyDocuments, moveDocuments } from '../documents/copy-documents.js'
import type { InstanceSettings } from '../settings/settings.js'
import { stageOf } from './stage.js'

interface Documents {
  readonly from: Pick<InstanceSettings, 'documents'>
  readonly to: Pick<InstanceSettings, 'documents'>
}

/**
 * Brings documents of another instance to where the one that is laid out has them. Those of a bucket are copied before
 * `work`, while the other one serves.
 *
 * @param work copies what is in the other one's folder, and calls `copyRest` for documents that came meanwhile
 * @param isWanted whether a file of a document, by its key, is to be copied from a bucket. Default: all are.
 */
export async function withDocuments(
  run: StepRun,
  { from, to }: Documents,
  work: (copyRest: () => Promise<void>) => Promise<void>,
  isWanted?: (key: string) => boolean,
): Promise<void> {
  const { context, signal } = run
  const stage = stageOf(run)
  const onBytes = (bytes: number) => run.progress('documents', { bytes })
  const folder = join(stage.data, 'documents')
  if (from.documents === undefined) {
    await work(async () => {})
    if (to.documents !== undefined) await moveDocuments(context, folder, to.documents, { signal, onBytes })
    return
  }
  const target = to.documents === undefined ? { folder } : { place: to.documents }
  await copyDocuments(context, { place: from.documents }, target, { signal, onBytes, isWanted }, work)
  const account = accountAt(stage.folder)
  if ('folder' in target && account) await giveHome(stage, account)
}
