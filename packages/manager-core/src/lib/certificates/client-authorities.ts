import { X509Certificate } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { SslSettings } from '../settings/settings.js'

/** Certificates of the file and of all files of the folder, in one text: a bundle is what all products understand. */
export function clientAuthorities(
  { clientCaCertificate: file, clientCaFolder: folder }: SslSettings,
  onUnreadable?: (message: string) => void,
): string | undefined {
  if (file === undefined && folder === undefined) return undefined
  const found = new Set<string>()
  try {
    const files = [...(file === undefined ? [] : [file]), ...(folder === undefined ? [] : filesIn(folder))]
    for (const one of files)
      for (const [pem] of readFileSync(one, 'utf8').matchAll(
        /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g,
      ))
        found.add(new X509Certificate(pem).toString().trim())
  } catch (error) {
    onUnreadable?.(`Client certificates are not requested: ${(error as Error).message}.`)
    return undefined
  }
  return found.size === 0 ? undefined : `${[...found].join('\n')}\n`
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .toSorted()
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
}
