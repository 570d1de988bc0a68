import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createManager, type Manager } from '../../manager.js'
import { machine, newMachineState } from './machine.js'
import { closeConnections, replaceRegistry } from './modules/sqlite.js'
import { simulatedTarget } from './target.js'

/** A home in a folder of its own, for one history after the other. */
export interface SimulatedHome {
  readonly folder: string
  readonly template: string
  /** As it was when it was begun with, on a new machine. */
  reset(seed: number): void
  /** It is begun with as it is now. */
  begin(): void
  /** Keeps the home as it is now. */
  keep(): void
  /** Brings back what was kept. */
  bringBack(): void
  manager(): Manager
  /** What the application of the next revision of the template does. */
  changeTemplate(version: number, does: 'start' | 'fail'): void
  remove(): void
}

export const adminPassword = 'administrators-own-password'

const configOf = (keepLast: number) =>
  [
    'export APPS_BASEURL=http://localhost:8000',
    'export APPS_PORTS=20000-20019',
    'export APPS_ISOLATION=no',
    'export APPS_DATABASES=mysql',
    'export APPS_DEFAULTDATABASE=mysql',
    `export APPS_MYSQL_ADMINPASSWORD=${adminPassword}`,
    `export APPS_KEEP_LAST=${keepLast}`,
    'export APPS_HEALTHWINDOW=0',
    'export APPS_STARTTIMEOUT=5',
    'APPS_TARGETS=nas',
    'APPS_TARGET_NAS_TYPE=local',
    'APPS_TARGET_NAS_PATH=/nowhere',
    '',
  ].join('\n')

/** In memory, where there is a file system of it. */
export function createSimulatedHome(): SimulatedHome {
  const root = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'steward-simulation-'))
  const [folder, template, first, kept] = ['home', 'template', 'first', 'kept'].map((name) => join(root, name)) as [
    string,
    string,
    string,
    string,
  ]
  const copy = (from: string, to: string) => {
    const names = existsSync(to) ? readdirSync(to) : []
    for (const name of names) if (name !== 'manager.db') rmSync(join(to, name), { recursive: true, force: true })
    cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  }
  const bringBack = (from: string) => replaceRegistry(join(folder, 'manager.db'), () => copy(from, folder))
  const home: SimulatedHome = {
    folder,
    template,
    reset(seed) {
      machine.boot(newMachineState(seed))
      home.changeTemplate(0, 'start')
      if (existsSync(first)) bringBack(first)
      writeFileSync(join(folder, 'config.sh'), configOf(machine.state.keepLast), { mode: 0o600 })
    },
    begin: () => copy(folder, first),
    keep: () => copy(folder, kept),
    bringBack: () => bringBack(kept),
    manager: () =>
      createManager({
        home: folder,
        applicationServer: join(template, 'app.yaml'),
        defaultTemplate: template,
        clock: () => new Date(machine.state.now),
        command: ['manager'],
        targets: {
          open: () => Promise.resolve(simulatedTarget()),
          retries: { attempts: 2, minPauseMs: 1, maxPauseMs: 2 },
        },
      }),
    changeTemplate(version, does) {
      mkdirSync(join(template, 'objects'), { recursive: true })
      const write = (file: string, content: string) => {
        writeFileSync(join(template, file), content)
        utimesSync(join(template, file), machine.state.now / 1000, machine.state.now / 1000)
      }
      write('app.yaml', `name: fake\ntitle: Fake application\nversion: 1.0.${version}\n`)
      write('objects/Note.yaml', 'name: Note\nfields:\n  - name: text\n')
      write('fake.json', JSON.stringify(does === 'start' ? {} : { start: 'fail' }))
    },
    remove() {
      closeConnections()
      rmSync(root, { recursive: true, force: true })
    },
  }
  mkdirSync(folder)
  writeFileSync(join(folder, 'config.sh'), configOf(1), { mode: 0o600 })
  writeFileSync(join(folder, 'version-1.0.sh'), `export APPS_TEMPLATE=folder:${template}\n`, { mode: 0o600 })
  return home
}
