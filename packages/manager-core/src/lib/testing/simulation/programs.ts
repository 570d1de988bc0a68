import { basename } from 'node:path'
import { answerOf } from './applications.js'
import * as disk from './files.js'
import * as fs from './modules/fs.js'
import { act, inTurn, machine, under } from './machine.js'

/** What a program printed, and its exit code. */
export interface ProgramEnd {
  readonly code: number
  readonly output?: string
  readonly errors?: string
}

/** As it was called, without what changes its user. */
export interface ProgramCall {
  readonly program: string
  readonly args: readonly string[]
  /** Whom it runs as. */
  readonly uid: number
}

export function callOf(program: string, args: readonly string[]): ProgramCall {
  if (basename(program) !== 'setpriv') return { program: basename(program), args, uid: 0 }
  const at = args.indexOf('--')
  const [, uid] = /--reuid=(\d+)/.exec(args.join(' ')) ?? []
  return { program: basename(args[at + 1] ?? ''), args: args.slice(at + 2), uid: Number(uid ?? 0) }
}

/** Runs a program that does not read; each is an effect. */
export async function runCall({ program, args, uid }: ProgramCall): Promise<ProgramEnd> {
  const last = args.at(-1) ?? ''
  switch (machine.state.isolates ? program : '') {
    case 'useradd':
      return changeAccounts('useradd', () => act(`useradd ${last}`, () => addAccount(last)))
    case 'userdel':
      return changeAccounts('userdel', () => void act(`userdel ${last}`, () => machine.state.accounts.delete(last)))
    case 'chown':
      return inTurn(() => changeOwners(args))
    case 'rm':
      return inTurn(() => {
        fs.rmSync(last, { recursive: true, force: true })
        return { code: 0 }
      })
    case 'sh':
      return inTurn(() => killAllOf(uid))
  }
  const output = answerOf(args)
  return output === undefined ? { code: 127, errors: `${program}: none` } : { code: 0, output }
}

function changeAccounts(program: string, work: () => void): Promise<ProgramEnd> {
  const refusal = () => new Error(`${program}: cannot lock /etc/passwd; try again later.`)
  return under(machine.state.accountTools, work, refusal).then(
    () => ({ code: 0 }),
    (error: Error) => ({ code: 1, errors: error.message }),
  )
}

/** The highest id that is free, as `useradd --system` takes it: one that was used before comes again. */
function addAccount(name: string): void {
  const { accounts } = machine.state
  const used = new Set(accounts.values())
  let id = 59_999
  while (used.has(id)) id--
  accounts.set(name, id)
}

/** `chown -hR --from=<uid> <uid>:<gid> -- <path> …` */
function changeOwners(args: readonly string[]): ProgramEnd {
  const [, from] = /--from=(\d+)/.exec(args.join(' ')) ?? []
  const at = args.indexOf('--')
  const [uid = 0, gid = 0] = (args[at - 1] ?? '').split(':').map(Number)
  for (const path of args.slice(at + 1)) {
    const all = [path, ...below(path)].filter((each) => disk.lstatSync(each).uid === Number(from))
    const change = (paths: readonly string[]) => paths.forEach((each) => disk.lchownSync(each, uid, gid))
    if (all.length > 0)
      act(
        `chown ${path}`,
        () => change(all),
        () => change(all.slice(0, all.length >> 1)),
      )
  }
  return { code: 0 }
}

function below(path: string): readonly string[] {
  if (!disk.lstatSync(path).isDirectory()) return []
  return disk.readdirSync(path).flatMap((name) => [`${path}/${name}`, ...below(`${path}/${name}`)])
}

function killAllOf(uid: number): ProgramEnd {
  const its = [...machine.state.instances.values()].filter((each) => each.state === 'started' && each.uid === uid)
  if (its.length > 0) act(`kill all of ${uid}`, () => its.forEach((each) => (each.state = 'stopped')))
  return { code: its.length > 0 ? 0 : 1 }
}

/** An entry of a folder as `tar` reads it. */
interface Entry {
  readonly path: string
  readonly mode: number
  /** Content of a file, or target of a link; absent: a folder. */
  readonly content?: Buffer
  readonly link?: string
}

export type Archive = readonly Entry[]

/** `tar --create … --exclude=./<path> --directory=<folder> -- .` */
export function pack({ args, uid }: ProgramCall): Archive {
  const folder = args.find((each) => each.startsWith('--directory='))?.slice('--directory='.length) ?? ''
  const left = args.flatMap((each) => (each.startsWith('--exclude=./') ? [each.slice('--exclude=./'.length)] : []))
  return below(folder).flatMap((path): Entry[] => {
    const stats = disk.lstatSync(path)
    const name = path.slice(folder.length + 1)
    if (left.some((each) => name === each || name.startsWith(`${each}/`))) return []
    if (uid !== 0 && stats.uid !== uid && (stats.mode & 0o004) === 0)
      throw new Error(`tar: ${name}: Cannot open: Permission denied`)
    if (stats.isDirectory()) return [{ path: name, mode: stats.mode }]
    if (stats.isSymbolicLink()) return [{ path: name, mode: stats.mode, link: disk.readlinkSync(path) }]
    return [{ path: name, mode: stats.mode, content: disk.readFileSync(path) }]
  })
}

/** `mkdir -p -m 700 -- <folder> && exec tar --extract … --directory=<folder>`, entry by entry. */
export function unpack({ args, uid }: ProgramCall, archive: Archive): void {
  const folder = args.at(-1) ?? ''
  const own = (path: string) => disk.lchownSync(path, uid, uid)
  if (!disk.existsSync(folder)) {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    own(folder)
  }
  for (const { path, mode, content, link } of archive) {
    const to = `${folder}/${path}`
    if (link !== undefined) fs.symlinkSync(link, to)
    else if (content) fs.writeFileSync(to, content, { mode: mode & 0o777 })
    else if (!disk.existsSync(to)) fs.mkdirSync(to, { mode: mode & 0o777 })
    own(to)
  }
}
