import { createStore, type PaletteItem } from '@steward/page-kit'
import { useLayoutEffect } from 'preact/hooks'
import type { ApiCall } from './api-call.js'

const call = createStore<ApiCall | undefined>(undefined)
const commands = createStore<readonly PaletteItem[]>([])

/** What the current view reports to its surroundings, from the moment it is shown. */
export const screen = { call, commands }

/** Says by which call of the REST service the view came about, or what its form would send. */
export function useApiCall(shown: ApiCall): void {
  const text = JSON.stringify(shown)
  useLayoutEffect(() => {
    call.set(JSON.parse(text) as ApiCall)
    return () => call.set(undefined)
  }, [text])
}

/**
 * Offers what the view can do to the palette and to keys.
 *
 * @param offered the same array as long as nothing changed
 */
export function useCommands(offered: readonly PaletteItem[]): void {
  useLayoutEffect(() => {
    commands.set([...commands.get(), ...offered])
    return () => commands.set(commands.get().filter((one) => !offered.includes(one)))
  }, [offered])
}
