import { hashOf } from './hash.js'
import type { RefusedSnippet } from './problem.js'
import type { ProxyState } from './proxy-state.js'
import type { ProxyRefusal } from './reverse-proxy.js'
import type { Place, Publication } from './site.js'

export interface ChosenSnippets {
  /** Without the snippets that were refused. */
  readonly publication: Publication
  readonly refused: ProxyState['refused']
  /** Why nothing of it can be published; undefined: the publication is good. */
  readonly refusal: ProxyRefusal | undefined
}

export interface SnippetTest {
  readonly refusal: ProxyRefusal | undefined
  /** Id of the instance whose snippet a file of the test holds. */
  idOf(file: string): string | undefined
}

/**
 * Leaves out snippets that spoil the configuration, and only those: the one that the program names, or, when it names
 * none, those without which it is good.
 *
 * @param known snippets that were refused before, by hash: they are left out at once
 */
export async function chooseSnippets(
  publication: Publication,
  known: ProxyState['refused'],
  test: (publication: Publication) => Promise<SnippetTest>,
): Promise<ChosenSnippets> {
  const places = publication.sites.flatMap((site) => site.places.filter(({ snippet }) => snippet))
  const refused: Record<string, RefusedSnippet> = {}
  for (const { snippet } of places) {
    const hash = hashOf(snippet!.text)
    if (known[hash]) refused[hash] = known[hash]
  }
  for (;;) {
    const chosen = without(publication, refused)
    const { refusal, idOf } = await test(chosen)
    if (!refusal) return { publication: chosen, refused, refusal }
    const id = refusal.file === undefined ? undefined : idOf(refusal.file)
    const place = places.find(({ instance, snippet }) => instance?.id === id && !refused[hashOf(snippet!.text)])
    if (id !== undefined && place?.snippet) {
      const { message, line } = refusal
      refused[hashOf(place.snippet.text)] = { message, ...(line !== undefined && { line }) }
      continue
    }
    const left = places.filter(({ snippet }) => !refused[hashOf(snippet!.text)])
    const all = { ...refused, ...Object.fromEntries(left.map(({ snippet }) => [hashOf(snippet!.text), refusal])) }
    if (left.length === 0 || (await test(without(publication, all))).refusal) return { publication, refused, refusal }
    for (const hash of await spoilers([...new Set(left.map(({ snippet }) => hashOf(snippet!.text)))], all))
      refused[hash] = { message: refusal.message }
  }

  /** Tries these snippets, halved again and again; all others are left out. */
  async function spoilers(hashes: readonly string[], all: ProxyState['refused']): Promise<readonly string[]> {
    const others = Object.fromEntries(Object.entries(all).filter(([hash]) => !hashes.includes(hash)))
    if (!(await test(without(publication, others))).refusal) return []
    if (hashes.length === 1) return hashes
    const middle = hashes.length >> 1
    const found = [...(await spoilers(hashes.slice(0, middle), all)), ...(await spoilers(hashes.slice(middle), all))]
    // Each half is good by itself: they do not bear each other.
    return found.length > 0 ? found : hashes
  }
}

/** Without the snippets that were refused. */
export function without(publication: Publication, refused: ProxyState['refused']): Publication {
  const plain = ({ snippet, ...place }: Place): Place =>
    snippet && !refused[hashOf(snippet.text)] ? { ...place, snippet } : place
  return { ...publication, sites: publication.sites.map((site) => ({ ...site, places: site.places.map(plain) })) }
}
