import { constants, existsSync } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { constants as zlib, inflateRawSync } from 'node:zlib'
import { ManagerError } from '../../../errors.js'
import type { TomcatSpec } from './tomcat-spec.js'

/** What Tomcat 10.1 needs; a newer one says itself what it does. */
const leastJava = 11
const leastJavaForSockets = 16

/** The first four bytes of a class file; in its seventh and eighth is the version of its format, 61 for Java 17. */
const [classMagic, classOfJava0] = [0xcafebabe, 44]

/**
 * Whether there are a Java and a Tomcat that serve web applications of Jakarta EE.
 *
 * @throws ManagerError ERR_SETTINGS naming the setting and its cure
 */
export async function checkInstallation(installation: Pick<TomcatSpec, 'java' | 'home'>): Promise<void> {
  const [fault] = await faultsOf(installation)
  if (fault) throw fault
}

/** What is wrong with each of the two; none: nothing. */
export async function faultsOf({ java, home }: Pick<TomcatSpec, 'java' | 'home'>): Promise<readonly ManagerError[]> {
  const tomcat = await tomcatFault(home)
  const needed = tomcat ? leastJava : Math.max(leastJava, (await javaOf(join(home, 'bin/bootstrap.jar'))) ?? 0)
  return [await javaFault(java, needed), tomcat].filter((fault) => fault !== undefined)
}

async function javaFault(folder: string, needed: number): Promise<ManagerError | undefined> {
  const help =
    `Install a JDK or JRE ${needed} or newer, and set its folder in version-<version>.sh, e.g. ` +
    `APPS_JDK=/usr/lib/jvm/java-${Math.max(needed, 17)}-openjdk-amd64.`
  const wrong = (what: string) => new ManagerError('ERR_SETTINGS', `APPS_JDK is ${folder}, ${what}.`, { help })
  const program = join(folder, 'bin/java')
  if (!existsSync(program)) return wrong('which is not a JDK or JRE: it has no bin/java')
  if (!(await isExecutable(program))) return wrong('whose bin/java cannot be executed')
  const version = await javaVersion(folder)
  if (version === undefined) return wrong('whose bin/java does not report its version')
  return majorOf(version) < needed ? wrong(`which is Java ${version}; Tomcat needs ${needed} or newer`) : undefined
}

/** Whether programs of this Java take Unix sockets that listen already. */
export async function takesUnixSockets({ java }: Pick<TomcatSpec, 'java'>): Promise<boolean> {
  return majorOf((await javaVersion(java)) ?? '0') >= leastJavaForSockets
}

function majorOf(version: string): number {
  // Before 9 it was 1.8.
  const [first = 0, second = 0] = version.split(/[._]/).map(Number)
  return first === 1 ? second : first
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  )
}

/** `17.0.15`; undefined: unknown. */
async function javaVersion(folder: string): Promise<string | undefined> {
  const release = await readFile(join(folder, 'release'), 'utf8').catch(() => '')
  const written = /^JAVA_VERSION="?(\d[\w.]*)/m.exec(release)?.[1]
  if (written !== undefined) return written
  const { execa } = await import('execa')
  const { stderr, stdout } = await execa(join(folder, 'bin/java'), ['-version'], { reject: false, stdin: 'ignore' })
  return /version "(\d[\w.]*)/.exec(`${stderr}\n${stdout}`)?.[1]
}

async function tomcatFault(folder: string): Promise<ManagerError | undefined> {
  const wrong = (what: string) =>
    new ManagerError('ERR_SETTINGS', `APPS_TOMCAT is ${folder}, ${what}.`, {
      help:
        'Install Tomcat 10.1 or newer (Debian: tomcat10-common), and set its folder in version-<version>.sh: ' +
        'APPS_TOMCAT=/usr/share/tomcat10.',
    })
  const missing = ['bin/catalina.sh', 'bin/bootstrap.jar', 'lib/servlet-api.jar'].find(
    (file) => !existsSync(join(folder, file)),
  )
  if (missing !== undefined) return wrong(`which is not Tomcat: it has no ${missing}`)
  if (!(await isExecutable(join(folder, 'bin/catalina.sh')))) return wrong('whose bin/catalina.sh cannot be executed')
  // Names of a zip's entries are in it as they are.
  const api = await readFile(join(folder, 'lib/servlet-api.jar'))
  return api.includes('jakarta/servlet/Servlet.class')
    ? undefined
    : wrong('which is Tomcat 9 or older: it serves javax.servlet, not jakarta.servlet')
}

/** The oldest Java that runs the first class of a jar; undefined: unknown. */
async function javaOf(jar: string): Promise<number | undefined> {
  const content = await readFile(jar)
  const name = content.indexOf('.class')
  const start = content.lastIndexOf('PK\u0003\u0004', name, 'latin1')
  if (name < 0 || start < 0) return undefined
  const data = content.subarray(start + 30 + content.readUInt16LE(start + 26) + content.readUInt16LE(start + 28))
  try {
    const bytes =
      content.readUInt16LE(start + 8) === 0 ? data : inflateRawSync(data, { finishFlush: zlib.Z_SYNC_FLUSH })
    return bytes.readUInt32BE(0) === classMagic ? bytes.readUInt16BE(6) - classOfJava0 : undefined
  } catch {
    return undefined
  }
}
