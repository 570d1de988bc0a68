import { ManagerError } from '../../errors.js'
import { argumentsOf, environmentOf, jobNames, type FoundJob, type Job, type JobRunner } from './jobs.js'

/** The jobs of a home as lines of a crontab, between two marks that name the home. */
export function cronBlock(jobs: readonly Job[], runner: JobRunner): string {
  const { begin, end } = marksOf(runner.home)
  const environment = Object.entries(environmentOf(runner)).map(([name, value]) => `${name}=${shellWord(value)}`)
  const lines = jobs.map(({ name, time }) => {
    const command = [
      ...environment,
      ...argumentsOf(name, runner).map(shellWord),
      `>>${shellWord(runner.log)}`,
      '2>&1',
    ].join(' ')
    // To cron an unescaped percent sign is a line end.
    return `${whenOf(time)} ${command.replaceAll('%', String.raw`\%`)}`
  })
  return `${[begin, ...lines, end].join('\n')}\n`
}

/**
 * A crontab with the block of a home, in the place of the old one or at the end; all other lines stay as they are, byte
 * for byte.
 *
 * @param block empty: without one
 * @throws ManagerError ERR_STATE when the marks of the old block are no pair.
 */
export function withBlock(crontab: string, block: string, home: string): string {
  const found = findBlock(crontab, home)
  if (found) return crontab.slice(0, found.from) + block + crontab.slice(found.to)
  if (block === '') return crontab
  return crontab + (crontab === '' || crontab.endsWith('\n') ? '' : '\n') + block
}

/** The jobs of a home that are in a crontab. */
export function jobsIn(crontab: string, home: string): readonly FoundJob[] {
  const found = findBlock(crontab, home)
  if (!found) return []
  return crontab
    .slice(found.from, found.to)
    .split('\n')
    .flatMap((line) => {
      const name = jobNames.find((job) => line.includes(` ${job} --home `))
      const time = timeOf(line)
      return name && time ? [{ name, time, program: programOf(name, line) }] : []
    })
}

function findBlock(crontab: string, home: string): { readonly from: number; readonly to: number } | undefined {
  const marks = marksOf(home)
  const at = (mark: string) => {
    const places: number[] = []
    let from = 0
    for (const line of crontab.split('\n')) {
      if (line.replace(/\r$/, '') === mark) places.push(from)
      from += line.length + 1
    }
    return places
  }
  const [begins, ends] = [at(marks.begin), at(marks.end)]
  if (begins.length === 0 && ends.length === 0) return undefined
  const [from, last] = [begins[0], ends[0]]
  if (begins.length !== 1 || ends.length !== 1 || from === undefined || last === undefined || from > last)
    throw new ManagerError('ERR_STATE', `The crontab has unpaired marks of ${home}.`, {
      help: `Remove the lines "${marks.begin}" and "${marks.end}" and the lines between them with: crontab -e`,
    })
  const lineEnd = crontab.indexOf('\n', last)
  return { from, to: lineEnd < 0 ? crontab.length : lineEnd + 1 }
}

function marksOf(home: string): { readonly begin: string; readonly end: string } {
  return { begin: `# BEGIN steward manager ${home}`, end: `# END steward manager ${home}` }
}

function whenOf(time: string): string {
  if (time === 'boot') return '@reboot'
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return `${minute} ${hour} * * *`
}

/** What a line that `cronBlock` wrote runs. */
function programOf(job: string, line: string): readonly string[] {
  const words = (line.replaceAll(String.raw`\%`, '%').match(/(?:'[^']*'|\\.|[^\s'\\])+/g) ?? []).map((word) =>
    word.replace(/'([^']*)'|\\(.)/g, (_all, quoted: string | undefined, escaped: string) => quoted ?? escaped),
  )
  const from = words.findIndex((word) => word.startsWith('STEWARD_SURFACE='))
  const to = words.findIndex((word, at) => at > from && word === job && words[at + 1] === '--home')
  return words.slice(from + 1, Math.max(to, 0))
}

/** The time in a line. */
function timeOf(line: string): string | undefined {
  if (line.startsWith('@reboot ')) return 'boot'
  const [, minute, hour] = /^(\d+) (\d+) \* \* \* /.exec(line) ?? []
  return minute && hour && `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
}

/** For a shell; plain words stay readable. */
export function shellWord(text: string): string {
  return /^[\w@+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
