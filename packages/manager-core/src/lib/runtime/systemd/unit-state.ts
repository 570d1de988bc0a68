import { join } from 'node:path'
import type { Observed } from '../../domain/instance.js'
import { statOf, type ProcessStat } from '../../system/process-table.js'
import { cgroupMount, pidsIn } from '../limits/cgroups.js'
import { hasRunFile } from '../run-files.js'
import { systemctl } from './systemctl.js'

/** As `systemctl show` names them. A unit that does not exist is reported as inactive. */
const properties = ['Id', 'ActiveState', 'NRestarts', 'MainPID', 'FreezerState', 'ControlGroup'] as const
export type UnitState = Readonly<Record<(typeof properties)[number], string>>

/** In their order, by one call. */
export async function stateOf(units: readonly string[]): Promise<readonly UnitState[]> {
  // Asked for none, systemd describes itself.
  if (units.length === 0) return []
  const text = await systemctl('show', `--property=${properties.join(',')}`, '--', ...units)
  const blocks = text.trim().split('\n\n')
  const byName = new Map(blocks.map(parse).map((state) => [state.Id, state]))
  return units.map((unit) => byName.get(unit) ?? parse(`Id=${unit}`))
}

function parse(block: string): UnitState {
  const entries = block.split('\n').map((line) => {
    const at = line.indexOf('=')
    return [line.slice(0, at), line.slice(at + 1)] as const
  })
  const none = properties.map((name) => [name, ''] as const)
  return Object.fromEntries([...none, ...entries]) as UnitState
}

/** Whether it runs, is about to, or is ending. */
export function isUp({ ActiveState }: UnitState): boolean {
  return ['active', 'activating', 'deactivating', 'reloading'].includes(ActiveState)
}

export function isFrozen({ FreezerState }: UnitState): boolean {
  return ['frozen', 'freezing'].includes(FreezerState)
}

/** @param run folder `run/` of the copy */
export function observedOf(state: UnitState, run: string): Observed {
  if (isUp(state)) {
    if (isFrozen(state)) return 'suspended'
    return state.ActiveState === 'activating' ? 'starting' : 'started'
  }
  // What it needs was gone when it was to be started again.
  const isGivenUp = state.ActiveState === 'failed' || hasRunFile(run, 'crashed')
  return isGivenUp ? 'crashed' : 'stopped'
}

/** Folder of its cgroup; undefined: it has none now. */
export function cgroupOf({ ControlGroup }: UnitState): string | undefined {
  const mount = cgroupMount()
  return ControlGroup === '' || mount === undefined ? undefined : join(mount, ControlGroup)
}

/** All of its processes, its main one first. */
export function processesOf(state: UnitState): readonly ProcessStat[] {
  const folder = cgroupOf(state)
  const main = Number(state.MainPID)
  const all = [...(main > 0 ? [main] : []), ...(folder === undefined ? [] : pidsIn(folder))]
  return [...new Set(all)].map(statOf).filter((stat) => stat !== undefined)
}
