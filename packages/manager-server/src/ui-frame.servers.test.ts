import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessibilityProblems, keepScreenshot, needsBrowser, scrollsSideways } from '../../../tests/browser.js'
import { sqlite } from '../../manager-core/src/lib/store/sqlite.js'
import { startPages, type TestPages } from './ui-for-test.js'

needsBrowser((browser) => {
  let pages: TestPages

  beforeAll(async () => {
    pages = await startPages({
      config: [
        'export APPS_MONITORINTERVAL=0',
        'export APPS_ALLOWREGISTER=yes',
        'export APPS_REALMNAME="Plant 7"',
        'export APPS_BASEURL=http://localhost:8000/manager',
      ],
    })
    await pages.manager.perform('add', { name: 'alpha', 'no-start': true })
    await pages.manager.perform('protect', { name: 'alpha' }, { surface: 'api', address: '192.0.2.7', actor: 'eve' })
    await pages.manager.perform('delete', { name: 'alpha' }).catch(() => undefined)
    const insert = pages.manager.context.registry[sqlite].prepare(
      `insert into request (name, version, email, firstname, lastname, company, status, created, note)
       values (?, '1.0', ?, 'Ada', 'Example', 'Example Ltd', ?, '2026-11-20T10:00:00.000Z', ?)`,
    )
    insert.run('wanted', 'ada@example.com', 'confirmed', '')
    insert.run('refused', 'bob@example.com', 'rejected', 'Not this year')
  })
  afterAll(() => pages?.close())

  it('has a skip link, says where one is, and moves the focus to another view', async () => {
    const { page, problems, close } = await pages.open(browser())
    await page.getByRole('link', { name: 'alpha', exact: true }).waitFor()
    await page.keyboard.press('Tab')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main')
    const navigation = page.getByRole('navigation', { name: 'Main' })
    await expect.poll(() => navigation.locator('[aria-current=page]').textContent()).toBe('Instances')
    await navigation.getByRole('link', { name: 'Activity' }).press('Enter')
    await page.getByRole('heading', { name: 'Activity' }).waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main')
    await expect.poll(() => page.title()).toBe('Activity · Plant 7 · Steward')
    await expect.poll(() => page.locator('.brand').innerText()).toMatch(/^Steward\s+Plant 7$/)
    await expect.poll(() => navigation.locator('[aria-current=page]').textContent()).toBe('Activity')
    await expect.poll(() => new URL(page.url()).pathname).toBe('/manager/ui/activity')
    await page.goBack()
    await page.getByRole('link', { name: 'alpha', exact: true }).waitFor()
    // There is no terminal here, so that none is offered.
    await expect
      .poll(() => navigation.getByRole('link').allTextContents())
      .toEqual(['Instances', 'Monitor', 'Activity', 'Requests', 'Manager'])
    expect(problems).toEqual([])
    await close()
  })

  it('is set in the font that it brings, which is loaded with the page', async () => {
    const { page, problems, close } = await pages.open(browser())
    await page.getByRole('link', { name: 'alpha', exact: true }).waitFor()
    await expect.poll(() => page.evaluate(`document.fonts.check('500 14px Geist')`)).toBe(true)
    const fonts = `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.woff2')).length`
    await expect.poll(() => page.evaluate(fonts)).toBe(1)
    await expect.poll(() => page.evaluate('getComputedStyle(document.body).fontSize')).toBe('14px')
    for (const rel of ['icon', 'apple-touch-icon', 'manifest']) {
      const address = await page
        .locator(`link[rel=${rel}]`)
        .evaluate((link) => (link as unknown as { href: string }).href)
      expect((await page.request.get(address)).status(), rel).toBe(200)
    }
    expect(problems).toEqual([])
    await close()
  })

  it('does everything from the palette and by keys', async () => {
    const { page, problems, close } = await pages.open(browser())
    const { keyboard } = page
    await page.getByRole('link', { name: 'alpha', exact: true }).waitFor()
    const palette = page.getByRole('dialog', { name: 'Search and commands' })
    const selected = () => palette.getByRole('option', { selected: true })
    const search = async (words: string) => {
      await keyboard.press('Control+k')
      await palette.getByRole('option', { name: /^alpha/ }).waitFor()
      await keyboard.type(words)
    }
    // An instance by its name, and then an action on the one that is shown; Shift and Enter show its form.
    await search('alph')
    await expect.poll(() => selected().textContent()).toContain('alpha')
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'alpha', exact: true }).waitFor()
    await search('start')
    await expect.poll(() => selected().textContent()).toBe('Start alphastart')
    await keepScreenshot(page, 'palette')
    expect(await accessibilityProblems(page)).toEqual([])
    await keyboard.press('Shift+Enter')
    const form = page.getByRole('dialog', { name: 'Start · alpha' })
    await form.getByRole('button', { name: 'Start', exact: true }).waitFor()
    expect(pages.manager.instance('alpha').desired).toBe('stopped')
    await keyboard.press('Escape')
    await expect.poll(() => form.count()).toBe(0)
    // Enter runs it, from any view, and it is offered first the next time.
    await keyboard.press('g')
    await keyboard.press('m')
    await page.getByRole('heading', { name: 'Monitor' }).waitFor()
    await search('unprot alp')
    await expect.poll(() => selected().textContent()).toContain('alpha')
    await keyboard.press('Enter')
    await expect.poll(() => pages.manager.instance('alpha').protected).toBe(false)
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    await keyboard.press('g')
    await keyboard.press('i')
    await page.getByRole('link', { name: 'alpha', exact: true }).waitFor()
    await keyboard.press('Control+k')
    await expect.poll(() => palette.getByRole('option').nth(0).textContent()).toMatch(/alpha/)
    await keyboard.press('Escape')
    // Rows, the search, a new instance, and the list of keys.
    await expect.poll(() => palette.count()).toBe(0)
    await keyboard.press('j')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('alpha')
    await keyboard.press('x')
    await page.getByText('1 selected').waitFor()
    await keyboard.press('/')
    await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('search')
    await keyboard.press('Escape')
    await page.locator('#main').focus()
    await keyboard.press('c')
    await page.getByRole('dialog', { name: 'New instance' }).waitFor()
    await keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Show the monitor').waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it('speaks the language of the browser, or the one that is chosen', async () => {
    const { page, close } = await pages.open(browser(), '', { locale: 'fr-CH' })
    await page.getByText('1 instance', { exact: true }).waitFor()
    await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('fr')
    await page.getByRole('button', { name: 'Nouvelle instance' }).click()
    await page.getByText('SQLite (par défaut)').waitFor()
    await keepScreenshot(page, 'french')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Compte' }).click()
    await page.getByRole('combobox', { name: 'Langue' }).selectOption('Deutsch')
    await page.getByRole('button', { name: 'Neue Instanz' }).waitFor()
    await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('de')
    await page.getByRole('button', { name: 'Konto' }).click()
    await page.getByRole('combobox', { name: 'Sprache' }).selectOption('English')
    await page.getByRole('button', { name: 'New instance' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'New instance' }).waitFor()
    await close()
  })

  it('is light or dark as the system, or as it is chosen', async () => {
    const { page, close } = await pages.open(browser(), '', { colorScheme: 'dark', width: 360 })
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    await page.getByRole('button', { name: 'New instance' }).waitFor()
    await expect.poll(ground).toBe('rgb(14, 17, 21)')
    await page.getByRole('button', { name: 'Account' }).click()
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
    await page.getByText(`Steward ${version}`, { exact: true }).waitFor()
    await keepScreenshot(page, 'preferences')
    await page.getByRole('combobox', { name: 'Theme' }).selectOption('Light')
    await expect.poll(ground).toBe('rgb(245, 246, 248)')
    await page.reload()
    await page.getByRole('button', { name: 'New instance' }).waitFor()
    await expect.poll(ground).toBe('rgb(245, 246, 248)')
    await page.getByRole('button', { name: 'Menu' }).click()
    await keepScreenshot(page, 'menu')
    await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Requests' }).click()
    await page.getByRole('heading', { name: 'Requests' }).waitFor()
    await expect.poll(() => page.getByRole('navigation', { name: 'Menu' }).isVisible()).toBe(false)
    await close()
  })

  it('says when the connection is gone, keeps what it shows, and catches up when it is back', async () => {
    const { page, close } = await pages.open(browser())
    await page.getByRole('link', { name: 'alpha', exact: true }).waitFor()
    await page.context().setOffline(true)
    await page.getByText('Connection lost.').waitFor()
    await keepScreenshot(page, 'offline')
    await expect.poll(() => page.getByRole('link', { name: 'alpha', exact: true }).isVisible()).toBe(true)
    await pages.manager.perform('rename', { name: 'alpha', new: 'omega' })
    await page.context().setOffline(false)
    await page.getByRole('link', { name: 'omega', exact: true }).waitFor()
    await expect.poll(() => page.getByText('Connection lost.').count()).toBe(0)

    // The server is started again.
    await pages.manager.perform('rename', { name: 'omega', new: 'alpha' })
    await pages.restart()
    // As when one comes back to its tab.
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    await page.getByRole('link', { name: 'alpha', exact: true }).waitFor()
    await close()
  })

  it('loads a view when the connection is back that could not be loaded without one', async () => {
    const { page, close } = await pages.open(browser(), '', { saveData: true })
    const to = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()
    const heading = (name: string) => page.getByRole('heading', { name, exact: true })
    await page.getByRole('link', { name: 'alpha', exact: true }).waitFor()
    await page.context().setOffline(true)
    await to('Monitor')
    await page.getByText('There is no connection. The page is shown when it is back.').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Reload' }).count()).toBe(0)
    expect(await accessibilityProblems(page)).toEqual([])
    await keepScreenshot(page, 'view-offline')
    await page.getByRole('button', { name: 'Try again' }).click()
    await heading('This page could not be shown.').waitFor()
    await page.context().setOffline(false)
    await heading('Monitor').waitFor()
    const hasStyles = `[...document.styleSheets].some(({ href }) => href?.includes('/assets/monitor-'))`
    await expect.poll(() => page.evaluate(hasStyles)).toBe(true)

    // The server alone is away. Without timers the page does not ask again by itself, which could be before the click.
    await page.evaluate('globalThis.setTimeout = () => 0')
    await page.route(/assets\/activity-/, (route) => route.abort())
    await to('Activity')
    await heading('This page could not be shown.').waitFor()
    await page.unroute(/assets\/activity-/)
    await page.getByRole('button', { name: 'Try again' }).click()
    await heading('Activity').waitFor()
    await close()
  })

  it('loads views before they are needed, and the palette, unless the user saves data', async () => {
    const { page, close } = await pages.open(browser())
    const files = `performance.getEntriesByType('resource').map(({ name }) => name).join()`
    for (const view of ['instance', 'monitor', 'activity', 'operation', 'manager', 'manager-palette', 'trash'])
      await expect.poll(() => page.evaluate(files)).toMatch(new RegExp(`/assets/${view}-[^/]*\\.js`))
    expect(await page.evaluate(files)).not.toContain('/assets/terminal-')
    await page.context().setOffline(true)
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Monitor' }).click()
    await page.getByRole('heading', { name: 'Monitor', exact: true }).waitFor()
    await close()
  })

  it('says so when a page is not there, or its files are not there any more', async () => {
    const { page, close } = await pages.open(browser(), 'nowhere/at/all')
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.goto(`${pages.url}/instances/%E0%A4%A`)
    await page.getByRole('heading', { name: /no such page|could not be shown/ }).waitFor()
    await page.route(/assets\/activity-.*\.js/, (route) => route.fulfill({ status: 404, body: '' }))
    // Each page soon loads the files of the others; this one is opened when they are gone.
    await page.goto(`${pages.url}/monitor`)
    await page.getByRole('heading', { name: 'Monitor', exact: true }).waitFor()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Activity' }).click()
    await page.getByRole('heading', { name: 'This page could not be shown.' }).waitFor()
    await page.unroute(/assets\/activity-.*\.js/)
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.getByRole('heading', { name: 'Activity' }).waitFor()
    await close()
  })

  it('shows what was done by day: who, from where, how it ended, its steps and output; old addresses lead there', async () => {
    const { page, problems, close } = await pages.open(browser(), 'history?from=')
    await page.getByRole('heading', { name: 'Today' }).waitFor()
    await expect.poll(() => page.url()).toBe(`${pages.url}/activity?from=`)
    const items = page.locator('.feed summary')
    await expect
      .poll(async () => (await items.allTextContents()).slice(-2))
      .toEqual([
        expect.stringMatching(/M.*eve protected alpha$/) as string,
        expect.stringMatching(/M.*tester created alpha$/) as string,
      ])
    await page.getByLabel('Who', { exact: true }).selectOption('eve')
    await expect.poll(() => items.count()).toBe(1)
    await expect.poll(() => new URL(page.url()).search).toBe('?who=eve')
    await items.click()
    await page.getByText('API or pages · 192.0.2.7', { exact: false }).waitFor()
    await page.getByLabel('Who', { exact: true }).selectOption('')
    await page.getByLabel('From where', { exact: true }).selectOption('Command line')
    await page.getByRole('searchbox').fill('add')
    await expect.poll(() => items.count()).toBe(1)
    await items.press('Enter')
    await page.locator('.step[data-state=done]').first().waitFor()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Verify history' }).click()
    await page.getByText(/^History is intact: \d+ entries$/).waitFor()
    await keepScreenshot(page, 'activity')
    expect(await accessibilityProblems(page)).toEqual([])
    await page.getByRole('link', { name: 'Show operation' }).click()
    await page.getByRole('heading', { name: /^Add instance "alpha"/ }).waitFor()
    const address = page.url()
    await page.goto(address.replace('/activity/', '/operations/'))
    await page.getByRole('heading', { name: /^Add instance "alpha"/ }).waitFor()
    expect(page.url()).toBe(address)
    expect(problems).toEqual([])
    await close()
  })

  it.each([
    ['activity', 'eve', 'light'],
    ['requests', 'Not this year', 'dark'],
  ] as const)('%s has no accessibility problem at any width', async (view, text, colorScheme) => {
    const { page, close } = await pages.open(browser(), view, { colorScheme })
    await page.getByText(text).and(page.locator(':not(option)')).first().waitFor()
    for (const width of [360, 768, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      await keepScreenshot(page, `${view}-${width}`)
      expect(await accessibilityProblems(page)).toEqual([])
      expect(await scrollsSideways(page)).toBe(false)
    }
    await close()
  })

  it('approves what a person asked for', async () => {
    const { page, problems, close } = await pages.open(browser(), 'requests')
    await page.getByText('1 pending').waitFor()
    await page.getByText('Not this year').waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    const dialog = page.getByRole('dialog', { name: 'Approve the request for wanted' })
    await keepScreenshot(page, 'approve')
    await dialog.getByRole('button', { name: 'Approve' }).click()
    await dialog.getByText('is ready for ada@example.com').first().waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('link', { name: 'wanted' }).waitFor()
    expect(pages.manager.instance('wanted').ownerEmail).toBe('ada@example.com')
    expect(problems).toEqual([])
    await close()
  })
})
