import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import { isDiskFull } from '../store/reserve.js'
import { failureOf } from '../system/failure.js'
import { diskFolders, surveyDisk, surveyText } from './survey-disk.js'

/** An answer with a warning for each disk of the manager that is full: what could be freed, and how. */
export async function withFullDisk<Result extends { readonly warnings?: readonly string[] }>(
  context: ManagerContext,
  result: Result,
): Promise<Result> {
  const texts = await textsOfFull(context)
  return texts.length === 0 ? result : { ...result, warnings: [...(result.warnings ?? []), ...texts] }
}

/** A failure for want of space says what could be freed, and how; others stay what they are. */
export async function explainFullDisk(context: ManagerContext, error: unknown): Promise<unknown> {
  const failure = failureOf(error)
  if (!isForSpace(failure)) return error
  const texts = await textsOfFull(context, true)
  const { code, message, help, output, operation } = failure
  return new ManagerError(code, message, {
    cause: failure.cause,
    output,
    operation,
    help: texts.length === 0 ? help : texts.join(' '),
    command: 'doctor home',
  })
}

function isForSpace({ code, cause }: ManagerError): boolean {
  return code === 'ERR_DISK' || (code === 'ERR_ROLLED_BACK' && ManagerError.is(cause) && isForSpace(cause))
}

/** @param all also of disks that are not full. What cannot be looked at says nothing. */
async function textsOfFull(context: ManagerContext, all = false): Promise<readonly string[]> {
  try {
    const folders = diskFolders(context).filter((folder) => all || isDiskFull(folder))
    return (await Promise.all(folders.map((folder) => surveyDisk(context, folder)))).map(surveyText)
  } catch {
    return []
  }
}
