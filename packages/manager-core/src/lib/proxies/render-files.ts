import type { Place, Publication, Site } from './site.js'

/**
 * Files of a generation, as all programs have them: one for all sites, as a change of one site shall not cost a write for
 * each of the others, and those that sites name, by what they hold or whose they are.
 */
export function renderFiles(
  { sites }: Publication,
  first: string,
  linesOf: (site: Site) => readonly string[],
): ReadonlyMap<string, string> {
  const files = new Map<string, string>([
    ['00-steward.conf', first],
    ['sites.conf', sites.map((site) => [`# ${site.host}`, ...linesOf(site), ''].join('\n')).join('\n')],
  ])
  for (const { tls, clientAuthorities, places } of sites) {
    if (tls) files.set(`certificates/${tls.hash}.pem`, tls.certificate)
    if (clientAuthorities !== undefined) files.set('certificates/clients.pem', clientAuthorities)
    for (const { instance, snippet } of places)
      if (instance && snippet) files.set(`snippets/${instance.id}.conf`, snippet.text)
  }
  return files
}

/** Lines of a place within its site, below whose they are. */
export function placeLines({ instance }: Place, lines: readonly string[]): readonly string[] {
  return [`  # ${instance ? `instance ${instance.name}` : 'the manager'}`, ...lines.map((line) => `  ${line}`)]
}
