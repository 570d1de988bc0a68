import { rmSync, writeFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { homeAt } from '../domain/home.js'
import { createTestHome } from '../testing/test-home.js'
import { createSettings } from './create-settings.js'

/** Settings of a home with these lines in its `config.sh`, after the one that a test home has. */
export function settingsOf(lines: readonly string[] = [], environment: Record<string, string> = {}) {
  const folder = createTestHome(lines)
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const home = homeAt(folder)
  return { home, settings: createSettings({ home, environment }) }
}

/** A home without even the line that a test home has. */
export function settingsOfText(text: string, environment: Record<string, string> = {}) {
  const made = settingsOf([], environment)
  writeFileSync(made.home.config, text)
  return made
}
