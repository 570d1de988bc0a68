import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { accountAt, asAccount, type SystemAccount } from '../accounts/account.js'
import { silence } from '../accounts/silence.js'
import { closeWithAccounts } from '../testing/accounts-of.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { forgedHeader, hidden } from '../testing/forged-archive.js'
import { canUseAccounts } from '../testing/reachable-checkout.js'

const isHere = canUseAccounts(import.meta.url)

/** Stops each `tar` of its own account as soon as it is there. */
const stopsTar = `
trap '' TERM
while :; do
  for status in /proc/[0-9]*/status; do
    if grep -q "^Name:.tar$" $status 2>/dev/null && grep -q "^Uid:.UID" $status 2>/dev/null; then
      pid=\${status#/proc/}
      kill -STOP \${pid%/status} 2>/dev/null && echo stopped
    fi
  done
done`

/** Takes the pipe that `tar` of its own account writes into, writes entries into it, and keeps it open. */
const takesPipe = `
import ctypes, os, signal, sys, time
libc = ctypes.CDLL(None, use_errno=True)
last = lambda: int(open('/proc/loadavg').read().split()[-1])
seen, new, pid = last(), set(), None
print('looking', flush=True)
while pid is None:
    now = last()
    new.update(range(seen + 1, now + 1))
    seen = now
    for each in list(new):
        try:
            if os.stat('/proc/%d' % each).st_uid == os.getuid() and open('/proc/%d/comm' % each).read() == 'tar\\n':
                pid = each
        except OSError:
            new.discard(each)
os.kill(pid, signal.SIGSTOP)
out = libc.syscall(438, libc.syscall(434, pid, 0), 1, 0)
if out < 0:
    sys.exit('no pipe: %d' % ctypes.get_errno())
os.write(out, bytes.fromhex(sys.argv[1]))
os.kill(pid, signal.SIGCONT)
print('written', flush=True)
time.sleep(600)
`

/** Why it cannot be tried here; undefined: it can. */
function whyNoTaking(python: string | undefined): string | undefined {
  const scope = '/proc/sys/kernel/yama/ptrace_scope'
  if (existsSync(scope) && readFileSync(scope, 'utf8').trim() !== '0') return 'ptrace_scope keeps processes apart'
  return python === undefined ? 'python3 is not installed' : undefined
}

describe.runIf(isHere)('a save, when the instance attacks the tar that runs as its account,', () => {
  let test: TestManager
  const { limitMs } = silence
  const hostile: ChildProcess[] = []
  beforeAll(async () => {
    test = await createTestManager({
      config: ['export APPS_ISOLATION=auto', 'export APPS_SAVEALL_PARALLEL=1'],
    })
    chmodSync(test.folder, 0o711)
    for (const name of ['demo', 'other']) {
      await test.perform('add', { name, 'no-start': true })
      await test.perform('autosave', { name })
    }
    // Large enough to be packed still when it is found.
    const large = test.path('demo', 'data', 'large')
    writeFileSync(large, '')
    truncateSync(large, 2 ** 32)
    chmodSync(large, 0o644)
    silence.limitMs = 4000
  })
  afterEach(() => {
    for (const child of hostile.splice(0)) child.kill('SIGKILL')
  })
  afterAll(async () => {
    silence.limitMs = limitMs
    await closeWithAccounts(test)
  })

  function attack(program: string, ...args: readonly string[]): ChildProcess {
    const account = accountAt(test.path('demo')) as SystemAccount
    const [command, before] = asAccount(account, program)
    const child = spawn(command, [...before, ...args.map((arg) => arg.replace('UID', String(account.uid)))], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    hostile.push(child)
    return child
  }
  const saves = (name: string) => {
    const folder = join(test.home, 'save', name)
    return existsSync(folder) ? readdirSync(folder) : []
  }

  it('ends a stopped one, says so, and continues with the others', { timeout: 180_000 }, async () => {
    attack('/bin/sh', '-c', stopsTar)
    const { list = [], exitCode } = await test.perform('saveall')
    expect(list).toMatchObject([
      {
        name: 'demo',
        result: 'failed',
        message: expect.stringMatching(/"steward-.*", did nothing.*stopped its own process/),
      },
      { name: 'other', result: 'saved' },
    ])
    expect(exitCode).not.toBe(0)
    expect(saves('demo')).toEqual([])
    expect(test.context.locks.holder(`instance:${test.instance('demo').id}`)).toBeUndefined()
  })

  it(
    'fails when it writes into its pipe, but for what is content of a file there',
    { timeout: 180_000 },
    async ({ skip }) => {
      const python = ['/usr/bin/python3', 'python3'].find((program) => {
        const [command, before] = asAccount(accountAt(test.path('demo')), program)
        return spawnSync(command, [...before, '-c', 'import ctypes']).status === 0
      })
      const reason = whyNoTaking(python)
      if (reason !== undefined) return skip(reason)
      const blocks = Buffer.concat(hidden('data', forgedHeader({ name: 'data/disk', type: '4', mode: 0o666 })))
      const child = attack(python as string, '-c', takesPipe, blocks.toString('hex'))
      let printed = ''
      child.stdout?.on('data', (text) => (printed += String(text)))
      await expect.poll(() => printed, { timeout: 30_000 }).toContain('looking')
      const saved = await test.perform('save', { name: 'demo' }).catch((error: unknown) => error as Error)
      expect(printed).toContain('written')
      if (saved instanceof Error) {
        expect(saved.message).toMatch(/has the type "S"|something follows|did nothing/)
        expect(saves('demo')).toEqual([])
        return undefined
      }
      // In the middle of the large file, which is the last one, it is content that the account could have written there, too.
      const [backup = ''] = saves('demo').filter((each) => !each.startsWith('.'))
      const list = 'zstd --decompress --stdout "$1" | tar --list --verbose'
      const archive = join(test.home, 'save', 'demo', backup, 'files.tar.zst')
      const { stdout } = spawnSync('/bin/sh', ['-c', list, 'sh', archive], { encoding: 'utf8' })
      const entries = stdout.trimEnd().split('\n')
      expect(entries.at(-1)).toMatch(/^-.* 4294967296 .* data\/large$/)
      expect(entries.filter((entry) => !/^[-d]/.test(entry) || /data\/(?:disk|s)$/.test(entry))).toEqual([])
      return undefined
    },
  )
})
