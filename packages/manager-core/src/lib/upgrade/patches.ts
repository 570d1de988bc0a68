import { extname, join } from 'node:path'
import { makeFolder, moveTo, writeNewFile } from '../accounts/places.js'
import { ManagerError } from '../../errors.js'
import { accountAt, type SystemAccount } from '../accounts/account.js'
import { removeTree } from '../accounts/remove-tree.js'
import { callIo } from '../application/call-io.js'
import { ownerOfPort } from '../runtime/owner-of-port.js'
import type { InstanceRef } from '../runtime/runtime.js'
import type { Step } from '../context.js'
import { instanceHomeAt } from '../domain/home.js'
import { foreignKind, readForeignFile, readForeignFolder } from '../accounts/foreign.js'
import { applicationsOf } from './application-steps.js'

/** By the ending of the file. Source: docs/spec/wire-decisions.md, "Application server". */
const serviceOf: Readonly<Record<string, string>> = { '.xml': 'xmlimport', '.json': 'jsonimport', '.zip': 'zipimport' }

/** Names of patches that an instance has, in its data. */
const recordName = 'patches.json'

/**
 * Imports what is new in `patches/` of the application through the I/O endpoint, in the order of the names: the legacy
 * mode of APPS_AUTOUPGRADE=false. Patches of the version that the instance was created from count as imported.
 * Source: docs/spec/instances-manager.md, "Version-level settings"; folder, order and memory are chosen.
 *
 * @param template folder that the new application was copied from: the copy is the instance's, which runs already
 */
export function patchesStep(instance: InstanceRef, template: string): Step {
  const { folder } = instance
  return {
    id: 'patches',
    title: 'Import the patches of the new version',
    async do(run) {
      const { going } = applicationsOf(folder, run)
      const record = join(instanceHomeAt(folder).data, recordName)
      const known = new Set((await readRecord(record, accountAt(folder))) ?? (await patchesOf(going)))
      const settings = await run.context.settings.instance(folder)
      const imported: string[] = []
      for (const name of (await patchesOf(template)).filter((one) => !known.has(one))) {
        run.progress(`Import ${name}`)
        const service = serviceOf[extname(name).toLowerCase()] as string
        const { ok, status, text } = await callIo(settings, ownerOfPort(run.context.runtimes, instance), {
          service,
          file: join(template, 'patches', name),
          signal: run.signal,
        })
        if (!ok)
          throw new ManagerError(
            'ERR_FAILED',
            `The patch ${name} was not imported: ${text.split('\n')[0]} (${status}).`,
            {
              output: text.slice(0, 2000),
            },
          )
        imported.push(name)
        known.add(name)
        await writeRecord(record, [...known], accountAt(folder))
      }
      return { imported }
    },
    check: () => 'not-done',
  }
}

/** Files that can be imported, in the order of their names: `2` before `10`. */
async function patchesOf(application: string): Promise<readonly string[]> {
  const folder = join(application, 'patches')
  const names = (await readForeignFolder(folder)).filter((name) => foreignKind(join(folder, name)) === 'file')
  const { compare } = new Intl.Collator('en', { numeric: true })
  return names.filter((name) => extname(name).toLowerCase() in serviceOf).toSorted(compare)
}

async function readRecord(file: string, account: SystemAccount | undefined): Promise<readonly string[] | undefined> {
  const text = readForeignFile(file, account?.uid)
  return text === undefined ? undefined : (JSON.parse(text) as { imported: string[] }).imported
}

/** In a folder of the instance: nothing that it put there is followed or written to. */
async function writeRecord(
  file: string,
  imported: readonly string[],
  account: SystemAccount | undefined,
): Promise<void> {
  if (!account) await makeFolder(join(file, '..'))
  await removeTree(`${file}.new`, account)
  await writeNewFile(`${file}.new`, `${JSON.stringify({ imported }, undefined, 2)}\n`, { account })
  await moveTo(`${file}.new`, file)
}
