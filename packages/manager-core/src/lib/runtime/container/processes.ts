import { describeProcess, statOf, type ProcessInfo } from '../../system/process-table.js'
import type { ContainerEngine } from './engine.js'

/** Those of a container, as this machine sees them; none of one that does not run. */
export async function processesOf(engine: ContainerEngine, name: string): Promise<readonly ProcessInfo[]> {
  const found = await engine.ask<{ readonly Processes: readonly (readonly string[])[] }>(
    'GET',
    `/containers/${name}/top`,
    { query: { ps_args: '-eo pid' }, besides: [404, 409, 500] },
  )
  return (found?.Processes ?? []).flatMap(([pid]) => {
    const stat = statOf(Number(pid))
    return stat ? [describeProcess(stat)] : []
  })
}
