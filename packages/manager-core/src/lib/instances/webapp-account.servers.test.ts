import { chmodSync, statSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { toolIsMissing } from '../../../../../tests/servers/index.js'
import { accountAt } from '../accounts/account.js'
import { refOf } from '../runtime/instance-ref.js'
import { endAccountsOf } from '../testing/accounts-of.js'
import { managerOfWebapps, note, notesOf } from './webapps-for-test.js'
import { canUseAccounts } from '../testing/reachable-checkout.js'
const missing = toolIsMissing('tomcat')

// A file of its own: where other accounts cannot read the checkout, it runs once more.
it.skipIf(missing !== undefined || !canUseAccounts(import.meta.url))(
  'a Java web application runs as a system account, which can change neither its application server nor what others have',
  async () => {
    const other = await managerOfWebapps(['export APPS_ISOLATION=auto'])
    onTestFinished(async () => {
      await other.perform('delete', { name: 'shop', purge: true })
      await other.close()
      endAccountsOf(other)
    })
    chmodSync(other.folder, 0o711)
    await other.perform('add', { name: 'shop' })
    await note(other, 'shop', 'isolated')
    expect(other.log('shop')).not.toContain('SEVERE')
    const { uid } = accountAt(other.path('shop')) ?? { uid: 0 }
    expect(uid).toBeGreaterThan(0)
    const ownerOf = (path: string) => statSync(other.path('shop', path)).uid
    expect([ownerOf('tomcat/work'), ownerOf('tomcat/conf/server.xml'), ownerOf('tomcat')]).toEqual([uid, 0, 0])
    expect(statSync(other.path('shop', 'tomcat/conf/context.xml')).mode & 0o777).toBe(0o640)
    const pids = (
      await other.context.runtimes.of(other.instance('shop')).observe(refOf(other.context, other.instance('shop')))
    ).pids
    expect(pids.map((pid) => statSync(`/proc/${pid}`).uid)).toEqual(pids.map(() => uid))
    await other.change((before) => `${before}<!-- another revision -->`)
    await other.perform('upgrade', { name: 'shop' })
    expect(await notesOf(other, 'shop')).toBe('isolated\n')
  },
)
