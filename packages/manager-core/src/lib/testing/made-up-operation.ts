import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ManagerContext, OperationKind, Step } from '../context.js'
import type { Instance } from '../domain/instance.js'
import type { StepState } from '../operation/operation.js'

/** What a made-up operation is asked to do, and where it is to fail. */
export type MadeUpRequest = {
  readonly name: string
  /** Name of a step after whose effect it fails. */
  readonly failAfter?: string
  /** Name of a step whose undo fails while there is a file `broken` in the home. */
  readonly failUndo?: string
  /** Name of a step that does not know whether it was done while there is a file `unknown` in the home. */
  readonly unknown?: string
  readonly failCommit?: boolean
}

const id = (name: string) => `i${name}`

/** Makes an instance of files: reserve, write, overwrite, then with no way back switch and clean. */
export const madeUpKind: OperationKind<MadeUpRequest, { readonly port: number }> = {
  kind: 'make-up',
  locks: ({ name }) => [`name:${name.toLowerCase()}`, 'ports'],
  async inspect(_request, { registry }) {
    return { port: 40_000 + registry.count() }
  },
  plan(request, { port }) {
    const { name } = request
    const at = ({ home }: ManagerContext, ...parts: string[]) => join(home.instances, ...parts)
    const has = (context: ManagerContext, ...parts: string[]): StepState =>
      existsSync(at(context, ...parts)) ? 'done' : 'not-done'
    const steps: readonly Step[] = [
      {
        id: 'reserve',
        title: 'Reserve the name',
        do: async ({ context, operation }) =>
          context.registry.transaction((writer) =>
            writer.insertInstance(testInstance({ id: id(name), name, port, operation })),
          ),
        undo: async ({ context }) => context.registry.transaction((writer) => writer.deleteInstance(id(name))),
        check: ({ context }) => (context.registry.byId(id(name)) ? 'done' : 'not-done'),
      },
      {
        id: 'build',
        title: 'Build it beside',
        async do({ context, operation }) {
          mkdirSync(at(context, `.${operation}`), { recursive: true })
          writeFileSync(at(context, `.${operation}`, 'file'), 'new')
          return { bytes: 3 }
        },
        undo: async ({ context, operation }) => rmSync(at(context, `.${operation}`), { recursive: true, force: true }),
        check: ({ context, operation }) => has(context, `.${operation}`, 'file'),
      },
      {
        id: 'overwrite',
        title: 'Overwrite the list',
        intent: ({ context }) => read(at(context, '..', 'list')),
        do: async ({ context, intent }) => writeFileSync(at(context, '..', 'list'), `${String(intent)}${name}\n`),
        undo: async ({ context, intent }) => writeFileSync(at(context, '..', 'list'), String(intent)),
        check: ({ context }) => (read(at(context, '..', 'list')).includes(name) ? 'done' : 'not-done'),
      },
      {
        id: 'switch',
        title: 'Put it in place',
        pointOfNoReturn: true,
        async do({ context, operation }) {
          mkdirSync(at(context, id(name)), { recursive: true })
          writeFileSync(at(context, id(name), 'file'), readFileSync(at(context, `.${operation}`, 'file')))
        },
        check: ({ context }) => has(context, id(name), 'file'),
      },
      {
        id: 'clean',
        title: 'Remove what was beside',
        do: async ({ context, operation, warn }) => {
          rmSync(at(context, `.${operation}`), { recursive: true, force: true })
          warn('cleaned')
        },
        check: ({ context, operation }) => (existsSync(at(context, `.${operation}`)) ? 'not-done' : 'done'),
      },
    ]
    return {
      title: `Make "${name}" up`,
      instance: { id: id(name), name },
      steps: steps.map((step) => faulty(step, request)),
      commit(writer) {
        if (request.failCommit) throw new Error('The commit fails, as it was told.')
        writer.updateInstance(id(name), { desired: 'started' })
      },
    }
  },
}

/** An instance as the registry takes it. */
export function testInstance(values: Partial<Instance>): Instance {
  const at = '2026-11-21T00:00:00.000Z'
  return {
    id: 'ademo',
    name: 'demo',
    version: '1.0',
    versionDate: at,
    revision: 'r1',
    desired: 'stopped',
    observed: 'stopped',
    protected: false,
    autoUpdate: false,
    autoSave: false,
    database: 'sqlite',
    port: 40_000,
    customUrl: '',
    source: 'template:1.0',
    ownerEmail: '',
    firstname: '',
    lastname: '',
    phone: '',
    company: '',
    created: at,
    updated: at,
    operation: '',
    proved: '',
    installedVersion: '',
    heldRevision: '',
    runtime: 'process',
    host: '127.0.0.1',
    ...values,
  }
}

function faulty(step: Step, { failAfter, failUndo, unknown }: MadeUpRequest): Step {
  const told = ({ home }: ManagerContext, file: string) => existsSync(join(home.folder, file))
  return {
    ...step,
    async do(run) {
      const outcome = await step.do(run)
      if (step.id === failAfter) throw new Error(`"${step.title}" fails, as it was told`)
      return outcome
    },
    ...(step.undo && {
      async undo(run) {
        if (step.id === failUndo && told(run.context, 'broken')) throw new Error(`${step.title} cannot be undone`)
        await step.undo?.(run)
      },
    }),
    check: (run) => (step.id === unknown && told(run.context, 'unknown') ? 'unknown' : step.check(run)),
  }
}

function read(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}
