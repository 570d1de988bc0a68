import { writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { Background, started } from './background.js'
import { makeFolder } from './folders.js'
import { freePorts } from './ports.js'
import { run } from './programs.js'

export interface PebbleOptions {
  /** Port of 127.0.0.1 at which challenges of all hosts are looked for. */
  readonly httpPort: number
  /** How long certificates are valid. Default 5 years. */
  readonly validSeconds?: number
  /** Hosts that it refuses by its policy. */
  readonly blocked?: readonly string[]
}

/** A private ACME authority with a DNS server of its own: every host is at 127.0.0.1. */
export interface TestPebble {
  /** URL of its directory. */
  readonly directory: string
  /** File of the certificate that its own HTTPS is trusted by. */
  readonly caFile: string
  /** Lines of a manager's `config.sh` that issue by it. */
  readonly settings: readonly string[]
  /** PEM of the authority that signs. */
  authority(): Promise<string>
  /** Where a host is from now on; empty: nowhere. */
  locate(host: string, address: string): Promise<void>
  /** Accounts and orders are forgotten, as it keeps nothing. */
  restart(): Promise<void>
  stop(): Promise<void>
  close(): Promise<void>
}

/** Starts Pebble and its DNS server; about 0.3 seconds. */
export async function startPebble(options: PebbleOptions): Promise<TestPebble> {
  const folder = await makeFolder('pebble')
  const [acme = 0, management = 0, dns = 0, dnsManagement = 0] = await freePorts(4)
  const pebble = new PrivatePebble(folder, { acme, management, dns, dnsManagement }, options)
  return started(pebble, () => pebble.begin())
}

interface Ports {
  readonly acme: number
  readonly management: number
  readonly dns: number
  readonly dnsManagement: number
}

class PrivatePebble implements TestPebble {
  readonly #folder: string
  readonly #ports: Ports
  readonly #options: PebbleOptions
  readonly #dns: Background
  readonly #authority: Background

  constructor(folder: string, ports: Ports, options: PebbleOptions) {
    this.#folder = folder
    this.#ports = ports
    this.#options = options
    this.#dns = new Background(userInfo().username, folder)
    this.#authority = new Background(userInfo().username, folder)
  }

  get directory(): string {
    return `https://localhost:${this.#ports.acme}/dir`
  }

  get caFile(): string {
    return join(this.#folder, 'cert.pem')
  }

  get settings(): readonly string[] {
    return [
      'export APPS_ACME=yes',
      `export APPS_ACMEDIRECTORY=${this.directory}`,
      `export APPS_ACMECA=${this.caFile}`,
      'export APPS_ACMEEMAIL=ops@example.org',
    ]
  }

  async begin(): Promise<void> {
    const { acme, management, dns, dnsManagement } = this.#ports
    const { httpPort, validSeconds, blocked = [] } = this.#options
    const file = (name: string) => join(this.#folder, name)
    await run([
      ...[
        'openssl',
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
      ],
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
      ...['-keyout', file('key.pem'), '-out', file('cert.pem')],
    ])
    const pebble = {
      listenAddress: `127.0.0.1:${acme}`,
      managementListenAddress: `127.0.0.1:${management}`,
      certificate: file('cert.pem'),
      privateKey: file('key.pem'),
      httpPort,
      tlsPort: 9,
      domainBlocklist: blocked,
      ...(validSeconds !== undefined && { certificateValidityPeriod: validSeconds }),
    }
    await writeFile(file('pebble.json'), JSON.stringify({ pebble }))
    this.#dns.spawn('dns', [
      ...['pebble-challtestsrv', '-defaultIPv4', '127.0.0.1', '-defaultIPv6', ''],
      ...['-dns01', `127.0.0.1:${dns}`, '-management', `127.0.0.1:${dnsManagement}`],
      ...['-http01', '', '-https01', '', '-tlsalpn01', ''],
    ])
    await Promise.all([this.#dns.listens(dnsManagement), this.#startAuthority()])
  }

  async #startAuthority(): Promise<void> {
    const { acme, dns } = this.#ports
    // Without its waits, which only show clients that do not wait. It refuses some nonces, as others may.
    const command = ['env', 'PEBBLE_VA_NOSLEEP=1', 'PEBBLE_AUTHZREUSE=0', 'pebble']
    const options = ['-config', join(this.#folder, 'pebble.json'), '-dnsserver', `127.0.0.1:${dns}`]
    this.#authority.spawn('pebble', [...command, ...options])
    await this.#authority.listens(acme)
  }

  async authority(): Promise<string> {
    return run(['curl', '-sfk', `https://127.0.0.1:${this.#ports.management}/roots/0`])
  }

  async locate(host: string, address: string): Promise<void> {
    const send = (path: string, body: object) =>
      fetch(`http://127.0.0.1:${this.#ports.dnsManagement}/${path}`, { method: 'POST', body: JSON.stringify(body) })
    await send('clear-a', { host })
    if (address === '') await send('set-servfail', { host })
    else {
      await send('clear-servfail', { host })
      await send('add-a', { host, addresses: [address] })
    }
  }

  async restart(): Promise<void> {
    await this.#authority.stop()
    await this.#startAuthority()
  }

  async stop(): Promise<void> {
    await this.#authority.stop()
  }

  async close(): Promise<void> {
    await this.#dns.stop()
    await this.#authority.close()
  }
}
