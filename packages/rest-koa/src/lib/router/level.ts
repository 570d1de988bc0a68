/**
 * Compatibility levels, oldest first: what came later is switched off below its level.
 * Source: docs/spec/rest-service.md, "Versioning"; docs/spec/wire-decisions.md, "compatibility level".
 */
export const levels = ['3.0', '3.1', '3.2', '4.0', '5.0', '5.1'] as const

export type Level = (typeof levels)[number]

/** Whether something that came with `since` is there at `level`. */
export function hasLevel(level: Level, since: Level): boolean {
  return levels.indexOf(level) >= levels.indexOf(since)
}
