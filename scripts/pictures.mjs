// Takes the screenshots of the README: from `npm start` to a record changed in the pages. TEST_CHROMIUM names a browser other
// than the installed one.
import { spawn } from 'node:child_process'
import { mkdtemp, mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { main } from '@steward/manager-cli'
import { chromium } from 'playwright-core'
import { findChromium } from '../tests/servers/programs.ts'

const folder = fileURLToPath(new URL('../docs/pictures/', import.meta.url))
const home = await mkdtemp(join(tmpdir(), 'steward-pictures-'))
const start = spawn(process.execPath, [fileURLToPath(new URL('./start.mjs', import.meta.url)), home], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const browser = await chromium.launch({ executablePath: process.env['TEST_CHROMIUM'] || findChromium() })
try {
  const text = await welcome()
  const [, url = '', login = '', password = ''] =
    /REST service +(\S+)\/api\/rest[^]*?Administrator +(\S+), with the password (\S+)/.exec(text) ?? []
  const page = await browser.newPage({ viewport: { width: 1080, height: 600 }, colorScheme: 'light' })
  await mkdir(folder, { recursive: true })
  const keep = (/** @type {string} */ name) => page.screenshot({ path: join(folder, `${name}.png`) })

  await page.setContent(terminal(`$ npm start\n${text.replaceAll(/(password |:)[a-z0-9]{24}/g, '$1········')}`))
  await keep('start')
  await page.goto(`${url}/`)
  await page.getByLabel('User name').fill(login)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  const tasks = page.getByRole('main').getByRole('link', { name: /^Tasks \d/ })
  await tasks.waitFor()
  await keep('home')
  await tasks.click()
  await page.getByRole('row').nth(1).waitFor()
  await keep('list')
  await page.getByRole('row').nth(1).getByRole('link').first().click()
  await page.getByLabel('Title').fill('Send the offer today')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { name: /Send the offer today/ }).waitFor()
  await keep('task')
} finally {
  await browser.close()
  start.kill('SIGTERM')
  await main(['delete', 'demo', '--yes', '--home', home])
  await rm(home, { recursive: true, force: true })
}

/** What `npm start` prints when the instance runs. */
async function welcome() {
  let text = ''
  for await (const chunk of start.stdout) {
    text += String(chunk)
    if (text.includes('--help')) return text.trim()
  }
  throw new Error(`npm start ended: ${text}`)
}

/** @param {string} text */
function terminal(text) {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<body style="margin:0;background:#0e1115"><pre style="margin:0;padding:28px;color:#e8ecf2;font:15px/1.5 monospace">${escaped}</pre></body>`
}
