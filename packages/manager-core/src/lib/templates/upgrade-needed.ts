import { existsSync } from 'node:fs'
import { lt, valid } from 'semver'
import { ManagerError } from '../../errors.js'
import type { Instance } from '../domain/instance.js'
import { isWebapp } from '../files/webapp.js'
import { checkTemplate, type TemplateTitle } from './check-template.js'
import type { TemplateVersion } from './template-source.js'

/** Whether an instance runs something older than its version has now. Source: docs/spec/wire-decisions.md, "rules". */
export function isUpgradeNeeded(
  { versionDate }: Pick<Instance, 'versionDate'>,
  newest: Pick<TemplateVersion, 'date'>,
): boolean {
  return versionDate < newest.date
}

/** A newer template that an instance can be upgraded to. */
export type AvailableUpdate = Pick<TemplateVersion, 'version' | 'revision' | 'date'>

/**
 * What an instance would be upgraded to; undefined: nothing.
 *
 * @param versions those of the manager
 */
export function availableUpdate(
  instance: Pick<Instance, 'version' | 'versionDate'>,
  versions: readonly TemplateVersion[],
): AvailableUpdate | undefined {
  const newest = versions.find(({ version }) => version === instance.version)
  if (!newest || !isUpgradeNeeded(instance, newest)) return undefined
  const { version, revision, date } = newest
  return { version, revision, date }
}

/** For people: commits and hashes are cut. */
export function shortRevision(revision: string): string {
  return /^[\da-f]{40,}$/.test(revision) ? revision.slice(0, 10) : revision
}

/**
 * Why an application is not to take the place of another one; undefined: it may. One that cannot be read says nothing.
 *
 * @param folder of the application that is there
 * @param template folder of the one that comes
 */
export async function whyNotReplaced(folder: string, template: string): Promise<string | undefined> {
  if (existsSync(folder) && isWebapp(folder) !== isWebapp(template))
    return `it runs ${kindText(folder)}, but the template is ${kindText(template)}`
  const [own, next] = await Promise.all([folder, template].map(readTitle))
  // Java web applications need not say how they are called.
  if (!own || !next || own.name === '' || next.name === '') return undefined
  if (own.name !== next.name) return `it runs the application "${own.name}", but the template is "${next.name}"`
  const isOlder = valid(own.version) !== null && valid(next.version) !== null && lt(next.version, own.version)
  return isOlder ? `it runs "${own.name}" ${own.version}, but the template is the older ${next.version}` : undefined
}

/** What an application is called, and its version before and after: `"shop" 1.0.0 → 1.1.0`; undefined: unknown. */
export async function titleChange(folder: string, template: string): Promise<string | undefined> {
  const [own, next] = await Promise.all([folder, template].map(readTitle))
  if (!next || next.name === '' || next.version === '') return undefined
  const from = own?.name === next.name ? own.version : own && `"${own.name}" ${own.version}`
  return own?.name === next.name
    ? `"${next.name}" ${from} → ${next.version}`
    : `${from ?? 'nothing'} → "${next.name}" ${next.version}`
}

function kindText(folder: string): string {
  return isWebapp(folder) ? 'a Java web application' : 'a Node application'
}

async function readTitle(folder: string): Promise<TemplateTitle | undefined> {
  try {
    return await checkTemplate(folder)
  } catch (error) {
    if (ManagerError.is(error)) return undefined
    throw error
  }
}
