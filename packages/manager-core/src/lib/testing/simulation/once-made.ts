import type { Mutation } from './bundle.js'

/** A mistake that the manager once made. */
export interface Mistake {
  readonly mistake: string
  /** What makes it again. */
  readonly mutations: readonly Mutation[]
  /** A history that comes to it. */
  readonly seed: number
  readonly finds: RegExp
}

/** A simulation that does not find these finds nothing. */
export const onceMade: readonly Mistake[] = [
  {
    mistake: 'backups follow the name, not the instance',
    seed: 74,
    finds: /The backup \S+ of \w+ is lost/,
    mutations: [
      { file: 'backup/owner.ts', replace: 'if (!instance) return', by: 'return' },
      {
        file: 'backup/retention.ts',
        replace: 'Map.groupBy(backups, ({ manifest }) => manifest.instance.id)',
        by: 'Map.groupBy(backups, ({ key }) => nameIn(key))',
      },
    ],
  },
  {
    mistake: 'a restart that fails locks the instance',
    seed: 24,
    finds: /stop .* is refused: ERR_ATTENTION .* Restart instance/,
    mutations: [
      {
        file: 'instances/restart.ts',
        replace: 'import { startStep, stopToStartStep }',
        by: 'import { startStep, stopStep as stopToStartStep }',
      },
      {
        file: 'operation/engine.ts',
        replace: 'if (stuck && !kind.despiteAttention && !kind.replacesAll?.(request))',
        by: 'if (stuck)',
      },
    ],
  },
  {
    mistake: 'what stuck operations leave stays when others replace all',
    seed: 51308,
    finds: /is leaked|was left|belongs to no instance|After all was removed/,
    mutations: [{ file: 'instances/left-step.ts', replace: 'if (!entry) continue', by: 'continue' }],
  },
  {
    mistake: 'a stuck proof ends with its instance, and leaves its own',
    seed: 52525,
    finds: /prove-\w+ has no database/,
    mutations: [{ file: 'backup/prove.ts', replace: 'worksBeside: true,', by: '' }],
  },
  {
    mistake: 'an instance stays suspended after a save',
    seed: 1,
    finds: /stays suspended/,
    mutations: [{ file: 'instances/while-suspended.ts', replace: 'await runtimes.of(ref).resume?.(ref)', by: '' }],
  },
  {
    mistake: 'what an undelete was undone from has its settings changed',
    seed: 501051,
    finds: /undelete is neither done nor undone/,
    mutations: [
      { file: 'instances/undelete.ts', replace: "if (existsSync(join(folder, 'settings.sh')))", by: 'if (false)' },
    ],
  },
]
