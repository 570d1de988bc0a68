import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import { checkApplication } from './check-application.js'
import { problemList } from './problem-list.js'

/**
 * Whether the application of a template can be loaded, as instances of this version would load it.
 *
 * @throws ManagerError ERR_TEMPLATE with file, line and column of what is wrong
 */
export async function checkTemplateCode(
  context: Pick<ManagerContext, 'applicationServer' | 'settings'>,
  { folder, version, signal }: { folder: string; version: string; signal?: AbortSignal | undefined },
): Promise<void> {
  const { settings } = context
  const { passedOn } = await settings.version(version)
  const environment = { ...settings.global.passedOn, ...passedOn }
  let problems: readonly string[] = []
  try {
    problems = (await checkApplication(context, { app: folder, environment, signal }))?.problems ?? []
  } catch (error) {
    if (!ManagerError.is(error)) throw error
    const { message, output, cause } = error
    throw new ManagerError('ERR_TEMPLATE', message, { cause: cause ?? error, ...(output !== undefined && { output }) })
  }
  if (problems.length > 0)
    throw new ManagerError('ERR_TEMPLATE', `The application cannot be served: ${problemList(problems)}`)
}
