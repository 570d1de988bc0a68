import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createManager } from '@steward/manager-core'
import { loadPty } from '@steward/manager-server/pty'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createTestManager,
  type TestManager,
  type TestManagerOptions,
} from '../../manager-core/src/lib/testing/create-test-manager.js'

const cli = join(import.meta.dirname, '..', 'dist', 'cli.js')
const stranger = { name: 'stranger', uid: 65_533, gid: 65_533 }

/** What the instance does with the terminal that it finds: types into it, changes it, keeps reading from it. */
const attack = (home: string, command: string) => `
  cut -d' ' -f7 /proc/self/stat > ${home}/tty
  stat -c %t:%T -L /proc/self/fd/0 > ${home}/standard-input 2>&1
  for device in /dev/tty /proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2; do
    perl -e 'open(my $tty, "+<", $ARGV[0]) or exit; for my $key (split //, $ARGV[1]) { ioctl($tty, 0x5412, $key) }' \
      $device '${command}
' 2>/dev/null
  done
`

// As root, whose terminal an account of an instance could get.
describe.runIf(process.getuid?.() === 0)('manager shell of an instance with an account', () => {
  let test: TestManager
  let data: string
  const mark = () => join(test.folder, 'typed')

  beforeAll(async () => {
    const built = createManager as unknown as NonNullable<TestManagerOptions['createManager']>
    test = await createTestManager({ createManager: built })
    await test.perform('add', { name: 'demo', 'no-start': true })
    data = test.path('demo', 'data')
    for (const folder of [test.folder, test.home, join(test.home, 'instances'), test.path('demo')])
      chmodSync(folder, 0o711)
    chownSync(data, stranger.uid, stranger.gid)
    mkdirSync(join(data, 'seen'), { mode: 0o777 })
    chmodSync(join(data, 'seen'), 0o777)
    writeFileSync(test.path('demo', 'account'), `${stranger.name} ${stranger.uid} ${stranger.gid}\n`, { mode: 0o600 })
  })
  afterAll(() => test.close())

  const seen = (name: string) => readFileSync(join(data, 'seen', name), 'utf8').trim()

  /** Root's shell in a terminal. */
  async function operator() {
    const { spawn } = await loadPty()
    const env = {
      PATH: process.env['PATH'] ?? '',
      SHELL: '/bin/bash',
      HOME: test.folder,
      TERM: 'xterm',
      PS1: '',
      PS2: '',
    }
    const terminal = spawn('/bin/bash', ['--norc', '--noprofile'], { cols: 90, rows: 33, cwd: test.folder, env })
    let shown = ''
    terminal.onData((text) => (shown += text))
    const exited = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)))
    const poll = { timeout: 60_000 }
    return {
      terminal,
      exited,
      shown: () => shown,
      type: (line: string) => terminal.write(`${line}\r`),
      /** Waits until it shows the text. */
      async shows(text: string | RegExp) {
        await expect.poll(() => shown, poll).toMatch(text)
      },
    }
  }

  const shell = (after = '') => `${process.execPath} ${cli} --home ${test.home} shell demo ${after}`

  it('gives the instance a terminal of its own: it types nothing into that of root', async () => {
    rmSync(mark(), { force: true })
    writeFileSync(join(data, '.bashrc'), `${attack(join(data, 'seen'), `touch ${mark()}`)}\nexit 7\n`)
    const { type, shows, exited } = await operator()
    type(`cut -d' ' -f7 /proc/self/stat > ${test.folder}/tty`)
    type(shell('; echo ended=$?'))
    await shows(/ended=7/)
    // What was typed into this terminal would have come before.
    type('echo next=$((1 + 1)); exit 3')
    await shows(/next=2/)
    expect(await exited).toBe(3)
    expect(existsSync(mark())).toBe(false)
    const own = readFileSync(join(test.folder, 'tty'), 'utf8').trim()
    expect(Number(own)).toBeGreaterThan(0)
    expect(Number(seen('tty'))).toBeGreaterThan(0)
    expect(seen('tty')).not.toBe(own)
  })

  it('passes keys, Ctrl-C, size and the exit code, and puts the terminal of root in order', async () => {
    rmSync(join(data, '.bashrc'))
    const { terminal, type, shows, exited } = await operator()
    type(`stty -a > ${test.folder}/before; ${shell('; echo ended=$?; stty -a > after')}`)
    // It asks the terminal, so that it is there when it answers.
    type('echo user=$(id -u) size=$(stty size)')
    await shows(`user=${stranger.uid} size=33 90`)
    terminal.resize(100, 44)
    type('until [ "$(stty size)" = "44 100" ]; do sleep 0.1; done; echo re""sized')
    await shows('resized')
    type('echo sleep""ing; sleep 1000')
    await shows('sleeping')
    terminal.write('\u0003')
    type('echo code=$?')
    await shows('code=130')
    type('exit 5')
    await shows('ended=5')
    type('exit 0')
    await exited
    const mode = (name: string) => readFileSync(join(test.folder, name), 'utf8').replace(/rows.*;/, '')
    expect(mode('after')).toBe(mode('before'))
  })

  it('has no terminal when its input or output is none, and passes on both', async () => {
    rmSync(mark(), { force: true })
    const { type, shows, exited } = await operator()
    writeFileSync(join(data, 'attack.sh'), attack(join(data, 'seen'), `touch ${mark()}`))
    const commands = `sh ${data}/attack.sh; echo user=$(id -u); exit 4`
    // The output is a terminal, then it is none.
    type(`echo '${commands}' | ${shell('; echo ended=$?')}`)
    await shows(/user=65533[^]*ended=4/)
    expect(seen('tty')).toBe('0')
    type(`echo '${commands}' | ${shell(`> ${test.folder}/output; echo second=$?`)}`)
    await shows(/second=4/)
    expect(readFileSync(join(test.folder, 'output'), 'utf8')).toBe('user=65533\n')
    // The input is a terminal, the output is none.
    type(shell(`> ${test.folder}/other; echo third=$?`))
    await expect.poll(() => existsSync(join(test.folder, 'other'))).toBe(true)
    type(`sh ${data}/attack.sh; exit 6`)
    await shows(/third=6/)
    expect(seen('tty')).toBe('0')
    expect(seen('standard-input')).not.toMatch(/^88:/)
    type('echo next=$((1 + 1)); exit 0')
    await shows(/next=2/)
    await exited
    expect(existsSync(mark())).toBe(false)
  })
})
