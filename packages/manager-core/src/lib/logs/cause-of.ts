import { readLogEntry, type LogEntry } from './read-log-entry.js'

/** More lines are not read when something has failed. */
const mostLines = 8

/**
 * The few lines at the end of a log that say why an application ended or does not become healthy: what was printed after
 * its last ordinary line, or else its last lines. One error has one line with the place it came from.
 */
export function causeOf(lines: readonly string[]): string {
  const entries = lines.map(readLogEntry).filter(({ isHealthCheck, text }) => !isHealthCheck && text.trim() !== '')
  const end = entries.findLastIndex(isTelling) + 1
  const begin = entries.slice(0, end).findLastIndex((entry) => !isTelling(entry)) + 1
  const telling = end === 0 ? entries.slice(-3) : entries.slice(begin, end)
  const texts = withoutFrames(telling.flatMap(({ text, details }) => [text, ...details.slice(0, 1).map(indented)]))
  const reasons = texts.filter((text) => !isRestart(text))
  // What is tried several times says the same each time.
  return [...new Set(reasons.length > 0 ? reasons : texts)].slice(-mostLines).join('\n')
}

/** What the supervisor and its shell write about an end gives no reason, and may come after the log is read. */
function isRestart(text: string): boolean {
  return (
    /^The application ended with code \d+; it is started again in [\d.]+ s\.$/.test(text) ||
    /^(?:\S+: (?:line )?\d+: +)?(?:\d+ +)?(?:Terminated|Killed|Hangup)(?: .*)?$/.test(text)
  )
}

/** The one line of them that says why; undefined: there are none. */
export function reasonIn(cause: string): string | undefined {
  const lines = cause.split('\n').filter((line) => line.trim() !== '' && !/^\s+at /.test(line))
  const reason =
    lines.find((line) => /\b(?:\w*error|\w*exception|cannot|fail(?:s|ed)|invalid|must)\b/i.test(line)) ?? lines.at(-1)
  return reason?.trim()
}

/** Neither a request nor what an application logs about its ordinary work. */
function isTelling({ level }: LogEntry): boolean {
  return level === undefined || ['warn', 'error', 'fatal'].includes(level)
}

/** From a stack that Node printed only the first place is kept, and not Node's own version. */
function withoutFrames(texts: readonly string[]): readonly string[] {
  const isFrame = (text: string | undefined) => text !== undefined && /^\s+at /.test(text)
  return texts.filter(
    (text, at) => !(isFrame(text) && isFrame(texts[at - 1])) && !/^(?:Node\.js v\S+|\s*\^+|\s*})$/.test(text),
  )
}

function indented(frame: string): string {
  return `    ${frame}`
}
