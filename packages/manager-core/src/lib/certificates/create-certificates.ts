import { existsSync, statSync } from 'node:fs'
import type { Home } from '../home.js'
import type { Settings, SslSettings } from '../settings/settings.js'
import { covers, readCertificate, type CertificateInfo } from './certificate.js'
import { stampOf, storedCertificates, type StoredCertificate } from './stored.js'

/** Files for HTTPS; absolute paths. They never change: a new certificate has other paths, but for configured ones. */
export interface CertificateFiles {
  /** With the certificates of its authorities behind it. */
  readonly certificate: string
  readonly key: string
  readonly origin: 'configured' | 'acme'
}

/** Certificates of this manager's addresses: those of its settings, and those that were issued over ACME. */
export interface Certificates {
  /**
   * Files to use for hosts: the configured ones when they are for all of them, else those that were issued for them, else
   * the configured ones all the same. Certificates that have expired are given, too: they tell more than no answer.
   *
   * @returns undefined: there is none, so that HTTPS is not possible (yet)
   */
  for(hostNames: readonly string[]): CertificateFiles | undefined
  /** Those that were issued, by name. */
  issued(): readonly StoredCertificate[]
  /** The configured one; undefined: none is set. Throws when it cannot be read. */
  configured(): (CertificateFiles & CertificateInfo) | undefined
}

export interface CertificatesOptions {
  readonly home: Pick<Home, 'certificates'>
  readonly settings: () => Settings
}

export function createCertificates({ home: { certificates: folder }, settings }: CertificatesOptions): Certificates {
  const issued = cached(
    () => String(stampOf(folder)),
    () => storedCertificates(folder),
  )
  const namesOf = cached(
    () => stampOfFile(settings().global.ssl.serverCertificate),
    () => readCertificate(settings().global.ssl.serverCertificate!),
  )
  return {
    issued,
    configured() {
      const files = filesOf(settings().global.ssl)
      return files && { ...files, ...namesOf() }
    },
    for(hostNames) {
      const own = filesOf(settings().global.ssl)
      if (own && isFor(namesOf, hostNames)) return own
      // The one that lasts longest.
      const [best] = issued()
        .filter((one) => covers(one, hostNames))
        .toSorted((a, b) => b.until.getTime() - a.until.getTime())
      return best ? { certificate: best.certificate, key: best.key, origin: 'acme' } : own
    },
  }
}

/** Both are set, and there. */
function filesOf({ serverCertificate: certificate, serverKey: key }: SslSettings): CertificateFiles | undefined {
  if (certificate === undefined || key === undefined || !existsSync(certificate) || !existsSync(key)) return undefined
  return { certificate, key, origin: 'configured' }
}

/** One that cannot be read is for nobody; doctor tells of it. */
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
