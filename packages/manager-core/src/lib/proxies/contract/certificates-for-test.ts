import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface TestCertificate {
  readonly certificate: string
  readonly key: string
  /** Paths of both. */
  readonly files: { readonly certificate: string; readonly key: string }
}

const elliptic = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30']

/** An authority, or, with one, a certificate of it for these names. */
export function makeCertificate(
  folder: string,
  name: string,
  { subject, names = [], issuer }: { subject: string; names?: readonly string[]; issuer?: TestCertificate },
): TestCertificate {
  const files = { certificate: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) }
  const request = ['req', '-x509', ...elliptic, '-subj', subject, '-keyout', files.key, '-out', files.certificate]
  const extensions = join(folder, `${name}.ext`)
  const alternatives = names.length === 0 ? '' : `subjectAltName=${names.map((one) => `DNS:${one}`).join(',')}\n`
  writeFileSync(extensions, `basicConstraints=CA:false\n${alternatives}`)
  if (issuer) {
    const csr = join(folder, `${name}.csr`)
    openssl(['req', '-new', ...elliptic.slice(0, 5), '-subj', subject, '-keyout', files.key, '-out', csr])
    const { certificate, key } = issuer.files
    openssl([
      ...['x509', '-req', '-in', csr, '-CA', certificate, '-CAkey', key, '-CAcreateserial', '-days', '30'],
      ...['-extfile', extensions, '-out', files.certificate],
    ])
  } else openssl(request)
  return { certificate: readFileSync(files.certificate, 'utf8'), key: readFileSync(files.key, 'utf8'), files }
}

function openssl(args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' })
}
