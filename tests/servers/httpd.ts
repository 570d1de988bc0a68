import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isRoot } from './as-user.js'
import { makeFolder } from './folders.js'
import { freePorts } from './ports.js'
import { findCommand } from './programs.js'
import { PrivateProxy, type ProxyOptions, type TestProxy } from './proxy-server.js'

const modules = [
  ...['mpm_event', 'authz_core', 'authz_host', 'alias', 'headers', 'env', 'setenvif', 'rewrite', 'proxy', 'proxy_http'],
  ...['socache_shmcb', 'ssl', 'http2'],
]

/** Starts an Apache httpd on free ports; about 0.1 seconds. Its first process belongs to us, so that it reads files of ours. */
export async function startHttpd(options: ProxyOptions = {}): Promise<TestProxy> {
  const folder = await makeFolder('httpd')
  const [http = 0, https = 0, alive = 0] = await freePorts(3)
  const mainFile = join(folder, 'conf/httpd.conf')
  const proxy = new PrivateProxy({
    ...{ type: 'httpd', folder, http, https, alive, mainFile, stopSignal: 'SIGTERM' },
    program: findCommand('apache2'),
    command: ['apache2', '-d', join(folder, 'conf'), '-f', mainFile, '-DFOREGROUND'],
  })
  await mkdir(join(folder, 'conf'))
  await writeFile(mainFile, configuration(folder, [http, https, alive], options))
  return proxy.begin()
}

function configuration(folder: string, ports: readonly number[], { include, lines = [] }: ProxyOptions): string {
  return [
    `ServerRoot "${folder}/conf"`,
    'ServerName localhost',
    ...ports.map((port) => `Listen 127.0.0.1:${port}`),
    `PidFile ${folder}/server.pid`,
    `DefaultRuntimeDir ${folder}`,
    `ErrorLog ${folder}/error.log`,
    ...modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
    // It does not run as root.
    ...(isRoot() ? ['User daemon', 'Group daemon'] : []),
    ...['ServerLimit 4', 'StartServers 2', 'ThreadsPerChild 25', 'MaxRequestWorkers 100'],
    ...(include === undefined ? [] : [`IncludeOptional ${include}/*.conf`]),
    ...lines,
    '',
  ].join('\n')
}
