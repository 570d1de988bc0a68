import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../accounts/places.js'
import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { writePrivateFile } from '../files/write-private-file.js'
import type { ModuleReport, QualityGate } from './quality-server.js'

/** The result of an analysis, as it is kept and answered. */
export type QualityReport = {
  readonly format: 'steward-quality'
  readonly version: 1
  readonly instance: string
  /** Which version of the application. */
  readonly application: string
  /** What analysed: `local` or `sonarqube`. */
  readonly server: string
  /** When it was made, ISO 8601 in UTC. */
  readonly at: string
  /** The worst of its modules. */
  readonly gate: QualityGate
  /** What could not be looked at, and why. */
  readonly notes: readonly string[]
  readonly modules: readonly ModuleReport[]
}

/** How many reports of an instance are kept. */
const kept = 30

const worstFirst: readonly QualityGate[] = ['ERROR', 'WARN', 'OK']

/** The worst gate of several; NONE when there is none. */
export function worstGate(gates: readonly QualityGate[]): QualityGate {
  return worstFirst.find((gate) => gates.includes(gate)) ?? 'NONE'
}

/**
 * Writes a report into the home of its instance, and removes the oldest ones. Not into its logs: those belong to the
 * account of an isolated instance, which could put a link there.
 */
export async function keepReport(context: ManagerContext, { id }: Instance, report: QualityReport): Promise<void> {
  const folder = folderOf(context, id)
  await makeFolder(folder, 0o700)
  const name = `${report.at.replace(/[-:]|\.\d+/g, '')}.json`
  await writePrivateFile(join(folder, name), `${JSON.stringify(report, null, 2)}\n`)
  for (const old of (await reportNames(folder)).slice(0, -kept)) await rm(join(folder, old), { force: true })
}

/** The latest report of an instance. @throws ManagerError ERR_NOT_FOUND when there is none */
export async function latestReport(context: ManagerContext, { id, name }: Instance): Promise<QualityReport> {
  const folder = folderOf(context, id)
  const latest = (await reportNames(folder)).at(-1)
  if (latest === undefined)
    throw new ManagerError('ERR_NOT_FOUND', `"${name}" has not been analysed yet.`, { command: `quality ${name}` })
  return JSON.parse(await readFile(join(folder, latest), 'utf8')) as QualityReport
}

function folderOf({ home }: ManagerContext, id: string): string {
  return join(home.instance(id).folder, 'quality')
}

async function reportNames(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names.filter((name) => name.endsWith('.json')).toSorted()
}
