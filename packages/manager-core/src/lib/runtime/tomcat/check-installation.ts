import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ManagerError } from '../../../errors.js'
import type { TomcatSpec } from './tomcat-spec.js'

/** What Tomcat 10.1 needs. */
const leastJava = 11

/**
 * Whether there are a Java and a Tomcat that serve web applications of Jakarta EE.
 *
 * @throws ManagerError ERR_SETTINGS naming the setting and its cure
 */
export async function checkInstallation({ java, home }: Pick<TomcatSpec, 'java' | 'home'>): Promise<void> {
  await checkJava(java)
  await checkTomcat(home)
}

async function checkJava(folder: string): Promise<void> {
  const help = `Install a JDK or JRE ${leastJava} or newer and write its folder into version-<version>.sh, for example APPS_JDK=/usr/lib/jvm/java-17-openjdk-amd64.`
  const program = join(folder, 'bin/java')
  if (!existsSync(program))
    throw new ManagerError('ERR_SETTINGS', `APPS_JDK is ${folder}, which is not a JDK or JRE: it has no bin/java.`, {
      help,
    })
  const version = await javaVersion(folder, program)
  if (version === undefined)
    throw new ManagerError('ERR_SETTINGS', `APPS_JDK is ${folder}, whose bin/java does not tell its version.`, { help })
  // Before 9 it was 1.8.
  const [first = 0, second = 0] = version.split(/[._]/).map(Number)
  const major = first === 1 ? second : first
  if (major < leastJava)
    throw new ManagerError('ERR_SETTINGS', `APPS_JDK is ${folder}, which is Java ${version}; Tomcat 10.1 needs 11.`, {
      help,
    })
}

/** `17.0.15`; undefined: nobody can tell. */
async function javaVersion(folder: string, program: string): Promise<string | undefined> {
  const release = await readFile(join(folder, 'release'), 'utf8').catch(() => '')
  const written = /^JAVA_VERSION="?(\d[\w.]*)/m.exec(release)?.[1]
  if (written !== undefined) return written
  const { execa } = await import('execa')
  const { stderr, stdout } = await execa(program, ['-version'], { reject: false, stdin: 'ignore' })
  return /version "(\d[\w.]*)/.exec(`${stderr}\n${stdout}`)?.[1]
}

async function checkTomcat(folder: string): Promise<void> {
  const help =
    'Install Tomcat 10.1 or newer (Debian: tomcat10-common) and write its folder into version-<version>.sh: APPS_TOMCAT=/usr/share/tomcat10.'
  const missing = ['bin/catalina.sh', 'bin/bootstrap.jar', 'lib/servlet-api.jar'].find(
    (file) => !existsSync(join(folder, file)),
  )
  if (missing !== undefined)
    throw new ManagerError('ERR_SETTINGS', `APPS_TOMCAT is ${folder}, which is not Tomcat: it has no ${missing}.`, {
      help,
    })
  // Names of a zip's entries are in it as they are.
  const api = await readFile(join(folder, 'lib/servlet-api.jar'))
  if (!api.includes('jakarta/servlet/Servlet.class'))
    throw new ManagerError(
      'ERR_SETTINGS',
      `APPS_TOMCAT is ${folder}, which is Tomcat 9 or older: it serves javax.servlet, not jakarta.servlet.`,
      { help },
    )
}
