import { RestError } from '../../errors.js'
import type { Model } from '../model/model.js'
import { wordFields } from '../publications/word.js'
import type { LintFinding } from './finding.js'
import { applicationObjects } from './lint-model.js'

/**
 * Word templates whose tags name fields that are not there. The start of an application reads all other templates, and
 * these only when they are first used.
 */
export async function lintPublications({ objects }: Pick<Model, 'objects'>): Promise<LintFinding[]> {
  const findings: LintFinding[] = []
  for (const object of applicationObjects(objects)) {
    for (const [name, publication] of object.publications) {
      if (!publication.word) continue
      try {
        await wordFields(object, publication)
      } catch (error) {
        if (!RestError.is(error)) throw error
        findings.push({
          rule: 'publication-field',
          severity: 'error',
          message: error.message.replace(`${object.name}.publications.${name}: `, ''),
          object: object.name,
          path: ['publications', name],
        })
      }
    }
  }
  return findings
}
