import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DatabaseChanges, PendingMigration } from '../application/check-application.js'

/** Program that serves the fake application; it is only there in the sources, for tests. */
export const fakeApplicationServer = fileURLToPath(new URL('./fake-application-server.mjs', import.meta.url))

/** How the fake application server behaves; it reads `fake.json` when it starts, and `health` with each call. */
export interface FakeApplication {
  readonly start?: 'fail' | 'hang'
  /** Waits that long before it listens, in ms. */
  readonly startMs?: number
  /** `KO` or another status is answered with 503; `hang` never answers. */
  readonly health?: 'OK' | 'KO' | 'hang'
  /** How much waiting work it reports; read with each call. Default 0. */
  readonly waiting?: number
  /** Ends with code 1 this long after it started to listen, in ms. */
  readonly crashMs?: number
  /** SQL for the SQLite database, run at each start. */
  readonly migrate?: string
  /** What `--check` and `--plan` report about its files. */
  readonly problems?: readonly string[]
  /** The package that keeps its documents. Default: a folder. */
  readonly documentsPackage?: string
  /** What `--plan` reports about its database. */
  readonly changes?: DatabaseChanges
  /** What `--plan` reports about its migrations. */
  readonly migrations?: readonly PendingMigration[]
  /** The data model that it reports. Default: the same for all. */
  readonly model?: string
  /** By service of the I/O endpoint, what it is refused with. */
  readonly io?: Readonly<Record<string, string>>
}

/** Sets how the application in this folder behaves: a template, or the `app` of an instance. */
export function tellFake(folder: string, fake: FakeApplication): void {
  writeFileSync(join(folder, 'fake.json'), JSON.stringify(fake))
}

/** The least of a template: a few files, one of them in a folder. */
export function writeTemplate(
  folder: string,
  { version = '1.0.0', fake = {} }: { readonly version?: string; readonly fake?: FakeApplication | undefined } = {},
): void {
  mkdirSync(join(folder, 'objects'), { recursive: true })
  writeFileSync(join(folder, 'app.yaml'), `name: fake\ntitle: Fake application\nversion: ${version}\n`)
  writeFileSync(join(folder, 'objects', 'Note.yaml'), 'name: Note\nfields:\n  - name: text\n')
  tellFake(folder, fake)
}
