import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { vi } from 'vitest'
import { findCommand } from '../../../../../../tests/servers/programs.js'
import { endProcessesOf } from '../../testing/end-processes.js'
import { ask, type RuntimeUnderTest } from '../contract/runtime-under-test.js'
import { createProcessRuntime } from '../create-process-runtime.js'
import type { InstanceSpec } from '../runtime.js'
import { createTomcatRuntime } from './create-tomcat-runtime.js'
import { compiledJsp, programJsp, webXmlOfTest } from './program-for-test.js'
import type { TomcatSpec } from './tomcat-spec.js'
import { takeTestPort } from '../../testing/take-ports.js'

/** Where Debian's package tomcat10-common puts it. */
export const tomcatHome = '/usr/share/tomcat10'

/** Folder of the Java in PATH. */
export function javaHome(): string {
  return dirname(dirname(realpathSync(findCommand('java'))))
}

/** Half the CPU of a start, and less memory. */
const quickFlags = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'

/** Shared by all files of a run: classes as Java has them in memory, and the test program compiled. */
const prepared = join(tmpdir(), 'steward-tomcat')

/**
 * Options with which Tomcat starts with half the CPU again: its classes come from an archive that its first start in a run
 * of the tests leaves behind. Without it they do nothing.
 */
export async function quickJava(): Promise<string> {
  if (!existsSync(prepared)) await prepare()
  return `${quickFlags} -Xshare:auto -XX:SharedArchiveFile=${prepared}/classes.jsa`
}

/** Files of one run may do it at the same time: the last one wins. */
async function prepare(): Promise<void> {
  const folder = mkdtempSync(`${prepared}-`)
  try {
    const runtime = createTomcatRuntime({ processes: createProcessRuntime() })
    const spec = writeSpec(
      join(folder, 'home'),
      await takeTestPort(),
      '-XX:ArchiveClassesAtExit=' + join(folder, 'classes.jsa'),
    )
    await runtime.start(spec)
    await vi.waitUntil(() => ask(spec, '/id'), { timeout: 120_000, interval: 50 })
    await runtime.stop(spec, { graceMs: 60_000 })
    const classes = join(spec.folder, 'tomcat/work/Catalina/localhost/ROOT')
    copyFileSync(join(classes, compiledJsp), join(folder, 'program_jsp.class'))
    rmSync(join(folder, 'home'), { recursive: true })
    renameSync(folder, prepared)
  } catch (error) {
    await endProcessesOf(folder)
    rmSync(folder, { recursive: true, force: true })
    if (!existsSync(prepared)) throw error
  }
}

/** An instance with the test program in a folder that is made. */
function writeSpec(folder: string, port: number, javaOptions: string, tomcat: Partial<TomcatSpec> = {}): InstanceSpec {
  const app = join(folder, 'app')
  const compiled = join(prepared, 'program_jsp.class')
  const isCompiled = existsSync(compiled)
  mkdirSync(join(app, 'WEB-INF'), { recursive: true })
  writeFileSync(join(app, 'WEB-INF/web.xml'), webXmlOfTest(isCompiled))
  if (isCompiled) cpSync(compiled, join(app, 'WEB-INF/classes', compiledJsp))
  else writeFileSync(join(app, 'WEB-INF/program.jsp'), programJsp)
  mkdirSync(join(folder, 'data'))
  return {
    id: 'i1',
    folder,
    command: [],
    environment: { JAVA_OPTS: `${quickFlags} ${javaOptions}` },
    workingFolder: join(folder, 'data'),
    port,
    maxMemoryMb: 128,
    log: { maxBytes: 1_000_000, keep: 2 },
    tomcat: { app, context: '/', java: javaHome(), home: tomcatHome, encoding: 'UTF-8', minMemoryMb: 32, ...tomcat },
  }
}

export interface TomcatUnderTest extends RuntimeUnderTest {
  /** An instance with these settings. */
  specOf(label: string, port: number, tomcat?: Partial<TomcatSpec>): InstanceSpec
}

/** Instances on Tomcat in a temporary folder, whose name has spaces; one is given up after three crashes. */
export async function tomcatUnderTest(debugMinutes?: number): Promise<TomcatUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'steward tomcat '))
  const restart = { pauses: [0.02, 0.05], steadySeconds: 60, limit: 3 }
  const make = () => createTomcatRuntime({ processes: createProcessRuntime({ restart, debugMinutes }) })
  const options = await quickJava()
  let number = 0
  const specOf: TomcatUnderTest['specOf'] = (label, port, tomcat) => ({
    ...writeSpec(join(folder, `${number++} ${label}`), port, options, tomcat),
    id: `i${number}`,
  })
  return {
    runtime: make(),
    another: make,
    specOf,
    async spec(label, port, environment) {
      const spec = specOf(label, port)
      return { ...spec, environment: { ...spec.environment, ...environment } }
    },
    async close() {
      await endProcessesOf(folder)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
