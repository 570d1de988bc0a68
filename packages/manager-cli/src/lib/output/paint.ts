import { styleText } from 'node:util'
import type { GlobalOptions } from '../global-options.js'
import type { Surroundings } from '../surroundings.js'

/** Colours a text, or leaves it as it is. */
export type Paint = (style: Style, text: string) => string
export type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow'

export const plainPaint: Paint = (_, text) => text

/** Colours for a terminal that wants them: neither --no-color nor NO_COLOR. */
export function createPaint(options: GlobalOptions, surroundings: Surroundings): Paint {
  return isColored(options, surroundings, 'stdout')
    ? (style, text) => styleText(style, text, { validateStream: false })
    : plainPaint
}

export function isColored(
  { color }: GlobalOptions,
  { env, ...streams }: Surroundings,
  stream: 'stdout' | 'stderr',
): boolean {
  return color !== false && Boolean(streams[stream].isTTY) && !env.NO_COLOR && env.TERM !== 'dumb'
}
