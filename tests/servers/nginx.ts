import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { userInfo } from 'node:os'
import { isRoot } from './as-user.js'
import { makeFolder } from './folders.js'
import { freePorts } from './ports.js'
import { findCommand } from './programs.js'
import { PrivateProxy, type ProxyOptions, type TestProxy } from './proxy-server.js'

/** Starts an nginx on free ports; about 0.1 seconds. Its master process belongs to us, so that it reads files of ours. */
export async function startNginx(options: ProxyOptions = {}): Promise<TestProxy> {
  const folder = await makeFolder('nginx')
  const [http = 0, https = 0, alive = 0] = await freePorts(3)
  const mainFile = join(folder, 'conf/nginx.conf')
  const proxy = new PrivateProxy({
    ...{ type: 'nginx', folder, http, https, alive, mainFile, stopSignal: 'SIGTERM' },
    program: findCommand('nginx'),
    command: ['nginx', '-p', folder, '-c', mainFile, '-g', 'daemon off;'],
  })
  await mkdir(join(folder, 'conf'))
  await mkdir(join(folder, 'temp'))
  await writeFile(mainFile, configuration(folder, alive, options))
  return proxy.begin()
}

function configuration(folder: string, alive: number, { include, lines = [] }: ProxyOptions): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return [
    ...(isRoot() ? [`user ${userInfo().username};`] : []),
    'worker_processes 2;',
    // Streams that do not end would keep workers of former configurations.
    'worker_shutdown_timeout 20s;',
    `pid ${folder}/server.pid;`,
    `error_log ${folder}/error.log;`,
    'events { worker_connections 512; }',
    'http {',
    '  access_log off;',
    ...temporary.map((name) => `  ${name}_temp_path ${folder}/temp/${name};`),
    ...(include === undefined ? [] : [`  include ${include}/*.conf;`]),
    ...lines.map((line) => `  ${line}`),
    // There must be a server: it shows when nginx is up.
    `  server { listen 127.0.0.1:${alive}; return 204; }`,
    '}',
    '',
  ].join('\n')
}
