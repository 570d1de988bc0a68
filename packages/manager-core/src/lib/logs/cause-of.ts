import { readLogEntry, type LogEntry } from './read-log-entry.js'

/** More lines are not read when something has failed. */
const mostLines = 8

/**
 * The few lines at the end of a log that say why an application ended or does not get healthy: what was printed after
 * its last ordinary line, or else its last lines. One error has one line with the place it came from.
 */
export function causeOf(lines: readonly string[]): string {
  const entries = lines.map(readLogEntry).filter(({ isHealthCheck, text }) => !isHealthCheck && text.trim() !== '')
  const end = entries.findLastIndex(isTelling) + 1
  const begin = entries.slice(0, end).findLastIndex((entry) => !isTelling(entry)) + 1
  const telling = end === 0 ? entries.slice(-3) : entries.slice(begin, end)
  const texts = withoutFrames(telling.flatMap(({ text, details }) => [text, ...details.slice(0, 1).map(indented)]))
  // What is tried several times says the same each time.
  return [...new Set(texts)].slice(-mostLines).join('\n')
}

/** Neither a request nor what an application says of its ordinary work. */
function isTelling({ level }: LogEntry): boolean {
  return level === undefined || ['warn', 'error', 'fatal'].includes(level)
}

/** From a stack that Node printed only the first place is kept, and not what it says of itself. */
function withoutFrames(texts: readonly string[]): readonly string[] {
  const isFrame = (text: string | undefined) => text !== undefined && /^\s+at /.test(text)
  return texts.filter(
    (text, at) => !(isFrame(text) && isFrame(texts[at - 1])) && !/^(?:Node\.js v\S+|\s*\^+|\s*})$/.test(text),
  )
}

function indented(frame: string): string {
  return `    ${frame}`
}
