import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../scripts/packages.mjs'
import { bootMachine, checkout, machineIsMissing, node, type Machine } from './programs/machine.js'
import { codeBlocks } from './programs/markdown.js'

const missing = process.env['TEST_DEEP'] ? machineIsMissing() : 'It takes a minute: npm run test:deep.'

const program = `#!/bin/sh\\nexec ${node} ${checkout}/packages/manager-cli/dist/cli.js "$@"\\n`
const enable = (unit: string) =>
  `ln -s /lib/systemd/system/${unit}.service $R/etc/systemd/system/multi-user.target.wants/`

/** One on which nothing is installed but what the documentation says. */
async function machineWith(proxy: 'nginx' | 'apache2'): Promise<Machine> {
  const machine = await bootMachine({ prepare: enable(proxy) })
  await machine.must(`printf '${program}' >/usr/local/bin/manager; chmod 755 /usr/local/bin/manager`)
  return machine
}

/** All that setup may write to, with its contents. */
const tree = `find /etc /usr/local /srv /var/spool/cron -xdev \\( -type f -o -type l -o -type d \\) \\
  ! -path '/etc/nginx/*.pid' -printf '%p %M %u %l ' -a \\( -type f -exec sha256sum '{}' ';' -o -printf '\\n' \\) | sort`
const withoutBackups = (listing: string) =>
  // Programs of accounts keep the files before their change; ids of groups stay as they were.
  listing.split('\n').filter((line) => !/^\S*\/etc\/(passwd-|group-|shadow-|gshadow-|subuid|subgid)/.test(line))

describe.skipIf(missing)(`setup on a machine of its own${missing ? `: ${missing}` : ''}`, { timeout: 600_000 }, () => {
  describe('as docs/production.md says it', () => {
    let machine: Machine
    const blocks = codeBlocks(new URL('../docs/production.md', import.meta.url), 'sh')
    let tarballs: string

    beforeAll(async () => {
      tarballs = mkdtempSync(join(tmpdir(), 'steward-tarballs-'))
      await promisify(execFile)('npm', ['run', 'pack:all', tarballs], { cwd: root })
      const copy = `mkdir $R/root/tarballs; cp ${tarballs}/*.tgz $R/root/tarballs`
      machine = await bootMachine({ prepare: `${enable('nginx')}\n${copy}` })
      // As a package of Node.js has it: in everybody's path, and npm beside it.
      await machine.must(`ln -s ${node} /usr/local/bin/node; ln -sf "$(command -v npm)" /usr/local/bin/npm`)
    }, 300_000)
    afterAll(async () => {
      await machine?.close()
      rmSync(tarballs, { recursive: true, force: true })
    })

    it('each block does what it says, and in the end the machine is as it was', async () => {
      const [install = '', ...others] = blocks
      await machine.online(`cd /root; export npm_config_prefix=/usr/local npm_config_prefer_offline=true\n${install}`)
      const before = withoutBackups(await machine.must(tree))
      for (const block of others.slice(0, 2)) await machine.must(`set -e\n${block}`)
      // It answers through the reverse proxy, as its own site and as that of the instance.
      const answer = (host: string, path: string) => machine.must(`curl -sS -H 'Host: ${host}' http://127.0.0.1${path}`)
      expect(await answer('apps.example.org', '/ping')).toBe('{"status":"OK"}')
      expect(await answer('demo.apps.example.org', '/health')).toContain('status=OK')
      expect(await machine.must('journalctl --no-pager -u steward')).toMatch(/The manager answers/)
      const processes = await machine.must('ps -eo user:20,args')
      expect(processes).toMatch(/^root .*serve --home \/srv\/apps$/m)
      expect(processes).toMatch(/^steward-\S+ .*\/srv\/apps\/instances\//m)
      // Instances outlive the server.
      const pid = await machine.must("pgrep -f '[a]pp-server.*/instances/' | head -1")
      await machine.must('systemctl restart steward')
      expect(await machine.must("pgrep -f '[a]pp-server.*/instances/' | head -1")).toBe(pid)
      for (const block of others.slice(2)) {
        const said = /^# (.*)$/m.exec(block)?.[1]
        const printed = await machine.must(`set -e\n${block}`)
        if (said !== undefined) expect(printed).toContain(said)
      }
      expect(withoutBackups(await machine.must(tree))).toEqual(before)
      expect(await machine.must('ps -eo args')).not.toContain('/srv/apps')
      expect(await machine.must('getent passwd')).not.toContain('/srv/apps')
      await machine.must('nginx -t -q')
    })
  })

  it('what it writes is without fault to the programs that read it, and what was changed by hand stays', async () => {
    const machine = await machineWith('nginx')
    try {
      await machine.must('manager setup --yes --domain apps.example.org --http --user apps')
      await machine.must('manager add demo')
      // The server itself has reloaded nginx, and commands that root called have made nothing that is root's.
      await machine.must(`journalctl --no-pager -u steward | grep 'COMMAND=.*steward-proxy .* -s reload'`)
      expect(await machine.must('find /srv/apps ! -user apps')).toBe('')
      await machine.must('for unit in /etc/systemd/system/steward*; do systemd-analyze verify $unit || exit 1; done')
      await machine.must('visudo -cq && nginx -t -q && logrotate --debug /etc/logrotate.d/steward')
      // The rule of sudo opens nothing else.
      const asApps = (args: string) => machine.run(`sudo -u apps sudo -n ${args}`)
      for (const args of ['/usr/local/lib/steward/steward-proxy -t -q -c /tmp/nginx.conf', 'id'])
        expect((await asApps(args)).code).not.toBe(0)
      const stop = await asApps('/usr/local/lib/steward/steward-proxy -c /etc/nginx/nginx.conf -s stop')
      expect(stop).toMatchObject({ code: 64, stderr: expect.stringContaining('Not allowed') })

      await machine.must('echo "# mine" >>/etc/systemd/system/steward.service')
      const left = await machine.run('manager setup --yes')
      expect(left).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing was changed') })
      expect(left.stderr).toContain('/etc/systemd/system/steward.service was changed manually, and was left alone.')
      expect(await machine.must('tail -1 /etc/systemd/system/steward.service')).toBe('# mine\n')
      // An upgrade: the version that was recorded is another one.
      await machine.must(`sed -i 's/"version": ".*"/"version": "0.0.0-before"/' /etc/steward/steward.json`)
      const pid = 'systemctl show --property MainPID --value steward'
      const first = await machine.must(pid)
      expect(await machine.must('manager setup --yes')).toContain('server restarted')
      expect(await machine.must(pid)).not.toBe(first)

      // No other user takes the port while the server restarts, is killed, or is stopped.
      const taker = `setpriv --reuid 65534 --regid 65534 --clear-groups ${node} -e '
const take = () => require("node:net").createServer().on("error", () => setTimeout(take, 1))
  .listen(8000, "127.0.0.1", () => { console.log("taken"); process.exit() })
take()'`
      await machine.must(`${taker} >/tmp/taker & taker=$!
for try in 1 2 3; do systemctl restart steward; done
systemctl kill --signal KILL steward; systemctl stop steward; sleep 1
kill -0 $taker; kill $taker`)
      expect(await machine.must('cat /tmp/taker')).toBe('')
      expect(await machine.must('curl -sS http://127.0.0.1:8000/ping')).toBe('{"status":"OK"}')

      const removed = await machine.must('manager setup --remove --yes')
      expect(removed).toContain('is kept as /etc/systemd/system/steward.service.dpkg-old')
      expect(await machine.must('ls /srv/apps/config.sh; getent passwd apps | cut -d: -f1')).toContain('apps\n')
      expect((await machine.run('systemctl is-active steward')).stdout).toBe('inactive\n')
    } finally {
      await machine.close()
    }
  })

  it('without systemd: the line of cron starts the server when it does not run, and the schedule is in the crontab', async () => {
    const machine = await machineWith('nginx')
    try {
      // cron itself is not installed; its program of tables keeps them in a file.
      const crontab = `#!/bin/bash\ntable=/var/crontab-of-test; [ "$1" = -u ] && shift 2
case $1 in -l) cat $table 2>/dev/null || { echo "no crontab for apps" >&2; exit 1; } ;; *) cat >$table ;; esac\n`
      await machine.must(`cat >/usr/bin/crontab <<'END'\n${crontab}END\nchmod 755 /usr/bin/crontab`)
      await machine.must('manager setup --yes --domain apps.example.org --http --user apps --supervisor cron')
      expect(await machine.must('cat /var/crontab-of-test')).toContain('saveall --home /srv/apps')
      const again = await machine.must('manager setup --yes')
      expect(again).toContain('Nothing was changed')
      // As cron does it: as the account that the line names, by its shell.
      const [, command = ''] = /^\* \* \* \* \* apps (.*)$/m.exec(await machine.must('cat /etc/cron.d/steward')) ?? []
      const cron = `setpriv --reuid apps --regid apps --clear-groups sh -c ${JSON.stringify(command)}`
      await machine.must(`${cron} </dev/null >/dev/null 2>&1 &
for try in $(seq 300); do curl -fs http://127.0.0.1:8000/ping && exit 0; sleep 0.2; done; cat /srv/apps/logs/serve.log; exit 1`)
      // A minute later: it runs already.
      expect(await machine.run(cron)).toMatchObject({ code: 1 })
      await machine.must('manager setup --remove --yes --purge /srv/apps')
      expect((await machine.run("pgrep -f '[s]erve --home /srv/apps'")).code).toBe(1)
      expect((await machine.must('cat /var/crontab-of-test')).trim()).toBe('')
      expect((await machine.run('ls /etc/cron.d/steward')).code).not.toBe(0)
    } finally {
      await machine.close()
    }
  })

  it('with httpd, modules and all, and after a boot everything runs again', async () => {
    const machine = await machineWith('apache2')
    try {
      const before = await machine.must('ls /etc/apache2/mods-enabled /etc/apache2/conf-enabled')
      await machine.must('manager setup --yes --domain apps.example.org --http --proxy httpd')
      await machine.must('manager add demo')
      const health = `for try in $(seq 100); do
  curl -sS -H 'Host: demo.apps.example.org' http://127.0.0.1/health | grep status=OK && exit 0; sleep 0.2
done; exit 1`
      await machine.must(health)
      // As after a boot: nothing of it runs, and then what is enabled starts.
      await machine.must("systemctl stop steward; while pkill -KILL -f '[/]srv/apps'; do sleep 0.2; done")
      await machine.must('systemctl isolate multi-user.target')
      await machine.must(health)
      await machine.must('manager setup --remove --yes --purge /srv/apps')
      expect(await machine.must('ls /etc/apache2/mods-enabled /etc/apache2/conf-enabled')).toBe(before)
    } finally {
      await machine.close()
    }
  })
})
