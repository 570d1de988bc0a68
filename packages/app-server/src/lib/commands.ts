import { createWriteStream } from 'node:fs'
import { basename, extname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { BusinessObjects } from '@steward/rest-core'
import { systemPrincipal } from '@steward/rest-core'
import { importFile } from './exchange/import-file.js'
import type { FileFormat } from './exchange/write-file.js'
import { exportFile, fileFormats } from './exchange/write-file.js'
import { SettingsError } from './settings.js'
import { formatReport, runUnitTests } from './unit-tests.js'

/** Tasks of the command line that run without serving. */
export interface TaskFlags {
  /** One test module, or `true` for all. */
  readonly unittests?: string | true
  /** Print the report of unit tests as JSON. Default: lines for people. */
  readonly json?: boolean
  /** Path of a file. */
  readonly import?: string
  /** Names of objects, separated by commas. */
  readonly export?: string
  /** File of an export. Default: standard output, as JSON. */
  readonly output?: string
  /** Whose records a CSV file holds. Default: the file's name. */
  readonly object?: string
}

/** Runs a task and prints what it says; resolves with the exit code. @throws RestError, SettingsError */
export async function runTask(service: BusinessObjects, folder: string, flags: TaskFlags): Promise<0 | 1> {
  const principal = systemPrincipal()
  if (flags.unittests !== undefined) {
    const name = flags.unittests === true ? undefined : flags.unittests
    const report = await runUnitTests(service, { folder, name })
    process.stdout.write(`${flags.json ? JSON.stringify(report) : formatReport(report)}\n`)
    return report.failed === 0 ? 0 : 1
  }
  if (flags.import !== undefined) {
    const path = flags.import
    const object = flags.object ?? basename(path, extname(path))
    const report = await importFile(service, principal, { format: formatOf(path), path, name: basename(path), object })
    for (const [name, counts] of Object.entries(report)) {
      const told = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`)
      process.stdout.write(`${name}: ${told.join(', ')}\n`)
    }
    return 0
  }
  const names = (flags.export ?? '').split(',').map((name) => name.trim())
  const format = flags.output === undefined ? 'json' : formatOf(flags.output)
  const content = await exportFile(service, principal, format, names)
  if (flags.output === undefined) await pipeline(content, process.stdout, { end: false })
  else await pipeline(content, createWriteStream(flags.output))
  return 0
}

function formatOf(path: string): FileFormat {
  const ending = extname(path).slice(1).toLowerCase()
  if (Object.hasOwn(fileFormats, ending)) return ending as FileFormat
  throw new SettingsError(`${path}: the ending says the format; there are ${Object.keys(fileFormats).join(', ')}.`)
}
