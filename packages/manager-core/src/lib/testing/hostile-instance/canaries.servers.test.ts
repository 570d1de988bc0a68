import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  linkSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountAt, type SystemAccount } from '../../accounts/account.js'
import { refOf } from '../../runtime/instance-ref.js'
import { statOf } from '../../system/process-table.js'
import { createTestManager, type TestManager } from '../create-test-manager.js'
import { canUseAccounts } from '../reachable-checkout.js'
import { closeHostile } from './hostile-suite.js'
import { placeCanaries, other, type Canaries } from './canaries.js'
import { plant } from './run-as.js'

const isHere = canUseAccounts(import.meta.url)

describe.runIf(isHere)('canaries', () => {
  let test: TestManager
  let canaries: Canaries
  let variables: Readonly<Record<string, string>>
  beforeAll(async () => {
    test = await createTestManager({ config: ['export APPS_ISOLATION=auto', 'export APPS_HEALTHWINDOW=0'] })
    canaries = await placeCanaries(test)
    await test.perform('add', { name: 'demo' })
    variables = canaries.place('demo').environment
  })
  afterAll(() => test && closeHostile(test))

  const at = (name: string) => variables[name] as string
  const secret = () => readFileSync(at('SECRET'), 'utf8').trim()
  const data = (name: string) => test.path('demo', 'data', name)
  const output = (name: string) => canaries.located({ action: '', file: name }).file as string
  const otherUid = () => (accountAt(test.path(other)) as SystemAccount).uid
  const settings = async () => test.context.settings.instance(test.path(other))
  const signal = async (name: 'SIGSTOP' | 'SIGCONT') => {
    const instance = test.instance(other)
    const { pids } = await test.context.runtimes.of(instance).observe(refOf(test.context, instance))
    for (const pid of pids) process.kill(pid, name)
    // The kernel stops them when they run next.
    const areStopped = () => pids.length > 0 && pids.every((pid) => statOf(pid)?.state === 'T')
    await expect.poll(areStopped, { timeout: 60_000 }).toBe(name === 'SIGSTOP')
  }

  it('report nothing of an instance that harms itself', async () => {
    const script =
      'touch "$MARKS/own"; rm -rf data/x; mkfifo data/x; ln -s "$SECRET" data/secret; chmod 4755 app/app.yaml'
    await plant([{ name: 'own', group: 'own', plant: script }], canaries.place('demo'))
    expect(await canaries.harms([{ answer: 'all is well' }])).toEqual([])
  })

  // What root does here is what an attack would have it do.
  const sins: readonly (readonly [string, RegExp, () => unknown])[] = [
    [
      'a changed file of root',
      /victim\/precious.txt was changed/,
      () => appendFileSync(join(at('VICTIM'), 'precious.txt'), 'x'),
    ],
    ['a removed file of root', /victim\/1 was changed.*gone/, () => rmSync(join(at('VICTIM'), '1'))],
    [
      'a new file in a folder of root',
      /victim\/new was changed: not there/,
      () => writeFileSync(join(at('VICTIM'), 'new'), ''),
    ],
    ['another owner of a file of root', /secret was changed/, () => chownSync(at('SECRET'), 12_345, 12_345)],
    ['another mode of a folder of root', /victim was changed/, () => chmodSync(at('VICTIM'), 0o755)],
    ['changed settings of the manager', /config.sh was changed/, () => appendFileSync(at('CONFIG'), '# x\n')],
    [
      'a changed database of another instance',
      /database.db was changed/,
      () => appendFileSync(join(at('OTHER'), 'data/database.db'), 'x'),
    ],
    [
      'a removed document of another instance',
      /canary.txt was changed/,
      () => rmSync(join(at('OTHER'), 'data/documents/canary.txt')),
    ],
    ['code that runs as root', /ran as root: pwned/, () => writeFileSync(join(at('MARKS'), 'pwned'), '')],
    [
      'code that runs as another instance',
      /ran as other: moved/,
      () => {
        writeFileSync(join(at('MARKS'), 'moved'), '')
        chownSync(join(at('MARKS'), 'moved'), otherUid(), otherUid())
      },
    ],
    [
      'a secret of root among the data',
      /a secret is in .*data\/stolen/,
      () => copyFileSync(at('SECRET'), data('stolen')),
    ],
    ['a device', /data\/disk is a device/, () => execFileSync('mknod', [data('disk'), 'b', '7', '0'])],
    [
      'a program with the rights of root',
      /data\/su runs with the rights of user 0/,
      () => {
        writeFileSync(data('su'), '')
        chmodSync(data('su'), 0o4755)
      },
    ],
    [
      'a file of another instance',
      /data\/hard belongs to other/,
      () => linkSync(join(at('OTHER'), 'logs/application.log'), data('hard')),
    ],
    [
      'a secret in a compressed archive',
      /a secret is in .*outputs\/a.tar.gz/,
      () => writeFileSync(output('a.tar.gz'), gzipSync(secret())),
    ],
    [
      'a secret in a compressed backup',
      /a secret is in .*outputs\/b.zst/,
      () => writeFileSync(output('b.zst'), zstdCompressSync(secret())),
    ],
    ['a stopped neighbour', /processes of other were ended or stopped/, () => signal('SIGSTOP')],
  ]

  it.each(sins)('report %s', async (_sin, expected, commit) => {
    await commit()
    const found = await canaries.harms([])
    await signal('SIGCONT')
    await canaries.restore()
    expect(found).toContainEqual(expect.stringMatching(expected))
    expect(await canaries.harms([])).toEqual([])
  })

  it('report secrets in answers', async () => {
    const { password, adminPassword } = await settings()
    for (const text of [secret(), password.reveal(), adminPassword.reveal()])
      expect(await canaries.harms([{ answer: [`it was ${text}`] }])).toEqual([
        'a secret is in an answer of the manager',
      ])
  })

  it('do not follow links themselves', async () => {
    symlinkSync(at('VICTIM'), data('follow'))
    expect(await canaries.harms([])).toEqual([])
    rmSync(data('follow'))
  })
})
