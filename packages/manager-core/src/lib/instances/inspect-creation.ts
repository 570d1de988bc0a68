import { statfs } from 'node:fs/promises'
import { ManagerError } from '../../errors.js'
import { inspectAnonymisation } from '../anonymise/inspect-anonymisation.js'
import { keepsDocuments } from '../anonymise/resolve-rules.js'
import type { ManagerContext } from '../context.js'
import { thisHost } from '../domain/instance.js'
import { checkName } from '../domain/names.js'
import { sizeText } from '../domain/readable.js'
import { folderSize } from '../files/folder-size.js'
import { isWebapp, notForWebapps } from '../files/webapp.js'
import { kindOf } from '../templates/check-template.js'
import { checkNamedAddress } from './addresses.js'
import type { AnonymisationFacts } from './anonymised-data-step.js'
import type { CreationFacts, CreationRequest, NewInstance } from './creation.js'
import { chooseRuntime } from './choose-runtime.js'
import { reachDatabaseServer } from './database-step.js'
import { checkElsewhere, needsAccount } from './elsewhere.js'
import { existing } from './existing.js'
import { freePort } from './ports.js'
import { checkLimit } from './reserve-step.js'

/** Room that is left for logs and a first database, in bytes. */
const spareBytes = 16 * 2 ** 20

/** Whatever can be known before a new instance is made. @throws ManagerError */
export async function inspectCreation(request: CreationRequest, context: ManagerContext): Promise<CreationFacts> {
  checkName(request.name)
  checkNameFree(request.name, context)
  checkLimit(context)
  await freePort(context)
  const origin = await ('version' in request.from
    ? fromTemplate(request.from.version, context)
    : fromInstance(request.from, context))
  const { id, name } = request
  const { global } = context.settings
  const { source, from, application } = origin
  const runtime = await chooseRuntime(context, {
    wanted: request.runtime ?? null,
    like: origin.like,
    version: from.version,
    kind: await kindOf(application),
  })
  const row: NewInstance = {
    ...from,
    ...request.owner,
    id,
    name,
    protected: request.protected ?? (source === null && global.defaultProtected),
    autoSave: request.autoSave ?? (source === null && global.defaultAutoSave),
    autoUpdate: request.autoUpdate ?? (source === null && global.defaultAutoUpdate),
    database: request.database ?? source?.database ?? global.defaultDatabase,
    desired: (request.start ?? from.desired === 'started') ? 'started' : 'stopped',
    customUrl: '',
    runtime,
    proved: '',
    created: context.clock().toISOString(),
  }
  checkElsewhere(context, runtime, { database: row.database, documents: global.documents.address })
  checkNamedAddress(row, context)
  await reachDatabaseServer(context, row.database)
  if (source && source.database !== row.database) await reachDatabaseServer(context, source.database)
  if (source && source.database !== row.database && isWebapp(application))
    throw notForWebapps(application, 'Its records cannot be copied to a database of another type.')
  const bytes = (await folderSize(application)) + (source ? await folderSize(context.home.instance(source.id).data) : 0)
  await checkSpace(context.home.folder, bytes)
  const { rules: file } = request
  const anonymisation = source && file !== undefined && (await anonymisationOf(context, source.folder, file))
  return {
    row,
    folder: context.home.instance(id).folder,
    application,
    source,
    bytes,
    isolated: needsAccount(context, runtime),
    ...(anonymisation && { anonymisation }),
  }
}

async function anonymisationOf(context: ManagerContext, folder: string, file: string): Promise<AnonymisationFacts> {
  const { hash, documents, plan } = await inspectAnonymisation(context, folder, file)
  return { file, hash, documents, keepsDocuments: keepsDocuments(plan) }
}

/** @throws ManagerError ERR_NAME_TAKEN. Source: docs/spec/wire-decisions.md, "rules": without regard to case. */
export function checkNameFree(name: string, { registry }: Pick<ManagerContext, 'registry'>): void {
  const other = registry.find(name)
  if (!other) return
  throw new ManagerError('ERR_NAME_TAKEN', `An instance named "${other.name}" already exists.`, {
    help: 'Choose another name. Names are not case-sensitive.',
    command: 'list',
  })
}

/** @throws ManagerError ERR_DISK */
export async function checkSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const [free, needed] = [bavail * bsize, bytes + spareBytes]
  if (free >= needed) return
  throw new ManagerError(
    'ERR_DISK',
    `Not enough disk space in ${folder}: ${sizeText(needed)} needed, ${sizeText(free)} free.`,
    {
      help: 'Free disk space: empty the trash, remove old backups.',
      command: 'trash',
    },
  )
}

const nobody = { ownerEmail: '', firstname: '', lastname: '', phone: '', company: '' }

async function fromTemplate(wanted: string | null, { templates }: ManagerContext) {
  const { version, date, revision, folder } = await (wanted === null ? templates.default() : templates.get(wanted))
  const from = {
    ...nobody,
    version,
    versionDate: date,
    revision,
    source: `template:${version}`,
    installedVersion: '',
    heldRevision: '',
    host: thisHost,
  }
  return { from: { ...from, desired: 'started' as const }, application: folder, source: null, like: undefined }
}

async function fromInstance(
  from: { readonly instance: string; readonly name: string },
  { registry, home }: ManagerContext,
) {
  const instance = existing(registry, { id: from.instance, name: from.name })
  const { operation: _operation, updated: _updated, port: _port, observed: _observed, ...row } = instance
  const { id, name, database } = instance
  const { folder, app } = home.instance(id)
  return {
    from: { ...row, source: `instance:${name}` },
    application: app,
    source: { id, name, folder, database },
    like: instance.runtime,
  }
}
