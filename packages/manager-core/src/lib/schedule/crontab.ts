import { ManagerError } from '../../errors.js'
import { cronBlock, jobsIn, withBlock } from './cron-block.js'
import type { FoundJob, Job, JobRunner } from './jobs.js'

export interface CrontabOptions {
  /** Whose; undefined: the caller's. */
  readonly user?: string | undefined
  /** Over the environment of this process, `PATH` above all. */
  readonly environment?: Readonly<Record<string, string>>
}

/** Puts the jobs of a home into a crontab. @returns whether anything changed. */
export async function installCron(jobs: readonly Job[], runner: JobRunner, options: CrontabOptions): Promise<boolean> {
  return change(runner.home, bytesOf(cronBlock(jobs, runner)), options)
}

/** Takes the jobs of a home out of a crontab. @returns whether there were any. */
export async function removeCron(home: string, options: CrontabOptions): Promise<boolean> {
  return change(home, '', options)
}

/** The jobs of a home in a crontab; none when there is no cron. */
export async function cronJobs(home: string, options: CrontabOptions): Promise<readonly FoundJob[]> {
  try {
    return jobsIn(await read(options), bytesOf(home)).map(({ program, ...job }) => ({
      ...job,
      program: program.map((word) => Buffer.from(word, 'latin1').toString('utf8')),
    }))
  } catch (error) {
    if (ManagerError.is(error) && error.code === 'ERR_NOT_FOUND') return []
    throw error
  }
}

async function change(home: string, block: string, options: CrontabOptions): Promise<boolean> {
  const before = await read(options)
  const after = withBlock(before, block, bytesOf(home))
  if (after === before) return false
  await crontab(['-'], options, after)
  // Another one may have read it before and written it after.
  if ((await read(options)) !== after)
    throw new ManagerError('ERR_FAILED', 'The crontab was changed by another program at the same time.', {
      help: 'Check it, then try again.',
      command: 'schedule show',
    })
  return true
}

/**
 * Empty when the user has none.
 *
 * @throws ManagerError when it could not be read: then it must not be written either.
 */
async function read(options: CrontabOptions): Promise<string> {
  const { code, stdout, stderr } = await crontab(['-l'], options)
  if (code === 0) return stdout
  if (/no crontab for|can't open .*no such file/i.test(stderr)) return ''
  throw new ManagerError('ERR_FAILED', `The crontab cannot be read: ${stderr.trim() || `code ${code}`}.`)
}

/** All bytes as characters of the same number: what others wrote in whatever encoding stays as it is. */
async function crontab(args: readonly string[], { user, environment }: CrontabOptions, input?: string) {
  const { execa } = await import('execa')
  const all = [...(user === undefined ? [] : ['-u', user]), ...args]
  const { exitCode, stdout, stderr, failed, code, shortMessage } = await execa('crontab', all, {
    env: { ...environment, LC_ALL: 'C' },
    encoding: 'buffer',
    stripFinalNewline: false,
    reject: false,
    timeout: 30_000,
    ...(input === undefined ? { stdin: 'ignore' as const } : { input: Buffer.from(input, 'latin1') }),
  })
  if (code === 'ENOENT')
    throw new ManagerError('ERR_NOT_FOUND', 'The program crontab is not installed.', {
      help: 'Install cron, or use systemd timers: manager schedule install --systemd',
    })
  const said = Buffer.from(stderr ?? '').toString('utf8')
  if (exitCode === undefined || (failed && input !== undefined))
    throw new ManagerError('ERR_FAILED', `The crontab was not changed: ${said.trim() || shortMessage}.`)
  return { code: exitCode, stdout: Buffer.from(stdout ?? '').toString('latin1'), stderr: said }
}

function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
