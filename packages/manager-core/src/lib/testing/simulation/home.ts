import { join } from 'node:path'
import { createManager, type Manager } from '../../manager.js'
import { imageOfDisk, replaceDisk, simulatedRoot, type DiskImage } from './disk.js'
import { mkdirSync, utimesSync, writeFileSync } from './files.js'
import { machine, newMachineState, type MachineState } from './machine.js'
import { managersHost } from './proxy.js'
import { bringBackRegistry, keepRegistry, removeRegistries } from './modules/sqlite.js'
import { simulatedTarget } from './target.js'

/** A home in a folder of its own, for one history after the other. */
export interface SimulatedHome {
  readonly folder: string
  readonly template: string
  /** As it was when it was started with, on a new machine. */
  reset(seed: number): void
  /** It is started with as it is now. */
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

const configOf = ({ keepLast, isolates, publishes }: MachineState) =>
  [
    `export APPS_BASEURL=${publishes ? `http://${managersHost}` : 'http://localhost:8000'}`,
    'export APPS_PORTS=20000-20019',
    ...(isolates ? [] : ['export APPS_ISOLATION=no']),
    ...(publishes ? ['export APPS_PROXY=yes', 'export APPS_SSL=false', 'export APPS_SLEEP_AFTER=600'] : []),
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

export function createSimulatedHome(): SimulatedHome {
  const [folder, template, registry] = [
    `${simulatedRoot}/home`,
    `${simulatedRoot}/template`,
    `${simulatedRoot}/home/manager.db`,
  ]
  const images = new Map<'first' | 'kept', DiskImage>()
  const keep = (name: 'first' | 'kept') => {
    keepRegistry(registry, name)
    images.set(name, imageOfDisk())
  }
  const bringBack = (name: 'first' | 'kept') => {
    bringBackRegistry(registry, name)
    replaceDisk(images.get(name))
  }
  const home: SimulatedHome = {
    folder,
    template,
    reset(seed) {
      machine.boot(newMachineState(seed))
      if (images.has('first')) bringBack('first')
      home.changeTemplate(0, 'start')
      writeFileSync(`${folder}/config.sh`, configOf(machine.state), { mode: 0o600 })
    },
    begin: () => keep('first'),
    keep: () => keep('kept'),
    bringBack: () => bringBack('kept'),
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
    remove: removeRegistries,
  }
  machine.boot(newMachineState(0))
  replaceDisk()
  mkdirSync(folder)
  writeFileSync(join(folder, 'config.sh'), configOf(machine.state), { mode: 0o600 })
  writeFileSync(join(folder, 'version-1.0.sh'), `export APPS_TEMPLATE=folder:${template}\n`, { mode: 0o600 })
  return home
}
