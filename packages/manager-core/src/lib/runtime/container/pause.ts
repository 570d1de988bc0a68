import { readFileSync } from 'node:fs'
import { beginWatchdog, endWatchdog } from '../suspension.js'
import type { ContainerEngine } from './engine.js'

/** Lets a container continue, also when the engine is away for some minutes: it may come back with it frozen. */
const unpause = `const [socketPath, name, begin = Date.now()] = process.argv.slice(1)
const again = () => Date.now() - begin < 600_000 && setTimeout(ask, 1000)
function ask() {
  require('node:http').request({ socketPath, method: 'POST', path: '/containers/' + name + '/unpause', headers: { Host: 'localhost' } },
    (response) => response.resume()).on('error', again).end()
}
ask()`

/** Freezes a container for little more than `maxMs`, and no longer than the manager lives. */
export async function pause(
  engine: ContainerEngine,
  name: string,
  { run, maxMs }: { readonly run: string; readonly maxMs: number },
): Promise<void> {
  endWatchdog(run, isWatchdogOf(name))
  const command = [process.execPath, '-e', unpause, engine.socket, name]
  await beginWatchdog(run, { maxMs, command, account: undefined })
  // Frozen already, or not running any more.
  await engine.ask('POST', `/containers/${name}/pause`, { besides: [404, 409, 500] })
}

/** Lets it continue. May be repeated. */
export async function goOn(engine: ContainerEngine, name: string, run: string): Promise<void> {
  await engine.ask('POST', `/containers/${name}/unpause`, { besides: [404, 409, 500] })
  endWatchdog(run, isWatchdogOf(name))
}

function isWatchdogOf(name: string): (pid: number) => boolean {
  return (pid) => {
    const words = commandLine(pid)
    return words.includes('steward-resume') && words.includes(name)
  }
}

function commandLine(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}
