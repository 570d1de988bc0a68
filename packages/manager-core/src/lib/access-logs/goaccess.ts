import { Readable } from 'node:stream'
import { ManagerError } from '../../errors.js'
import type { LoggedRequest } from './read-requests.js'

/** Whether GoAccess is there. */
export async function hasGoAccess(environment: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  const { execa } = await import('execa')
  const { failed } = await execa('goaccess', ['--version'], { reject: false, env: environment, extendEnv: false })
  return !failed
}

/** Its format, one tab-separated line per request: time, address, user, method, path, status, bytes, ms, referrer, agent. */
const format = '%x\t%h\t%e\t%m\t%U\t%s\t%b\t%L\t%R\t%u'

const arguments_ = [
  '-',
  '--log-format',
  format,
  '--datetime-format',
  '%s',
  '--output',
  'html',
  '--no-global-config',
  '--no-progress',
  '--ignore-crawlers',
  '--anonymize-ip',
  '--tz=UTC',
]

/**
 * A report as one HTML file, made by GoAccess. Queries are left out, addresses anonymised.
 *
 * @throws ManagerError ERR_FAILED with what it printed.
 */
export async function goAccessReport(
  requests: AsyncIterable<LoggedRequest>,
  title: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const { execa } = await import('execa')
  const { failed, stdout, stderr } = await execa('goaccess', [...arguments_, '--html-report-title', title], {
    input: Readable.from(toLines(requests)),
    reject: false,
    env: environment,
    extendEnv: false,
    maxBuffer: 64 * 2 ** 20,
  })
  if (failed || !stdout.includes('<html'))
    throw new ManagerError('ERR_FAILED', 'GoAccess could not create the report.', { output: stderr.slice(-2000) })
  return stdout
}

async function* toLines(requests: AsyncIterable<LoggedRequest>): AsyncGenerator<string> {
  for await (const request of requests) {
    const { time, address, user, method, url, status, bytes, durationMs, referrer, userAgent } = request
    const fields = [
      Math.floor(time / 1000),
      address,
      user ?? '-',
      method,
      url.split('?')[0],
      status,
      bytes,
      Math.round(durationMs),
      referrer?.split('?')[0] ?? '-',
      userAgent ?? '-',
    ]
    yield `${fields.map((field) => String(field).replaceAll(/[\t\r\n]/g, ' ')).join('\t')}\n`
  }
}
