import { join } from 'node:path'
import { jobsAt, type JobRunner } from '../schedule/jobs.js'
import { unitsOf, type Unit } from '../schedule/systemd-units.js'
import type { SetupOptions } from './options.js'
import type { Piece } from './piece.js'
import { proxyPieces, sudoPieces, type ProxyProgram } from './proxy-pieces.js'
import { homeFile } from './record.js'
import { logrotatePiece, serveCronPiece, servePiece, socketPiece, type ServeOptions } from './serve-unit.js'

export interface PlanOptions {
  readonly options: SetupOptions
  readonly command: readonly string[]
  /** The account's group. */
  readonly group: string
  readonly proxy: ProxyProgram | undefined
  /** Folder that stands for `/`. */
  readonly root: string
  /** APPS_LISTEN of a home that is there. */
  readonly listen?: string | undefined
  /** Commands of this machine find this home when they are not given another one. */
  readonly isDefaultHome: boolean
}

/** All files outside of the home, in the order in which they are written. */
export function piecesOf({
  options,
  command,
  group,
  proxy,
  root,
  listen,
  isDefaultHome,
}: PlanOptions): readonly Piece[] {
  const { home, service, user, port, supervisor } = options
  const usesSudo = proxy !== undefined && user !== 'root'
  const serve: ServeOptions = { home, service, user, group, command, usesSudo }
  return [
    ...(isDefaultHome
      ? [{ path: homeFile, mode: 0o644, about: 'where commands find the home', text: `${home}\n` }]
      : []),
    ...(usesSudo ? sudoPieces(proxy, options) : []),
    ...(proxy ? proxyPieces(proxy, options, root) : []),
    ...(supervisor === 'systemd'
      ? [servePiece(serve), socketPiece(serve, listen ?? `127.0.0.1:${port}`), ...jobUnits(serve).map(pieceOfUnit)]
      : [serveCronPiece(serve)]),
    logrotatePiece(serve),
  ]
}

/** What is done every night and when the machine has started. */
export const jobs = jobsAt({})

export function jobRunner({ home, command }: Pick<ServeOptions, 'home' | 'command'>): JobRunner {
  return { home, command, log: join(home, 'logs/schedule.log') }
}

/** Units of systemd for them. */
export function jobUnits({ home, command, user, group }: Omit<ServeOptions, 'service' | 'usesSudo'>): readonly Unit[] {
  const owner = user === 'root' ? {} : { user, group }
  return unitsOf(jobs, jobRunner({ home, command }), { system: true, ...owner })
}

function pieceOfUnit({ name, text }: Unit): Piece {
  return {
    path: `/etc/systemd/system/${name}`,
    mode: 0o644,
    text,
    about: name.endsWith('.timer') ? 'when it is done' : 'what is done by itself',
  }
}
