import { findPackageJSON } from 'node:module'
import type { Model } from '../model/model.js'
import { formats } from './formats.js'

/**
 * Publications of a model whose format needs a package that is not installed: a line each, with the command that
 * installs it. Nothing is loaded.
 *
 * @param isInstalled called with the name of a package
 */
export function missingPublicationPackages(
  { objects }: Pick<Model, 'objects'>,
  isInstalled: (name: string) => boolean = isBeside,
): string[] {
  return [...objects.values()].flatMap((object) =>
    [...object.publications].flatMap(([name, { definition }]) => {
      const { engine } = formats[definition.format]
      if (engine === undefined || isInstalled(engine)) return []
      return `${object.name}.publications.${name}: the format ${definition.format} needs the package "${engine}". Install it with: npm install ${engine}`
    }),
  )
}

function isBeside(name: string): boolean {
  try {
    return findPackageJSON(name, import.meta.url) !== undefined
  } catch {
    // Not found is ERR_MODULE_NOT_FOUND here.
    return false
  }
}
