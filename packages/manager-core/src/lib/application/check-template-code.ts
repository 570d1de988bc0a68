import { ManagerError } from '../../errors.js'
import type { SystemAccount } from '../accounts/account.js'
import { whyNotIsolated } from '../accounts/why-not.js'
import type { ManagerContext } from '../context.js'
import { isWebapp } from '../files/webapp.js'
import { checkInstallation } from '../runtime/tomcat/check-installation.js'
import { checkApplication } from './check-application.js'
import { problemList } from './problem-list.js'
import { needJdk } from './webapp-spec.js'

/** As most systems have it. */
export const nobody: SystemAccount = { name: 'nobody', uid: 65_534, gid: 65_534 }

/**
 * Whether the application of a template can be loaded, as instances of this version would load it; of a Java web
 * application, whether there are a Java and a Tomcat for it.
 *
 * @throws ManagerError ERR_TEMPLATE with file, line and column of what is wrong
 */
export async function checkTemplateCode(
  context: Pick<ManagerContext, 'applicationServer' | 'settings' | 'home'>,
  { folder, version, signal }: { folder: string; version: string; signal?: AbortSignal | undefined },
): Promise<void> {
  const { settings } = context
  const { passedOn, jdk, tomcat } = await settings.version(version)
  if (isWebapp(folder)) return checkInstallation({ java: needJdk(version, jdk), home: tomcat })
  const environment = { ...settings.global.passedOn, ...passedOn }
  let problems: readonly string[] = []
  try {
    // Unknown code is not run as root where instances have accounts of their own.
    const account = whyNotIsolated(context) ? undefined : nobody
    problems = (await checkApplication(context, { app: folder, environment, account, signal }))?.problems ?? []
  } catch (error) {
    if (!ManagerError.is(error)) throw error
    const { message, output, cause } = error
    throw new ManagerError('ERR_TEMPLATE', message, { cause: cause ?? error, ...(output !== undefined && { output }) })
  }
  if (problems.length > 0)
    throw new ManagerError('ERR_TEMPLATE', `The application cannot be served: ${problemList(problems)}`)
}
