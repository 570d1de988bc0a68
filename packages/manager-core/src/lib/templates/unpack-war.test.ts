import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zipSync, type Zippable } from 'fflate'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkTemplate } from './check-template.js'
import { unpackWar } from './unpack-war.js'
import { titleChange, whyNotReplaced } from './upgrade-needed.js'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'steward-war-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const bytes = (text: string) => new TextEncoder().encode(text)
const webXml = (name: string) => bytes(`<web-app><display-name> ${name} </display-name></web-app>`)
const manifest = (version: string) => bytes(`Manifest-Version: 1.0\r\nImplementation-Version: ${version}\r\n`)

/** Stored, not compressed: what is changed in it is changed in a file. */
function writeWar(name: string, content: Zippable): Buffer {
  const war = Buffer.from(zipSync(content, { level: 0 }))
  writeFileSync(join(folder, name), war)
  return war
}

const shop = { 'index.jsp': bytes('Grüße'), 'WEB-INF/web.xml': webXml('shop'), 'META-INF/MANIFEST.MF': manifest('1.2') }

describe('unpackWar()', () => {
  it('puts what is in a WAR in place of what is beside it', async () => {
    writeWar('shop-1.2.war', shop)
    writeFileSync(join(folder, 'package.json'), '{}')
    await unpackWar(folder)
    expect(readdirSync(folder).toSorted()).toEqual(['META-INF', 'WEB-INF', 'index.jsp'])
    expect(readFileSync(join(folder, 'index.jsp'), 'utf8')).toBe('Grüße')
    expect(await checkTemplate(folder)).toEqual({ name: 'shop', title: 'shop', version: '1.2' })
    await unpackWar(folder)
    expect(readdirSync(folder)).toHaveLength(3)
  })

  it('leaves a web application, and one for Node, as they are', async () => {
    mkdirSync(join(folder, 'WEB-INF'))
    writeFileSync(join(folder, 'inner.war'), 'no archive')
    await unpackWar(folder)
    rmSync(join(folder, 'WEB-INF'), { recursive: true })
    writeFileSync(join(folder, 'app.yaml'), '')
    await unpackWar(folder)
    expect(readdirSync(folder)).toEqual(['app.yaml', 'inner.war'])
  })

  it.each<[string, (war: Buffer) => Buffer, RegExp]>([
    ['is cut off', (war) => war.subarray(0, war.length - 30), /shop\.war cannot be unpacked: /],
    ['is empty', () => Buffer.alloc(0), /shop\.war cannot be unpacked: /],
    [
      'has a changed bit',
      (war) => {
        const changed = Buffer.from(war)
        changed[changed.indexOf('Gr')] = 'g'.charCodeAt(0)
        return changed
      },
      /index\.jsp is damaged/,
    ],
    [
      'leads out of the folder',
      (war) => Buffer.from(war.toString('latin1').replaceAll('index.jsp', '../.x.jsp'), 'latin1'),
      /invalid relative path/,
    ],
  ])('refuses one that %s', async (_what, spoil, message) => {
    const war = writeWar('shop.war', shop)
    writeFileSync(join(folder, 'shop.war'), spoil(war))
    const refused = await unpackWar(folder).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'ERR_TEMPLATE', message: expect.stringMatching(message) as string })
  })

  it('refuses several, and one without a web application in it', async () => {
    writeWar('a.war', shop)
    writeWar('b.war', shop)
    await expect(unpackWar(folder)).rejects.toThrow('It has 2 web applications: a.war, b.war.')
    rmSync(join(folder, 'b.war'))
    writeWar('a.war', { 'readme.txt': bytes('nothing') })
    await unpackWar(folder)
    await expect(checkTemplate(folder)).rejects.toMatchObject({ code: 'ERR_TEMPLATE' })
  })
})

describe('whyNotReplaced() of Java web applications', () => {
  function application(name: string, files: Readonly<Record<string, Uint8Array>>): string {
    const path = join(folder, name)
    mkdirSync(join(path, 'WEB-INF'), { recursive: true })
    mkdirSync(join(path, 'META-INF'))
    for (const [file, content] of Object.entries(files)) writeFileSync(join(path, file), content)
    return path
  }

  it('refuses another one, an older one, and one of another kind', async () => {
    const old = application('old', { 'WEB-INF/web.xml': webXml('shop'), 'META-INF/MANIFEST.MF': manifest('1.0.0') })
    const next = application('new', { 'WEB-INF/web.xml': webXml('shop'), 'META-INF/MANIFEST.MF': manifest('1.1.0') })
    const other = application('other', { 'WEB-INF/web.xml': webXml('office') })
    const silent = application('silent', {})
    const node = join(folder, 'node')
    mkdirSync(node)
    writeFileSync(join(node, 'app.yaml'), 'name: shop\nversion: 2.0.0\n')
    expect(await whyNotReplaced(old, next)).toBeUndefined()
    expect(await whyNotReplaced(next, old)).toContain('the older')
    expect(await whyNotReplaced(old, other)).toContain('the template is "office"')
    expect(await whyNotReplaced(old, silent)).toBeUndefined()
    expect(await whyNotReplaced(old, node)).toBe(
      'it runs a Java web application, but the template is a Node application',
    )
    expect(await titleChange(old, next)).toBe('"shop" 1.0.0 → 1.1.0')
    expect(await titleChange(old, silent)).toBeUndefined()
  })
})
