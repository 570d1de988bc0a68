import { TargetError } from './target-error.js'

/**
 * Loads a package that is installed only where it is needed.
 *
 * @throws TargetError ERR_TARGET_SETTINGS with the command that installs it, when it is missing.
 */
export async function loadPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new TargetError('ERR_TARGET_SETTINGS', `The package ${name} is not installed.`, {
      cause: error,
      help: `Install it: npm install ${name}`,
    })
  }
}
