import { didYouMean } from '../domain/near-miss.js'
import { targetVariable } from '../domain/target-names.js'
import type { TargetSettings } from '../settings/settings.js'
import type { Targets } from './targets.js'

/**
 * What to say about variables of the targets in APPS_TARGETS, as only their types know which options there are: by the
 * name of the variable. Empty when the settings cannot be used, which is reported elsewhere.
 */
export async function targetHints(targets: Targets): Promise<ReadonlyMap<string, string>> {
  const hints = new Map<string, string>()
  for (const target of settingsOf(targets)) {
    const { name, options } = target
    try {
      const { name: type, options: known } = await targets.type(name)
      const names = known.map((option) => option.name)
      for (const option of Object.keys(options)) {
        if (names.includes(option)) continue
        const meant = didYouMean(
          targetVariable(name, option),
          names.map((each) => targetVariable(name, each)),
        )
        hints.set(targetVariable(name, option), meant ?? `A target of type ${type} has no such option.`)
      }
      const missing = known.filter((option) => option.required && options[option.name] === undefined)
      const variables = missing.map((option) => targetVariable(name, option.name))
      if (missing.length > 0) hints.set(targetVariable(name, 'type'), `It also requires ${variables.join(', ')}.`)
    } catch (error) {
      hints.set(targetVariable(name, 'type'), (error as Error).message)
    }
  }
  return hints
}

function settingsOf(targets: Targets): readonly TargetSettings[] {
  try {
    return targets.all
  } catch {
    return []
  }
}
