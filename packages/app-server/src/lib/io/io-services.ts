import type { Readable } from 'node:stream'
import type { BusinessObjects, FilterTexts, Model, Principal } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import { systemObjects } from '@steward/rest-core/system'
import { importFile } from '../exchange/import-file.js'
import { readAction } from '../exchange/import-record.js'
import type { FileFormat } from '../exchange/write-file.js'
import { exportFile, fileFormats } from '../exchange/write-file.js'
import type { LogRing } from '../log-ring.js'
import { formatReport, runUnitTests } from '../unit-tests.js'
import type { Purge } from './purges.js'
import type { PurgeService } from './purges.js'
import type { FormUpload } from './read-form.js'

/** What the services work with. */
export interface IoContext {
  readonly service: BusinessObjects
  /** The application's folder. */
  readonly folder: string
  readonly name: string
  readonly logs: LogRing | undefined
  readonly purges: Readonly<Record<PurgeService, readonly Purge[]>>
  /** Forgets what was read of users, rights, credentials and parameters. */
  readonly clearCaches: () => Promise<void>
}

/** One call of `/io`. */
export interface IoCall {
  readonly principal: Principal
  readonly fields: ReadonlyMap<string, string>
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal
  /** The payload on disk. @throws RestError ERR_BAD_REQUEST when there is none */
  payload(): Promise<FormUpload>
}

export type IoAnswer =
  /** `OK`, and in JSON the report. */
  | { readonly report: object; readonly text?: string; readonly status?: 500 }
  | { readonly stream: Readable; readonly type: string; readonly fileName: string }

export type IoService = (call: IoCall, context: IoContext) => Promise<IoAnswer>

/**
 * The services of `/io` by name. Source: docs/spec/wire-decisions.md, "Application server"; `zipexport` is an addition.
 */
export const ioServices: Readonly<Record<string, IoService>> = {
  xmlimport: imports('xml'),
  jsonimport: imports('json'),
  csvimport: imports('csv'),
  zipimport: imports('zip'),
  xmlexport: exports('xml'),
  jsonexport: exports('json'),
  csvexport: exports('csv'),
  zipexport: exports('zip'),
  async clearcache(_call, { clearCaches }) {
    await clearCaches()
    return { report: {} }
  },
  purgelogs: purges('purgelogs'),
  purgejobs: purges('purgejobs'),
  purgesupervisions: purges('purgesupervisions'),
  purgerecyclebin: purges('purgerecyclebin'),
  purgeexports: purges('purgeexports'),
  purgetempfiles: purges('purgetempfiles'),
  purgeall: purges('purgeall'),
  async buildindex({ fields }, { service }) {
    return { report: { changed: await service.rebuildIndex(fields.get('object')) } }
  },
  async unittests({ fields }, { service, folder }) {
    const report = await runUnitTests(service, { folder, name: fields.get('test') })
    return report.failed === 0 ? { report } : { report, text: formatReport(report), status: 500 }
  },
  async logs({ fields }, { logs }) {
    const lines = logs?.lines(wholeNumber(fields, 'lines', 1000)) ?? []
    return { report: { lines }, text: lines.join('\n') }
  },
}

function imports(format: FileFormat): IoService {
  return async ({ principal, fields, payload }, { service }) => {
    const object = fields.get('object')
    if (format === 'csv' && object === undefined)
      throw new RestError('ERR_BAD_REQUEST', 'csvimport needs the parameter "object".')
    const action = readAction(fields.get('action'), {})
    const { path, name } = await payload()
    return { report: { objects: await importFile(service, principal, { format, path, name, object, action }) } }
  }
}

/** Parameters of exports that are no filters. */
const exportParameters = new Set(['service', 'format', 'object', 'timestamps', '_filter'])

const systemNames = new Set<string>(systemObjects.map(({ name }) => name))

/** What an import takes back: the application's own tables. */
function namesToExport({ objects }: Model): readonly string[] {
  return [...objects.values()]
    .filter(({ name, definition }) => !systemNames.has(name) && definition.view === undefined)
    .map(({ name }) => name)
}

function exports(format: FileFormat): IoService {
  return async ({ principal, fields, signal }, { service, name }) => {
    const given = fields
      .get('object')
      ?.split(',')
      .map((each) => each.trim())
    const names = given ?? namesToExport(service.model)
    const filters: FilterTexts = Object.fromEntries([...fields].filter(([each]) => !exportParameters.has(each)))
    const timestamps = fields.get('timestamps') === 'true'
    const stream = await exportFile(service, principal, format, names, {
      timestamps,
      filters,
      expression: fields.get('_filter'),
      signal,
    })
    const fileName = `${given?.length === 1 ? given[0] : name}.${format}`
    return { stream, type: fileFormats[format], fileName }
  }
}

function purges(service: PurgeService): IoService {
  return async ({ fields }, context) => {
    const depth = wholeNumber(fields, 'depth', 0)
    const before = new Date(Date.now() - depth * 86_400_000)
    const removed: Record<string, number> = {}
    for (const { what, run } of context.purges[service]) removed[what] = await run(before)
    const isEmpty = context.purges[service].length === 0
    return { report: isEmpty ? { removed, note: 'Nothing of the kind is kept here.' } : { removed } }
  }
}

function wholeNumber(fields: ReadonlyMap<string, string>, name: string, standard: number): number {
  const text = fields.get(name)
  if (text === undefined || text === '') return standard
  if (/^\d{1,5}$/.test(text)) return Number(text)
  throw new RestError('ERR_BAD_REQUEST', `The parameter "${name}" must be a whole number from 0 to 99999.`)
}
