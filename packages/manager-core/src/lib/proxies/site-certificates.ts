import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import type { CertificateFiles, Certificates } from '../certificates/create-certificates.js'
import { readPair } from '../certificates/read-pair.js'
import { hashOf } from './hash.js'
import type { Problem } from './problem.js'
import type { SiteTls } from './site.js'

/** Certificates of sites. What does not fit is looked at here: a reverse proxy would refuse all of its configuration. */
export interface SiteCertificates {
  /** @returns undefined: no HTTPS there */
  for(host: string): SiteTls | undefined
  /** One for each reason, with the hosts that it is about. */
  problems(): readonly Problem[]
}

export function createSiteCertificates(
  certificates: Pick<Certificates, 'for'>,
  authorities: string | undefined,
): SiteCertificates {
  /** Hosts by what is wrong with them. */
  const wrong = new Map<string, string[]>()
  const tell = (what: string, host: string) => wrong.set(what, [...(wrong.get(what) ?? []), host])
  const read = new Map<string, Read | string>()
  const readOnce = (files: CertificateFiles) => {
    const known = read.get(files.certificate) ?? readFiles(files, authorities)
    read.set(files.certificate, known)
    return known
  }
  return {
    for(host) {
      const name = host.replace(/^\[(.*)\]$/, '$1')
      const files = certificates.for([name])
      const found = files ? readOnce(files) : 'no certificate is set or issued'
      if (typeof found === 'string') {
        tell(`no HTTPS, as ${found}`, host)
        return undefined
      }
      const { certificate, tls } = found
      const isFor = isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)
      if (isFor === undefined) tell(`browsers refuse the certificate ${files!.certificate}, which is for others`, host)
      return tls
    },
    problems: () =>
      [...wrong].map(([what, hosts]) => ({ kind: 'certificate', message: `At ${listOf(hosts)}: ${what}.` })),
  }
}

interface Read {
  readonly certificate: X509Certificate
  readonly tls: SiteTls
}

/** @returns a text: why it cannot be used */
function readFiles(
  { certificate: file, key: keyFile, origin }: CertificateFiles,
  authorities: string | undefined,
): Read | string {
  try {
    const after = origin === 'configured' ? authorities : undefined
    const { certificate, chain, key } = readPair({ certificate: file, key: keyFile, authorities: after })
    return { certificate, tls: { certificate: chain, hash: hashOf(chain).slice(0, 16), keyFile, keyHash: hashOf(key) } }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code === undefined ? message : `its certificate cannot be used (${message})`
  }
}

/** The first ones of many. */
function listOf(names: readonly string[]): string {
  const [shown, more] = [names.slice(0, 3).join(', '), names.length - 3]
  return more > 0 ? `${shown} and ${more} more` : shown
}
