import type { Instance } from '../domain/instance.js'
import type { TemplateVersion } from '../templates/template-source.js'

/** Whether an instance runs something else than its version has now. Source: wire-decisions, "rules". */
export function isUpgradeNeeded(
  { versionDate, revision }: Pick<Instance, 'versionDate' | 'revision'>,
  newest: Pick<TemplateVersion, 'date' | 'revision'>,
): boolean {
  return versionDate < newest.date || revision !== newest.revision
}
