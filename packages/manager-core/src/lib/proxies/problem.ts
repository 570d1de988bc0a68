import { hashOf } from './hash.js'
import type { Publication } from './site.js'

/** What keeps something from being published as it is wanted; the rest is published all the same. */
export interface Problem {
  /**
   * `snippet`: it was refused and is left out; `address`: nothing can be published there; `certificate`: no HTTPS there;
   * `probe`: the running program answers otherwise.
   */
  readonly kind: 'snippet' | 'address' | 'certificate' | 'probe'
  /** Absent: it is about a host, or all. */
  readonly instance?: { readonly id: string; readonly name: string }
  readonly host?: string
  /** For people, with the line of the snippet. */
  readonly message: string
  readonly file?: string
  readonly line?: number
}

/** Why a snippet was refused. */
export interface RefusedSnippet {
  readonly message: string
  readonly line?: number
}

/** Describes the snippets that were left out. */
export function snippetProblems(
  { sites }: Publication,
  refused: Readonly<Record<string, RefusedSnippet>>,
): readonly Problem[] {
  const found = new Map<string, Problem>()
  for (const { instance, snippet } of sites.flatMap(({ places }) => places)) {
    const why = snippet && refused[hashOf(snippet.text)]
    if (!instance || !why) continue
    const { message, line } = why
    const { file } = snippet
    found.set(instance.id, {
      kind: 'snippet',
      instance,
      file,
      message: `The snippet of "${instance.name}" is left out: ${message}${placeOf({ file, line })}.`,
      ...(line !== undefined && { line }),
    })
  }
  return [...found.values()]
}

/** ` (/etc/…/nginx.conf:12)`, to follow a message. */
export function placeOf({ file, line }: { readonly file?: string; readonly line?: number | undefined }): string {
  return file === undefined ? '' : ` (${file}${line === undefined ? '' : `:${line}`})`
}

/** Those that were not reported yet. */
export function newProblems(problems: readonly Problem[], known: readonly Problem[]): readonly Problem[] {
  const old = new Set(known.map(({ message }) => message))
  return problems.filter(({ message }) => !old.has(message))
}

/** What is noted when the program does not run while something is published. */
export function notRunning(type: string): Problem {
  return { kind: 'probe', message: `${type} is not running. The instances will be published when it starts.` }
}
