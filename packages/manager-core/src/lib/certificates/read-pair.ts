import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** A certificate and its key, as a server takes them. */
export interface CertificatePair {
  readonly certificate: X509Certificate
  /** In PEM, followed by those of its authorities. */
  readonly chain: string
  /** In PEM. */
  readonly key: string
}

/**
 * Reads a certificate with its key, and looks whether a server can serve with them.
 *
 * @param authorities file with certificates that follow its own. Default: they are in its file.
 * @throws Error saying why not, in a sentence without its end
 */
export function readPair(files: {
  readonly certificate: string
  readonly key: string
  readonly authorities?: string | undefined
}): CertificatePair {
  const { certificate: file, key: keyFile, authorities } = files
  const [own, ...others] = certificatesIn(file)
  const certificate = own as X509Certificate
  const key = readFileSync(keyFile, 'utf8')
  const secret = keyOf(keyFile, key)
  if (!certificate.checkPrivateKey(secret))
    throw new Error(
      others.some((other) => other.checkPrivateKey(secret))
        ? `the certificates in ${file} are in the wrong order: the one for the hosts must come first`
        : `${keyFile} is not the key of ${file}`,
    )
  const chain = readFileSync(file, 'utf8')
  if (authorities === undefined) return { certificate, chain, key }
  certificatesIn(authorities)
  return { certificate, chain: `${chain.trimEnd()}\n${readFileSync(authorities, 'utf8')}`, key }
}

/** At least one. */
function certificatesIn(file: string): readonly X509Certificate[] {
  const bytes = readFileSync(file)
  const texts = bytes.toString('latin1').match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g)
  if (texts)
    try {
      return texts.map((text) => new X509Certificate(text))
    } catch (error) {
      throw new Error(`a certificate in ${file} is damaged (${(error as Error).message})`, { cause: error })
    }
  throw new Error(
    isDer(bytes)
      ? `${file} is in the DER format, not in PEM; convert it: openssl x509 -inform der -in ${file} -out <new file>`
      : `${file} is not a certificate in the PEM format`,
  )
}

function isDer(bytes: Buffer): boolean {
  try {
    return new X509Certificate(bytes).subject !== undefined
  } catch {
    return false
  }
}

function keyOf(file: string, text: string): KeyObject {
  if (/^-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(text))
    throw new Error(
      `${file} is protected by a passphrase, which no server can enter; remove it: openssl pkey -in ${file} -out <new file>`,
    )
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text))
    throw new Error(`${file} is not a private key in the PEM format`)
  try {
    return createPrivateKey(text)
  } catch (error) {
    throw new Error(`${file} is not a private key (${(error as Error).message})`, { cause: error })
  }
}
