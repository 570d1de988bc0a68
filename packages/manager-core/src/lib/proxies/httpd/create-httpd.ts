import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { ManagerError } from '../../../errors.js'
import type { ProxySettings } from '../../settings/settings.js'
import type { ProxyRefusal, ReverseProxy } from '../reverse-proxy.js'
import { runProgram } from '../run-program.js'
import { testStaged } from '../test-staged.js'
import { hasFormerPipes, workersOf } from '../worker-processes.js'
import { renderHttpd } from './render-httpd.js'

export interface HttpdProxyOptions {
  readonly settings: ProxySettings
  /** The content of `home/proxy.secret`. */
  readonly secret: string
}

/** Apache httpd, 2.4.47 or newer, with a threaded MPM. */
export function createHttpd({ settings, secret }: HttpdProxyOptions): ReverseProxy {
  const { folder } = settings
  const command = settings.command ?? findProgram()
  const includeLine = `IncludeOptional ${folder}/live/*.conf`
  let built: Promise<Built> | undefined
  const about = () => (built ??= look(command, settings.mainFile))
  const dumpedPidFile = async (mainFile: string) => {
    const { output } = await runProgram(command, ['-f', mainFile, '-t', '-D', 'DUMP_RUN_CFG'])
    return /^PidFile: "?([^"\n]+)"?/m.exec(output)?.[1]
  }

  return {
    type: 'httpd',
    async version() {
      return (await about()).version
    },
    render: (publication, generation) => renderHttpd(publication, generation, { secret }),
    async test(staged) {
      const { mainFile, root } = await about()
      return testStaged({
        mainFile,
        folder,
        staged,
        includeLine,
        run: async (file) => {
          const args = ['-t', '-D', 'DUMP_INCLUDES', '-d', rootOf(mainFile, root, file), '-f', file]
          const { ok, output } = await runProgram(command, args)
          return ok ? { isIncluded: output.includes(`${staged}/`) } : { refusal: refusalOf(output) }
        },
      })
    },
    async reload() {
      const { mainFile } = await about()
      const { ok, output } = await runProgram(command, ['-f', mainFile, '-k', 'graceful'])
      if (!ok)
        throw new ManagerError('ERR_FAILED', `httpd cannot be reloaded: ${refusalOf(output).message}.`, { output })
    },
    async workers() {
      const { mainFile, pidFile } = await about()
      return workersOf(plainPidFile(mainFile) ?? (await dumpedPidFile(mainFile)) ?? pidFile, ['apache2', 'httpd'])
    },
    isEnding: ({ pid }) => hasFormerPipes(pid),
  }
}

/** In most configurations it can be seen; reading all of a large one takes seconds. */
function plainPidFile(mainFile: string): string | undefined {
  if (!existsSync(mainFile)) return undefined
  return /^\s*PidFile\s+"?(\/[^"$\n]+)"?\s*$/m.exec(readFileSync(mainFile, 'utf8'))?.[1]
}

/** Those that bring the environment along that the configuration of the distribution needs come first. */
function findProgram(): string {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']
  const names = ['apache2ctl', 'apachectl', 'httpd']
  return names.find((name) => folders.some((one) => existsSync(join(one, name)))) ?? 'apache2'
}

/** Relative paths start at the root of the server, which mostly is the folder of the main file. */
function rootOf(mainFile: string, root: string, shadow: string): string {
  const folder = (path: string) => path.slice(0, path.lastIndexOf('/'))
  return root === folder(mainFile) ? folder(shadow) : root
}

interface Built {
  readonly version: string
  readonly root: string
  readonly mainFile: string
  readonly pidFile: string
}

/** What the program was built with. */
async function look(command: string, mainFile: string | undefined): Promise<Built> {
  const { output } = await runProgram(command, ['-V'])
  const version = /Server version: Apache\/(\d+\.\d+\.\d+)/.exec(output)?.[1]
  if (version === undefined)
    throw new ManagerError('ERR_SETTINGS', `${command} does not report a version as Apache httpd does.`, { output })
  const define = (name: string, other: string) => new RegExp(`${name}="([^"]+)"`).exec(output)?.[1] ?? other
  const root = define('HTTPD_ROOT', '/etc/httpd')
  const within = (path: string) => (isAbsolute(path) ? path : join(root, path))
  return {
    version,
    root,
    mainFile: mainFile ?? within(define('SERVER_CONFIG_FILE', 'conf/httpd.conf')),
    pidFile: within(define('DEFAULT_PIDLOG', 'logs/httpd.pid')),
  }
}

/**
 * `AH00526: Syntax error on line 3 of /etc/…:` and the reason after it or in the next line; of files that others include
 * the innermost one comes last. Or the reason alone.
 */
function refusalOf(said: string): ProxyRefusal {
  const output = said.replace(/^Included configuration files:\n(?: +\(.*\n?)*/m, '')
  const place = [...output.matchAll(/Syntax error on line (\d+) of ([^\n:]+):\s+(?!Syntax error)(.+)/g)].at(-1)
  if (place) {
    const [, line, file, message] = place as unknown as readonly string[]
    return { file: file!, line: Number(line), message: plain(message!), output }
  }
  const reason = output.split('\n').find((text) => /AH\d{5}|rror/.test(text) && !/AH00558|AH00014/.test(text))
  return { message: plain(reason ?? output.split('\n')[0] ?? 'it failed without a message'), output }
}

/** Without time, level and its last full stop. */
function plain(text: string): string {
  return text.replace(/^(?:\[[^\]]*\] )+/, '').replace(/\.$/, '')
}
