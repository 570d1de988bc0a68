import { groupOf } from './attack.js'

const stopped = groupOf('stopped children', [
  {
    name: 'stops the programs that read or write its files',
    during: {
      turn: `for (const pid of others('tar', 'zstd', 'sh', 'rm', 'find')) kill(pid, 'SIGSTOP')`,
      restless: true,
    },
  },
])

const workers = groupOf('stopped workers', [
  {
    name: 'stops the programs that open its database or load its application',
    during: {
      turn: `for (const pid of others('node', 'MainThread')) if (!isServer(pid)) kill(pid, 'SIGSTOP')`,
      restless: true,
    },
  },
])

const killed = groupOf('killed children', [
  {
    name: 'kills the programs that read or write its files',
    during: {
      turn: `for (const pid of others('tar', 'zstd', 'sh', 'rm', 'find')) kill(pid, 'SIGKILL')`,
      restless: true,
    },
  },
])

const taken = groupOf('taken streams', [
  {
    name: 'writes a device into the archive that its own tar writes',
    during: {
      turn: `for (const pid of others('tar')) {
        kill(pid, 'SIGSTOP')
        try { writeFileSync('/proc/' + pid + '/fd/1', tarEntry({ name: './data/disk', type: '4' })) } catch {}
        kill(pid, 'SIGCONT')
      }`,
      restless: true,
    },
  },
  {
    name: 'reports a size of its own as the one of tar',
    during: {
      turn: `for (const pid of others('tar')) try { writeFileSync('/proc/' + pid + '/fd/2', 'Total bytes written: 1\\n') } catch {}`,
      restless: true,
    },
  },
])

const quiet = groupOf('quiet', [
  {
    name: 'a process that left its session and stays',
    plant: `pgrep -u "$(id -u)" -f stays-here >/dev/null || setsid sh -c 'exec -a stays-here sleep 1000' stays-here >/dev/null 2>&1 </dev/null &`,
  },
  {
    name: 'records in run/ that name processes of others',
    plant: `for f in supervisor.old application.old suspended.old exit; do echo "$OTHER_PID 1 1 1" >"run/$f"; done`,
  },
  {
    name: 'signals for processes of others',
    during: { turn: `for (const pid of [Number(process.env.OTHER_PID), process.ppid, 1]) kill(pid, 'SIGSTOP')` },
  },
])

export const processAttacks = [...stopped, ...workers, ...killed, ...taken, ...quiet]
