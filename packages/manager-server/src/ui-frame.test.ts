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
    await navigation.getByRole('link', { name: 'History' }).press('Enter')
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main')
    await expect.poll(() => page.title()).toBe('History · Instances manager')
    await expect.poll(() => navigation.locator('[aria-current=page]').textContent()).toBe('History')
    await expect.poll(() => new URL(page.url()).pathname).toBe('/manager/ui/history')
    await page.goBack()
    await page.getByRole('link', { name: 'alpha', exact: true }).waitFor()
    // There is no terminal here, so that none is offered.
    await expect
      .poll(() => navigation.getByRole('link').allTextContents())
      .toEqual(['Instances', 'Monitor', 'Operations', 'History', 'Requests'])
    expect(problems).toEqual([])
    await close()
  })

  it('speaks the language of the browser, or the one that is chosen', async () => {
    const { page, close } = await pages.open(browser(), '', { locale: 'fr-CH' })
    await page.getByText('1 instance', { exact: true }).waitFor()
    await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('fr')
    await page.getByRole('button', { name: 'Nouvelle instance' }).click()
    await page.getByText('Si elle est protégée de la réinitialisation et de la suppression').waitFor()
    await keepScreenshot(page, 'french')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Langue et thème' }).click()
    await page.getByRole('combobox', { name: 'Langue' }).selectOption('Deutsch')
    await page.getByRole('button', { name: 'Neue Instanz' }).waitFor()
    await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('de')
    await page.getByRole('button', { name: 'Sprache und Design' }).click()
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
    await page.getByRole('button', { name: 'Language and theme' }).click()
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

  it('says so when a page is not there, or its files are not there any more', async () => {
    const { page, close } = await pages.open(browser(), 'nowhere/at/all')
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.goto(`${pages.url}/instances/%E0%A4%A`)
    await page.getByRole('heading', { name: /no such page|could not be shown/ }).waitFor()
    await page.route(/assets\/history-.*\.js/, (route) => route.fulfill({ status: 404, body: '' }))
    // The page before may have the same heading.
    const refused = page.waitForResponse(/assets\/history-.*\.js/)
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'History' }).click()
    await refused
    await page.getByRole('heading', { name: 'This page could not be shown.' }).waitFor()
    await page.unroute(/assets\/history-.*\.js/)
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await close()
  })

  it('shows the history: who, from where, what, and how it ended', async () => {
    const { page, problems, close } = await pages.open(browser(), 'history')
    const row = page.getByRole('row').filter({ hasText: 'eve' })
    await row.waitFor()
    await expect.poll(() => row.textContent()).toContain('192.0.2.7')
    await page.getByRole('searchbox').fill('eve')
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await expect.poll(() => new URL(page.url()).search).toBe('?q=eve')
    await row.locator('summary').click()
    await page.getByRole('searchbox').fill('')
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('History is intact').waitFor()
    await keepScreenshot(page, 'history')
    expect(problems).toEqual([])
    await close()
  })

  it.each([
    ['history', 'eve', 'light'],
    ['requests', 'Not this year', 'dark'],
  ] as const)('%s has no accessibility problem at any width', async (view, text, colorScheme) => {
    const { page, close } = await pages.open(browser(), view, { colorScheme })
    await page.getByText(text).first().waitFor()
    for (const width of [360, 768, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      await keepScreenshot(page, `${view}-${width}`)
      expect(await accessibilityProblems(page)).toEqual([])
      expect(await scrollsSideways(page)).toBe(false)
    }
    await close()
  })

  it('approves what somebody asked for', async () => {
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
