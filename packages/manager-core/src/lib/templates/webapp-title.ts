import { join } from 'node:path'
import { foreignOwner, readForeignFile } from '../accounts/foreign.js'

/** Far more than any of these files. */
const maxBytes = 1024 * 1024

/**
 * What a Java web application says about itself: `display-name` of `WEB-INF/web.xml`, title and version of the
 * implementation in `META-INF/MANIFEST.MF`. Empty: it does not say it.
 */
export function webappTitle(folder: string) {
  const owner = foreignOwner(folder)
  const [webXml, manifest] = ['WEB-INF/web.xml', 'META-INF/MANIFEST.MF'].map((file) =>
    readForeignFile(join(folder, file), owner, maxBytes),
  )
  const entry = (key: string) => new RegExp(`^${key}: *(.+?)\\s*$`, 'm').exec(manifest ?? '')?.[1]
  const displayName = /<display-name>\s*([^<]*?)\s*<\/display-name>/.exec(webXml ?? '')?.[1]
  const name = (displayName || entry('Implementation-Title') || '').slice(0, 200)
  return { name, title: name || 'Java web application', version: (entry('Implementation-Version') ?? '').slice(0, 200) }
}
