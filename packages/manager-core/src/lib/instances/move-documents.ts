import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { foreignKind } from '../accounts/foreign.js'
import { makeFolder, moveTo } from '../accounts/places.js'
import { ManagerError } from '../../errors.js'
import { accountAt } from '../accounts/account.js'
import { copyFolder } from '../accounts/copy-folder.js'
import { give } from '../accounts/give.js'
import { removeTree } from '../accounts/remove-tree.js'
import type { OperationKind, Plan, Step, StepRun } from '../context.js'
import { newPlace, shownBucket, useBucket } from '../documents/bucket.js'
import { copyDocuments } from '../documents/copy-documents.js'
import { registerPlace } from '../documents/places.js'
import { instanceHomeAt } from '../domain/home.js'
import { isWebapp } from '../files/webapp.js'
import { checkDataThere } from './data-there.js'
import { checkElsewhere } from './elsewhere.js'
import { existing } from './existing.js'
import { hookStep } from './hook-steps.js'
import { runsOrSleeps, startStep, stopToStartStep } from './runtime-steps.js'
import { stageIn } from './stage.js'

export type MoveDocumentsRequest = {
  readonly id: string
  readonly name: string
  /** Address of a bucket; null: the folder of the instance. */
  readonly to: string | null
}

type MoveDocumentsFacts = {
  readonly name: string
  readonly folder: string
  /** Place in a bucket; null: the folder. */
  readonly from: string | null
  readonly place: string | null
  readonly runs: boolean
}

/**
 * Moves the documents of an instance to a bucket, or back to its folder. Most of them are copied while it serves; it is
 * stopped for those that came meanwhile.
 */
export const moveDocumentsKind: OperationKind<MoveDocumentsRequest, MoveDocumentsFacts> = {
  kind: 'movedocuments',
  locks: ({ id }) => [`instance:${id}`],
  async inspect({ to, ...request }, context) {
    const instance = existing(context.registry, request)
    const { id, name } = instance
    const { folder, app } = context.home.instance(id)
    const { documents: from = null } = await context.settings.instance(folder)
    if (isWebapp(app))
      throw new ManagerError('ERR_STATE', `"${name}" is a Java web application, which keeps its documents itself.`)
    if (from === null && to === null)
      throw new ManagerError('ERR_STATE', `The documents of "${name}" are in its folder already.`, {
        command: `documents ${name}`,
      })
    if (from !== null && existsSync(documentsAt(folder)))
      throw new ManagerError('ERR_STATE', `"${name}" has a folder of documents beside its bucket.`, {
        help: `Nothing uses ${documentsAt(folder)}: look what is in it, and move it elsewhere.`,
      })
    if (to === null) checkElsewhere(context, instance.runtime, { database: instance.database, documents: undefined })
    await checkDataThere(context, instance)
    const place = to === null ? null : await newPlace(to, id)
    // Whether the bucket and the keys are right is known before anything is done.
    if (place !== null) await useBucket(context, place, (bucket) => bucket.list({ limit: 1 }))
    return { name, folder, from, place, runs: await runsOrSleeps(context, { id, folder }) }
  },
  plan: planMove,
}

function planMove({ id }: MoveDocumentsRequest, { name, folder, from, place, runs }: MoveDocumentsFacts): Plan {
  const instance = { id, name }
  const hook = { args: [name], folder, instance, input: { action: 'movedocuments', instance: name } }
  const options = { folder, from, place }
  const shown = (at: string | null) => (at === null ? 'its folder' : shownBucket(at))
  return {
    title: `Move the documents of "${name}" from ${shown(from)} to ${shown(place)}`,
    instance,
    steps: [
      copyStep(options),
      ...(runs ? [hookStep({ ...hook, hook: 'pre-start' })] : []),
      stopToStartStep({ instance, folder }),
      switchStep(options),
      ...(runs ? [startStep({ instance, folder, stopStepId: 'stop' })] : []),
      ...(runs ? [hookStep({ ...hook, hook: 'post-start' })] : []),
      removeOldStep(options),
    ],
    notes: [
      ...(runs
        ? ['It does not answer while the documents that came meanwhile are copied, and it is started again.']
        : []),
      ...(from === null ? [] : [`What is in ${shownBucket(from)} is removed a day later.`]),
    ],
  }
}

interface MoveOptions {
  readonly folder: string
  readonly from: string | null
  readonly place: string | null
}

/** Where it works: `documents`, a copy of a folder or what becomes one, and `old`, what was there before. */
function workOf({ context, operation }: Pick<StepRun, 'context' | 'operation'>) {
  const folder = stageIn(context.home, operation)
  return { folder, documents: join(folder, 'documents'), old: join(folder, 'old') }
}

const documentsAt = (folder: string) => join(instanceHomeAt(folder).data, 'documents')

function copyStep(options: MoveOptions): Step {
  return {
    id: 'copy',
    title: 'Copy the documents that are there',
    async do(run) {
      if (options.place !== null) registerPlace(run.context, options.place)
      await copyAll(run, options)
    },
    undo: (run) => removeTree(workOf(run).folder, accountAt(options.folder)),
    check: () => 'not-done',
  }
}

function switchStep({ folder, from, place }: MoveOptions): Step {
  return {
    id: 'switch',
    title: 'Copy the rest, and switch over',
    async do(run) {
      const { context } = run
      const work = workOf(run)
      const settings = await context.settings.instance(folder)
      // Else it was killed after it.
      if ((settings.documents ?? null) === from) {
        // Left by an attempt that was killed.
        if (place === null) await removeTree(documentsAt(folder), accountAt(folder))
        await copyAll(run, { folder, from, place })
        if (place === null) await putInPlace(work.documents, folder)
        await context.settings.writeInstance(folder, { ...settings, documents: place ?? undefined })
      }
      if (from === null && isFolder(documentsAt(folder))) await moveTo(documentsAt(folder), work.old)
    },
    async undo(run) {
      const { context } = run
      const work = workOf(run)
      if (existsSync(work.old)) await moveTo(work.old, documentsAt(folder))
      const settings = await context.settings.instance(folder)
      await context.settings.writeInstance(folder, { ...settings, documents: from ?? undefined })
      if (place === null && isFolder(documentsAt(folder))) await removeTree(documentsAt(folder), accountAt(folder))
    },
    check: async ({ context }) => {
      const { documents = null } = await context.settings.instance(folder)
      const isOldThere = from === null && isFolder(documentsAt(folder))
      return documents === place && !isOldThere ? 'done' : 'not-done'
    },
  }
}

function removeOldStep({ folder }: MoveOptions): Step {
  return {
    id: 'old',
    title: 'Remove the previous contents',
    pointOfNoReturn: true,
    do: (run) => removeTree(workOf(run).folder, accountAt(folder)),
    check: (run) => (existsSync(workOf(run).folder) ? 'not-done' : 'done'),
  }
}

/** All that is not there yet. */
async function copyAll(run: StepRun, { folder, from, place }: MoveOptions): Promise<void> {
  const { context, signal } = run
  const work = workOf(run)
  const options = { signal, onBytes: (bytes: number) => run.progress('documents', { bytes }) }
  const to = place === null ? { folder: work.documents } : { place }
  await makeFolder(work.folder, 0o700)
  if (from !== null) return copyDocuments(context, { place: from }, to, options)
  const source = documentsAt(folder)
  // A link is refused: what is there would be left out.
  if (foreignKind(source) === undefined) return
  // Read as the account that may change it meanwhile.
  await removeTree(work.documents, accountAt(folder))
  await copyFolder(source, work.documents, { signal, reader: accountAt(folder), warn: run.warn })
  await copyDocuments(context, { folder: work.documents }, to, options)
}

/** Not a link that the application put there. */
function isFolder(path: string): boolean {
  return foreignKind(path) === 'folder'
}

/** Makes a folder the documents of an instance that has none. */
export async function putInPlace(documents: string, folder: string): Promise<void> {
  const account = accountAt(folder)
  if (account) await give(documents, account)
  await moveTo(documents, documentsAt(folder))
}
