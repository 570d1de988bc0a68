import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSystemd, systemdIsMissing, type TestSystemd } from '../../../../../../tests/servers/index.js'

const missing = systemdIsMissing()
if (missing !== undefined) it('systemd runtime', ({ skip }) => skip(missing))
else
  describe('in a machine that systemd runs', () => {
    let machine: TestSystemd

    beforeAll(async () => {
      machine = await startSystemd()
    })
    afterAll(() => machine?.close())

    it('instances are units: the tests of *.inside.ts pass', { timeout: 1_800_000 }, async () => {
      const config = `${machine.checkout}/vitest.systemd.config.ts`
      const deep = process.env['TEST_DEEP'] === '1' ? ['env', 'TEST_DEEP=1'] : []
      const vitest = [
        ...deep,
        'node',
        `${machine.checkout}/node_modules/vitest/vitest.mjs`,
        'run',
        '--configLoader',
        'runner',
      ]
      const { exitCode, output } = await machine.run([...vitest, ...['--root', machine.checkout, '--config', config]])
      expect(output).toContain('passed')
      expect(exitCode, output).toBe(0)
    })

    it('what ran is started at the next boot, and what was stopped is not', async () => {
      const active = async () =>
        (await machine.run(['systemctl', 'is-active', ...['i1', 'i2'].map((id) => `steward-instance-boot-${id}-a`)]))
          .output
      expect(await active()).toBe('active\ninactive\n')
      await machine.reboot()
      expect(await active()).toBe('active\ninactive\n')
    })
  })
