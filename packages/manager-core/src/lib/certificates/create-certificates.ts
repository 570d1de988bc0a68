import { existsSync, statSync } from 'node:fs'
import type { Home } from '../domain/home.js'
import type { Settings, SslSettings } from '../settings/settings.js'
import { covers, hostsThatCover, readCertificate, type CertificateInfo } from './certificate.js'
import { stampOf, storedCertificates, type StoredCertificate } from './stored.js'

/** Files for HTTPS; absolute paths. They never change: a new certificate has other paths, but for configured ones. */
export interface CertificateFiles {
  /** Followed by the certificates of its authorities. */
  readonly certificate: string
  readonly key: string
  readonly origin: 'configured' | 'acme'
}

/** Certificates of this manager's addresses: those of its settings, and those that were issued over ACME. */
export interface Certificates {
  /**
   * Files to use for hosts: the configured ones when they are for all of them, else those that were issued for them, else
   * the configured ones all the same. Certificates that have expired are served, too: they say more than no answer.
   *
   * @returns undefined: there is none, so that HTTPS is not possible (yet)
   */
  for(hostNames: readonly string[]): CertificateFiles | undefined
  /** Whether there is one, configured or issued, that browsers accept for a host; expired ones count. */
  covers(hostName: string): boolean
  /** Those that were issued, by name. */
  issued(): readonly StoredCertificate[]
}

export interface CertificatesOptions {
  readonly home: Pick<Home, 'certificates'>
  readonly settings: () => Settings
}

export function createCertificates({ home: { certificates: folder }, settings }: CertificatesOptions): Certificates {
  const issued = cached(
    () => String(stampOf(folder)),
    () => {
      const list = storedCertificates(folder)
      return {
        list,
        byHost: Map.groupBy(
          list.flatMap((one) => one.names.map((host) => ({ host, one }))),
          ({ host }) => host,
        ),
      }
    },
  )
  const namesOf = cached(
    () => stampOfFile(settings().global.ssl.serverCertificate),
    () => readCertificate(settings().global.ssl.serverCertificate!),
  )
  const acmeFor = ([first = '', ...others]: readonly string[]): StoredCertificate | undefined => {
    const { byHost } = issued()
    const found = hostsThatCover(first).flatMap((host) => byHost.get(host) ?? [])
    // The one that lasts longest.
    return found
      .map(({ one }) => one)
      .filter((one) => covers(one, others))
      .toSorted((a, b) => b.until.getTime() - a.until.getTime())[0]
  }
  const isConfiguredFor = (hostNames: readonly string[]) =>
    filesOf(settings().global.ssl) !== undefined && isFor(namesOf, hostNames)
  return {
    issued: () => issued().list,
    covers: (hostName) => isConfiguredFor([hostName]) || acmeFor([hostName]) !== undefined,
    for(hostNames) {
      const own = filesOf(settings().global.ssl)
      if (isConfiguredFor(hostNames)) return own
      const best = acmeFor(hostNames)
      return best ? { certificate: best.certificate, key: best.key, origin: 'acme' } : own
    },
  }
}

/** Both are set, and there. */
function filesOf({ serverCertificate: certificate, serverKey: key }: SslSettings): CertificateFiles | undefined {
  if (certificate === undefined || key === undefined || !existsSync(certificate) || !existsSync(key)) return undefined
  return { certificate, key, origin: 'configured' }
}

/** One that cannot be read is not used; doctor reports it. */
function isFor(read: () => CertificateInfo, hostNames: readonly string[]): boolean {
  try {
    return covers(read(), hostNames)
  } catch {
    return false
  }
}

function stampOfFile(file: string | undefined): string {
  const stat = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false })
  return `${file}:${stat?.mtimeMs}:${stat?.size}:${stat?.ino}`
}

/** Reads again only when the stamp changes: there may be thousands of certificates, and thousands of questions. */
function cached<T>(stamp: () => string, read: () => T): () => T {
  let last: { readonly stamp: string; readonly value: T } | undefined
  return () => {
    const now = stamp()
    if (last?.stamp !== now) last = { stamp: now, value: read() }
    return last.value
  }
}
