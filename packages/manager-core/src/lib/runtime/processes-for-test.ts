import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endProcessesOf } from '../testing/end-processes.js'
import { testProgram } from './contract/test-program.js'
import type { RuntimeUnderTest } from './contract/runtime-under-test.js'
import { createProcessRuntime, type ProcessRuntimeOptions } from './create-process-runtime.js'

/** A process runtime with instances in a temporary folder, whose name has spaces; it gives up after three crashes. */
export async function processesUnderTest(
  restart: Partial<NonNullable<ProcessRuntimeOptions['restart']>> = {},
  debugMinutes?: number,
): Promise<RuntimeUnderTest & { readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'steward runtime '))
  const make = () =>
    createProcessRuntime({ restart: { pauses: [0.02, 0.05], steadySeconds: 60, limit: 3, ...restart }, debugMinutes })
  return {
    folder,
    runtime: make(),
    another: make,
    spec: createSpecs(folder),
    async close() {
      await endProcessesOf(folder)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Instances of the test program, with their homes in a folder. */
export function createSpecs(folder: string): RuntimeUnderTest['spec'] {
  let number = 0
  return async (label, port, environment) => {
    const home = join(folder, `${number++} ${label}`)
    const workingFolder = join(home, 'app')
    mkdirSync(workingFolder, { recursive: true })
    const program = join(workingFolder, 'program.mjs')
    writeFileSync(program, testProgram)
    return {
      id: `i${number}`,
      folder: home,
      command: [process.execPath, program],
      environment: { ...environment, TEST_PORT: String(port) },
      workingFolder,
      port,
      log: { maxBytes: 1_000_000, keep: 2 },
    }
  }
}
