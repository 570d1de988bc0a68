import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { ManagerError } from '../../../errors.js'
import type { ProxySettings } from '../../settings/settings.js'
import type { ProxyRefusal, ReverseProxy } from '../reverse-proxy.js'
import { runProgram } from '../run-program.js'
import { testStaged } from '../test-staged.js'
import { commandLineOf, workersOf } from '../worker-processes.js'
import { renderNginx } from './render-nginx.js'

export interface NginxProxyOptions {
  readonly settings: ProxySettings
  /** The content of `home/proxy.secret`. */
  readonly secret: string
}

/** nginx, 1.19.4 or newer. */
export function createNginx({ settings, secret }: NginxProxyOptions): ReverseProxy {
  const { folder, command = 'nginx' } = settings
  const includeLine = `include ${folder}/live/*.conf;`
  let hasHashSizes = false
  let built: Promise<Built> | undefined
  const about = () => (built ??= look(command, settings.mainFile))

  return {
    type: 'nginx',
    async version() {
      const { version, mainFile } = await about()
      hasHashSizes = /^\s*server_names_hash_/m.test(textOf(mainFile))
      return version
    },
    render(publication, generation, version) {
      return renderNginx(publication, generation, {
        version,
        secret,
        ipv6: existsSync('/proc/net/if_inet6'),
        hasHashSizes,
      })
    },
    async test(staged) {
      const { mainFile } = await about()
      return testStaged({
        mainFile,
        folder,
        staged,
        includeLine,
        run: async (file) => {
          const { ok, output } = await runProgram(command, ['-t', '-q', '-c', file])
          return ok ? {} : { refusal: refusalOf(output) }
        },
      })
    },
    async reload() {
      const { mainFile } = await about()
      const { ok, output } = await runProgram(command, ['-c', mainFile, '-s', 'reload'])
      if (!ok)
        throw new ManagerError('ERR_FAILED', `nginx cannot be reloaded: ${refusalOf(output).message}.`, { output })
    },
    async workers() {
      const { mainFile, prefix, pidFile } = await about()
      const said = /^\s*pid\s+"?([^";]+)"?\s*;/m.exec(textOf(mainFile))?.[1]?.trim() ?? pidFile
      return workersOf(isAbsolute(said) ? said : join(prefix, said), ['nginx'])
    },
    // It takes connections for a tenth of a second beside the new ones; then it says so in its name.
    isEnding: ({ pid }) => !existsSync('/proc/self') || / is shutting down/.test(commandLineOf(pid)),
  }
}

/** Empty when it is not there, which its own test reports. */
function textOf(mainFile: string): string {
  return existsSync(mainFile) ? readFileSync(mainFile, 'utf8') : ''
}

interface Built {
  readonly version: string
  readonly mainFile: string
  readonly prefix: string
  readonly pidFile: string
}

/** What the program was built with. */
async function look(command: string, mainFile: string | undefined): Promise<Built> {
  const { output } = await runProgram(command, ['-V'])
  const version = /nginx version: \S+?\/(\d+\.\d+\.\d+)/.exec(output)?.[1]
  if (version === undefined)
    throw new ManagerError('ERR_SETTINGS', `${command} does not report a version as nginx does.`, { output })
  const option = (name: string, other: string) => new RegExp(`--${name}=(\\S+)`).exec(output)?.[1] ?? other
  const prefix = option('prefix', '/usr/local/nginx')
  const within = (path: string) => (isAbsolute(path) ? path : join(prefix, path))
  return {
    version,
    prefix,
    mainFile: mainFile ?? within(option('conf-path', 'conf/nginx.conf')),
    pidFile: within(option('pid-path', 'logs/nginx.pid')),
  }
}

/** `nginx: [emerg] unknown directive "x" in /etc/nginx/nginx.conf:12` */
function refusalOf(output: string): ProxyRefusal {
  const [, message, file, line] =
    /\[(?:emerg|alert|crit|error)\]\s+(?:\d+#\d+: )?(.*?)(?: in (\/\S+):(\d+))?$/m.exec(output) ?? []
  return {
    message: message ?? output.split('\n')[0] ?? 'it failed without a message',
    output,
    ...(file !== undefined && { file, line: Number(line) }),
  }
}
