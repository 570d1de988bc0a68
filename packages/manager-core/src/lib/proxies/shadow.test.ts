import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeShadow } from './shadow.js'

let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'steward-shadow-')))
})
afterEach(() => rmSync(folder, { recursive: true }))

const at = (...parts: string[]) => join(folder, ...parts)

function put(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), text)
}

function shadow() {
  const own = at('proxy')
  const options = { mainFile: at('etc/nginx.conf'), live: at('proxy/live'), staged: at('proxy/generations/g1'), own }
  return makeShadow({ ...options, folder: at('proxy/generations/check') })
}

it('makeShadow() puts another generation in the place of the live one, in whatever file includes it', () => {
  put('etc/nginx.conf', `include ${at('etc')}/conf.d/*.conf;\ninclude sites-enabled/*;\n`)
  put('etc/conf.d/steward.conf', `include "${at('proxy')}/live/*.conf";\n`)
  put('etc/sites-available/other', `include ${at('etc')}/snippets/x.conf; root ${at('etc')}-other/live;\n`)
  put('etc/snippets/x.conf', 'add_header X y;\n')
  put('etc/ssl/key.pem', '-----BEGIN PRIVATE KEY-----\n')
  mkdirSync(at('etc/sites-enabled'))
  symlinkSync(at('etc/sites-available/other'), at('etc/sites-enabled/other'))
  symlinkSync('/nowhere', at('etc/sites-enabled/broken'))
  const { mainFile, isIncluded, real } = shadow()
  const check = at('proxy/generations/check')
  const read = (path: string) => readFileSync(join(check, path), 'utf8')
  expect(mainFile).toBe(join(check, 'nginx.conf'))
  expect(isIncluded).toBe(true)
  expect(read('nginx.conf')).toBe(`include ${check}/conf.d/*.conf;\ninclude sites-enabled/*;\n`)
  expect(read('conf.d/steward.conf')).toBe(`include "${at('proxy/generations/g1')}/*.conf";\n`)
  expect(read('sites-enabled/other')).toBe(`include ${check}/snippets/x.conf; root ${at('etc')}-other/live;\n`)
  // Secrets are not copied, and what needs no change is not either.
  expect(lstatSync(join(check, 'ssl/key.pem')).isSymbolicLink()).toBe(true)
  expect(lstatSync(join(check, 'snippets/x.conf')).isSymbolicLink()).toBe(true)
  expect(real(join(check, 'conf.d/steward.conf'))).toBe(at('etc/conf.d/steward.conf'))
  expect(real('/elsewhere')).toBe('/elsewhere')
})

it('makeShadow() reports that nothing includes the live one, and leaves out its own folder', () => {
  put('etc/nginx.conf', 'events {}\n')
  mkdirSync(at('proxy'))
  expect(shadow().isIncluded).toBe(false)
})

it('makeShadow() does not read the home of the manager, whose locks end when one of their files is closed', () => {
  put('etc/nginx.conf', `include "${at('proxy')}/live/*.conf";\n`)
  put('etc/home/manager.db', '')
  put('etc/home/locks/proxy', `${at('etc')}/locked\n`)
  shadow()
  expect(lstatSync(at('proxy/generations/check/home')).isSymbolicLink()).toBe(true)
})
