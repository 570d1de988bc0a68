import { appendFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessibilityProblems, keepScreenshot, needsBrowser, scrollsSideways } from '../../../tests/browser.js'
import { writeEntry, type NewEntry } from '../../manager-core/src/lib/history/write-entry.js'
import { sqlite } from '../../manager-core/src/lib/store/sqlite.js'
import { createSampleStore } from '../../manager-core/src/lib/store/sample-store.js'
import { startPages, type TestPages } from './ui-for-test.js'

needsBrowser((browser) => {
  let pages: TestPages

  beforeAll(async () => {
    pages = await startPages({
      config: [
        'export APPS_MONITORINTERVAL=0',
        'export APPS_TARGETS=disk,vault',
        'export APPS_TARGET_DISK_TYPE=local',
        'export APPS_TARGET_DISK_PATH="$APPS_HOME/disk"',
        'export APPS_TARGET_VAULT_TYPE=vault',
      ],
    })
    // One that is saved every night, and has stopped after it was measured.
    pages.pretend(['archive'])
    const { context, instance } = pages.manager
    const measured = { ok: true, reason: '', memoryMb: 80, cpuPercent: 5, diskMb: 0 }
    const at = Date.now() - 5 * 60_000
    createSampleStore(context.registry).add([{ ...measured, instanceId: instance('archive').id, at, responseMs: 84 }])
    const write = (entry: Pick<NewEntry, 'action' | 'result' | 'message'> & Partial<NewEntry>) =>
      context.registry.transaction((writer) =>
        writeEntry(writer, pages.manager.caller, {
          ...{ at: new Date().toISOString(), instance: instance('archive'), duration: 5 },
          ...entry,
        }),
      )
    write({ action: 'setstatus', result: 'ok', message: '' })
    write({ action: 'upgrade', result: 'rolled-back', message: 'It did not answer.\nIts log says more.' })
    // A backup that is good, and whose hook failed.
    context.registry[sqlite].exec(
      `insert into operation (id, kind, instance_id, instance, title, actor, surface, address, request, facts, locks, state, message, warnings, owner, started, ended)
       select 'op1', 'save', id, name, 'Back up', 'ann', 'cli', '', '{}', '{}', '[]', 'succeeded', '', '["hooks/post-save.sh failed."]', '{"pid":1,"start":"1","boot":"x"}', created, created
       from instance where name = 'archive'`,
    )
    write({ action: 'save', result: 'ok', message: 'hooks/post-save.sh failed.', operation: 'op1' })
  })
  afterAll(() => pages?.close())

  it.each([1280, 390])('the head of every page leads to what the manager cannot do, at %d pixels', async (width) => {
    const { page, problems, close } = await pages.open(browser(), 'activity', { width })
    const mark = page.getByRole('banner').getByRole('button', { name: '2 problems of the manager' })
    await mark.click()
    const found = page.getByRole('banner').getByRole('listitem')
    await expect
      .poll(() => found.allInnerTexts())
      .toEqual([expect.stringMatching(/^saveall is not scheduled/), expect.stringMatching(/^Target "vault": /)])
    await keepScreenshot(page, `problems-mark-${width}`)
    expect(await accessibilityProblems(page)).toEqual([])
    expect(await scrollsSideways(page)).toBe(false)
    await page.getByRole('link', { name: 'Show the manager' }).click()
    await page.locator('.notice').filter({ hasText: 'The manager cannot do all of its work' }).waitFor()
    await page.goto(`${pages.url}/`)
    await page.locator('.notice').filter({ hasText: 'Target "vault": ' }).waitFor()
    await page.getByRole('link', { name: 'archive' }).first().waitFor()
    await keepScreenshot(page, `problems-instances-${width}`)
    expect(problems).toEqual([])
    await close()
  })

  it.each([1280, 390])('an instance promises no backup that nothing makes, at %d pixels', async (width) => {
    const { page, problems, close } = await pages.open(browser(), 'instances/archive', { width })
    const strip = page.getByRole('region', { name: 'Attention' })
    await strip.getByText('Nightly backups are turned on, but the manager has none scheduled.').waitFor()
    await strip.getByRole('link', { name: 'Show the schedule' }).waitFor()
    await page.getByText('Included in nightly backups, but the manager has none scheduled.').waitFor()
    expect(await page.getByText('Backs up every night.').count()).toBe(0)
    const tabs = page.getByRole('tablist', { name: 'archive' })
    await expect.poll(() => tabs.getAttribute('class')).toBe(width === 390 ? 'tabs more-after' : 'tabs ')
    await keepScreenshot(page, `problems-instance-${width}`)
    if (width === 390) {
      await tabs.getByRole('tab').last().click()
      await expect.poll(() => tabs.getAttribute('class')).toBe('tabs more-before')
    }
    expect(await accessibilityProblems(page)).toEqual([])
    await page.goto(`${pages.url}/`)
    await page.getByRole('button', { name: 'New instance' }).click()
    await page.getByRole('dialog').getByText('Included in nightly backups, but the manager has none').waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it('what was rolled back is not reported as done, and what was done has no raw names', async () => {
    const { page, problems, close } = await pages.open(browser(), 'activity')
    const feed = page.locator('.feed li')
    await feed.filter({ hasText: 'recorded the status of archive' }).waitFor()
    const rolledBack = feed.filter({ hasText: 'Rolled back' })
    await expect.poll(() => rolledBack.innerText()).toMatch(/: Upgrade · archive\s+Rolled back\s+It did not answer\.$/)
    expect(await page.getByText('upgraded archive').count()).toBe(0)
    await feed.filter({ hasText: 'backed up archive' }).getByText('With warnings').waitFor()
    await keepScreenshot(page, 'problems-activity-1280')
    expect(await accessibilityProblems(page)).toEqual([])
    expect(problems).toEqual([])
    await close()
  })

  it('a wrong setting is reported on the pages, which show all the rest', async () => {
    const { page, problems, close } = await pages.open(browser())
    await page.getByRole('link', { name: 'archive' }).first().waitFor()
    appendFileSync(pages.manager.context.home.config, 'export APPS_TRASHDAYS=abc\n')
    await page.reload()
    await page.getByRole('button', { name: '3 problems of the manager' }).waitFor()
    await page.locator('.notice').filter({ hasText: 'APPS_TRASHDAYS is "abc" (config.sh:' }).waitFor()
    await page.getByRole('link', { name: 'archive' }).first().click()
    await page.getByRole('heading', { name: 'archive', exact: true }).waitFor()
    await page.getByText('Included in nightly backups, but the manager has none scheduled.').waitFor()
    await keepScreenshot(page, 'problems-setting-1280')
    expect(problems).toEqual([])
    await close()
  })

  it('the page of a stopped instance has no response time of now', async () => {
    const { page, close } = await pages.open(browser(), 'instances/archive')
    const tile = page.locator('.tile').filter({ hasText: 'Response time' })
    await expect.poll(() => tile.locator('strong').innerText()).toBe('–')
    await close()
  })
})
