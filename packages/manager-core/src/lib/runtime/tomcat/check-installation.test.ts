import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { checkInstallation, faultsOf } from './check-installation.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-java-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A folder of a Java that says this version. */
function java(version: string, mode = 0o755): string {
  const home = join(folder, `java-${version}`)
  mkdirSync(join(home, 'bin'), { recursive: true })
  writeFileSync(join(home, 'bin/java'), '#!/bin/sh\n')
  chmodSync(join(home, 'bin/java'), mode)
  writeFileSync(join(home, 'release'), `JAVA_VERSION="${version}"\n`)
  return home
}

/** A folder of a Tomcat whose classes have this version of their format. */
function tomcat(classVersion: number, { packed = true } = {}): string {
  const home = join(folder, 'tomcat')
  for (const each of ['bin', 'lib']) mkdirSync(join(home, each), { recursive: true })
  writeFileSync(join(home, 'bin/catalina.sh'), '')
  chmodSync(join(home, 'bin/catalina.sh'), 0o755)
  writeFileSync(join(home, 'lib/servlet-api.jar'), 'jakarta/servlet/Servlet.class')
  const bytes = Buffer.alloc(64)
  bytes.writeUInt32BE(0xcafebabe)
  bytes.writeUInt16BE(classVersion, 6)
  writeFileSync(join(home, 'bin/bootstrap.jar'), zip('org/apache/Bootstrap.class', bytes, packed))
  return home
}

/** Local header of a folder, then that of a file with its content, then what follows in a jar. */
function zip(name: string, content: Buffer, packed: boolean): Buffer {
  const header = (of: string, method: number) => {
    const bytes = Buffer.alloc(30)
    bytes.write('PK\u0003\u0004', 'latin1')
    bytes.writeUInt16LE(method, 8)
    bytes.writeUInt16LE(of.length, 26)
    bytes.writeUInt16LE(4, 28)
    return Buffer.concat([bytes, Buffer.from(of), Buffer.alloc(4)])
  }
  const data = packed ? deflateRawSync(content) : content
  return Buffer.concat([header('META-INF/', 0), header(name, packed ? 8 : 0), data, Buffer.from('PK\u0001\u0002')])
}

it.each([
  ['1.8.0_392', 55, /which is Java 1\.8\.0_392; Tomcat needs 11 or newer/],
  ['17.0.15', 65, /which is Java 17\.0\.15; Tomcat needs 21 or newer/],
])('Java %s is too old for classes of format %i', async (version, format, message) => {
  await expect(checkInstallation({ java: java(version), home: tomcat(format) })).rejects.toThrow(message)
})

it.each([true, false])('what is new enough is taken (packed: %s)', async (packed) => {
  await expect(faultsOf({ java: java('21'), home: tomcat(65, { packed }) })).resolves.toEqual([])
})

it('a jar that does not say what it needs refuses nothing', async () => {
  const home = tomcat(65)
  for (const content of ['', 'no zip', 'a.class', 'PK\u0003\u0004'.padEnd(60) + '.class']) {
    writeFileSync(join(home, 'bin/bootstrap.jar'), content)
    await expect(faultsOf({ java: java('11'), home })).resolves.toEqual([])
  }
})

it('reports a Tomcat whose start script cannot be executed', async () => {
  const home = tomcat(55)
  chmodSync(join(home, 'bin/catalina.sh'), 0o644)
  const faults = await faultsOf({ java: java('17'), home })
  expect(faults.map(({ message }) => message)).toEqual([
    `APPS_TOMCAT is ${home}, whose bin/catalina.sh cannot be executed.`,
  ])
})

it('reports what is wrong with both', async () => {
  const faults = await faultsOf({ java: java('17', 0o644), home: folder })
  expect(faults.map(({ message }) => message)).toEqual([
    expect.stringContaining('whose bin/java cannot be executed'),
    expect.stringContaining('which is not Tomcat: it has no bin/catalina.sh'),
  ])
})
