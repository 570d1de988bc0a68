import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** What is to be known of a certificate. */
export interface CertificateInfo {
  /** Host names that it is for, in lower case; also `*.example.org`. */
  readonly names: readonly string[]
  /** Common name of its issuer, or all of its name. */
  readonly issuer: string
  readonly from: Date
  readonly until: Date
}

/** The first certificate of a file. Throws when it is none. */
export function readCertificate(file: string): CertificateInfo {
  return certificateOf(readFileSync(file))
}

export function certificateOf(pem: string | Uint8Array): CertificateInfo {
  const { subjectAltName = '', issuer, validFromDate, validToDate, subject } = new X509Certificate(pem)
  const alternatives = [...subjectAltName.matchAll(/(?:^|, )(?:DNS|IP Address):([^,\s"]+)/g)].map(([, name]) => name!)
  const common = /^CN=(.+)$/m.exec(subject)?.[1]
  const names = alternatives.length > 0 ? alternatives : common === undefined ? [] : [common]
  return {
    names: names.map((name) => name.toLowerCase()),
    issuer: /^CN=(.+)$/m.exec(issuer)?.[1] ?? issuer.replaceAll('\n', ', '),
    from: validFromDate,
    until: validToDate,
  }
}

/** Names that stand for a host in certificates: itself, and `*` in place of its first label. */
export function hostsThatCover(host: string): readonly string[] {
  const name = host.toLowerCase()
  const dot = name.indexOf('.')
  return dot < 0 ? [name] : [name, `*${name.slice(dot)}`]
}

/** Whether browsers accept it for all these hosts. */
export function covers({ names }: Pick<CertificateInfo, 'names'>, hosts: readonly string[]): boolean {
  return hosts.every((host) => hostsThatCover(host).some((name) => names.includes(name)))
}
