import type { Surroundings } from '../surroundings.js'

/** A text that leads to an address (OSC 8), or the text alone. */
export type Link = (address: string, text: string) => string

export const plainLink: Link = (_, text) => text

const web = /^https?:\/\/[\u0021-\u007e]+$/

/** Links for a terminal that shows them. */
export function createLink(surroundings: Surroundings): Link {
  if (!showsLinks(surroundings)) return plainLink
  return (address, text) => (web.test(address) ? `\u001b]8;;${address}\u001b\\${text}\u001b]8;;\u001b\\` : text)
}

/**
 * Terminals do not answer whether they show links, so those that are known to are listed. `FORCE_HYPERLINK` decides where it
 * is set: `0` or `false` for none. Source: https://github.com/Alhadis/OSC8-Adoption
 */
function showsLinks({ stdout, env }: Surroundings): boolean {
  // What reads a pipe would get them as text.
  if (!stdout.isTTY) return false
  const { FORCE_HYPERLINK: forced, NO_COLOR, CI, TERM = '', TERM_PROGRAM = '', VTE_VERSION } = env
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false'
  if (NO_COLOR || CI || TERM === 'dumb') return false
  return (
    /^(?:iTerm\.app|WezTerm|vscode|ghostty|zed|Hyper|Tabby|rio|WarpTerminal)$/.test(TERM_PROGRAM) ||
    /^(?:alacritty|foot|xterm-kitty|xterm-ghostty|contour)/.test(TERM) ||
    // 0.50.0 ended on the first link.
    Number(VTE_VERSION) > 5000 ||
    Boolean(env.WT_SESSION || env.KONSOLE_VERSION || env.DOMTERM)
  )
}

/** Whether the values of a key are addresses. */
export function isAddress(key: string): boolean {
  return /(?:^|_)url$/.test(key)
}
