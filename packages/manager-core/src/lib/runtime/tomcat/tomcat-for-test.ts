import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findCommand } from '../../../../../../tests/servers/programs.js'
import { endProcessesOf } from '../../testing/end-processes.js'
import type { RuntimeUnderTest } from '../contract/runtime-under-test.js'
import { createProcessRuntime } from '../create-process-runtime.js'
import { createTomcatRuntime } from './create-tomcat-runtime.js'
import { programJsp, webXmlOfTest } from './program-for-test.js'
import type { TomcatSpec } from './tomcat-spec.js'

/** Where Debian's package tomcat10-common puts it. */
export const tomcatHome = '/usr/share/tomcat10'

/** Folder of the Java in PATH. */
export function javaHome(): string {
  return dirname(dirname(realpathSync(findCommand('java'))))
}

/** A JVM starts in half the time with these, and takes a fifth less memory. */
export const quickJava = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto'

/** Instances on Tomcat in a temporary folder, whose name has spaces; one is given up after three crashes. */
export async function tomcatUnderTest(debugMinutes?: number): Promise<
  RuntimeUnderTest & {
    specOf(label: string, port: number, tomcat?: Partial<TomcatSpec>): ReturnType<RuntimeUnderTest['spec']>
  }
> {
  const folder = mkdtempSync(join(tmpdir(), 'steward tomcat '))
  const restart = { pauses: [0.02, 0.05], steadySeconds: 60, limit: 3 }
  const make = () => createTomcatRuntime({ processes: createProcessRuntime({ restart, debugMinutes }) })
  let number = 0
  const specOf = async (label: string, port: number, tomcat: Partial<TomcatSpec> = {}) => {
    const home = join(folder, `${number++} ${label}`)
    const app = join(home, 'app')
    mkdirSync(join(app, 'WEB-INF'), { recursive: true })
    writeFileSync(join(app, 'WEB-INF/web.xml'), webXmlOfTest)
    writeFileSync(join(app, 'WEB-INF/program.jsp'), programJsp)
    mkdirSync(join(home, 'data'))
    return {
      id: `i${number}`,
      folder: home,
      command: [],
      environment: { JAVA_OPTS: quickJava },
      workingFolder: join(home, 'data'),
      port,
      maxMemoryMb: 128,
      log: { maxBytes: 1_000_000, keep: 2 },
      tomcat: { app, context: '/', java: javaHome(), home: tomcatHome, encoding: 'UTF-8', minMemoryMb: 32, ...tomcat },
    }
  }
  return {
    runtime: make(),
    another: make,
    specOf,
    async spec(label, port, environment) {
      const spec = await specOf(label, port)
      return { ...spec, environment: { ...spec.environment, ...environment } }
    },
    async close() {
      await endProcessesOf(folder)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
