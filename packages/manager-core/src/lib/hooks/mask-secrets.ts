import { isSecretName } from '../domain/secret-names.js'

/** Shorter ones would make ordinary text unreadable. */
const leastLength = 4

/** The texts that must not be shown: secrets of an environment as they are, in URLs, and as basic authentication. */
export function secretsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  const secrets = Object.entries(environment).flatMap(([name, value]) => {
    if (!isSecretName(name) || value.length < leastLength) return []
    const user = environment[name.replace(/PASSWORD$/, 'USER')] ?? ''
    const credentials = Buffer.from(`${user}:${value}`).toString('base64')
    return [value, encodeURIComponent(value), credentials]
  })
  return [...new Set(secrets)].toSorted((a, b) => b.length - a.length)
}

/**
 * The end of what a program printed, secrets as `***`.
 *
 * @param isCut whether more came before it, which may have been the start of a secret
 */
export function maskSecrets(output: Buffer, secrets: readonly string[], isCut = false): string {
  const masked = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), output.toString('utf8'))
  return isCut ? masked.slice(longest(secrets)) : masked
}

/** How much more than it needs of an output one has to keep, in bytes. */
export function longest(secrets: readonly string[]): number {
  return Math.max(0, ...secrets.map((secret) => Buffer.byteLength(secret)))
}
