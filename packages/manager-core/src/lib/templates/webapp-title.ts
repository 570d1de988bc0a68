import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Far more than any of these files. */
const maxBytes = 1024 * 1024

/**
 * What a Java web application says about itself: `display-name` of `WEB-INF/web.xml`, title and version of the
 * implementation in `META-INF/MANIFEST.MF`. Empty: it does not say it.
 */
export async function webappTitle(folder: string) {
  const [webXml, manifest] = await Promise.all(
    ['WEB-INF/web.xml', 'META-INF/MANIFEST.MF'].map((file) => read(folder, file)),
  )
  const entry = (key: string) => new RegExp(`^${key}: *(.+?)\\s*$`, 'm').exec(manifest ?? '')?.[1]
  const displayName = /<display-name>\s*([^<]*?)\s*<\/display-name>/.exec(webXml ?? '')?.[1]
  const name = (displayName || entry('Implementation-Title') || '').slice(0, 200)
  return { name, title: name || 'Java web application', version: (entry('Implementation-Version') ?? '').slice(0, 200) }
}

async function read(folder: string, file: string): Promise<string> {
  const path = join(folder, file)
  const stats = await lstat(path).catch(() => undefined)
  return stats?.isFile() && stats.size <= maxBytes ? readFile(path, 'utf8') : ''
}
