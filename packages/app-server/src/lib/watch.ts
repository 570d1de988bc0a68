import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { relative, resolve, sep } from 'node:path'

/** Editors write several files for one change. Not specified; chosen as less than a person notices. */
const settleMs = 100

export interface WatchOptions {
  /** Folder of the application. */
  readonly folder: string
  /** What is in it and no part of the application: the database, documents. */
  readonly dataFolder: string
  /** The command line, without the option that watches. */
  readonly args: readonly string[]
}

/** Serves in a process of its own, which starts again after each change of a file, until this one is asked to stop. */
export async function serveAgainOnChanges({ folder, dataFolder, args }: WatchOptions): Promise<number> {
  let stopped = false
  let changed = Promise.withResolvers<void>()
  let server: ChildProcess | undefined
  const data = relative(folder, resolve(dataFolder))
  const watcher = watch(folder, { recursive: true }, (_, file) => {
    if (file === null || isApart(file, data)) return
    setTimeout(() => changed.resolve(), settleMs)
  })
  const stop = (): void => {
    stopped = true
    changed.resolve()
  }
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  try {
    for (;;) {
      server = spawn(process.execPath, [...process.execArgv, process.argv[1] as string, ...args], { stdio: 'inherit' })
      const ended = once(server, 'exit')
      ended.then(
        ([code]) => code && !stopped && process.stderr.write('app-server: waiting for a change of the application\n'),
        () => {},
      )
      await changed.promise
      server.kill('SIGTERM')
      const [code] = (await ended) as [number | null]
      if (stopped) return code ?? 0
      changed = Promise.withResolvers<void>()
    }
  } finally {
    watcher.close()
    server?.kill('SIGTERM')
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
  }
}

/** Definitions, code and templates: the application's own database may be in the folder, too. */
const ofApplication = /\.(?:[cm]?[jt]s|ya?ml|json|hbs|html?|txt|csv|xml|md|docx)$/

function isApart(file: string, data: string): boolean {
  const [first = ''] = file.split(sep)
  return !ofApplication.test(file) || first === 'node_modules' || first.startsWith('.') || file.startsWith(data + sep)
}
