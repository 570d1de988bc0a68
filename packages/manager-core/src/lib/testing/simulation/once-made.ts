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

/**
 * A simulation that does not find these finds nothing. Those of a group show in different ways, and are made at the same
 * time: a build takes longer than its histories.
 */
export const onceMade: readonly (readonly Mistake[])[] = [
  [
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
  ],
  [
    {
      mistake: 'the account stays that a stuck operation left',
      seed: 668493,
      finds: /The account \S+ is leaked/,
      mutations: [
        { file: 'instances/left-step.ts', replace: 'if (!account || used.includes(name)) continue', by: 'continue' },
      ],
    },
    {
      mistake: 'the account of an instance goes with what a stuck restore left',
      seed: 2078401332,
      finds: /The account \S+ of instances\S+ is gone/,
      mutations: [
        {
          file: 'instances/left-step.ts',
          replace: '.includes(account.name)) await removeAccountFile',
          by: '.includes("none")) await removeAccountFile',
        },
        { file: 'instances/purge.ts', replace: "isShared ? '' : account", by: 'account' },
      ],
    },
    {
      mistake: 'a killed publication is not repeated',
      seed: 1658916,
      finds: /Addresses are published wrongly/,
      mutations: [
        {
          file: 'proxies/publisher.ts',
          replace: 'retiring: retiring ?? [], reloaded: false',
          by: 'retiring: retiring ?? [], reloaded: true',
        },
      ],
    },
    {
      mistake: 'one that could not be woken is no longer asleep',
      seed: 93266,
      finds: /left \w+ neither awake nor asleep/,
      mutations: [
        {
          file: 'instances/start-and-stop.ts',
          replace: '...(asleep === true && { rollback',
          by: '...(asleep === null && { rollback',
        },
      ],
    },
    {
      mistake: 'what sleeps is awake after a delete that was undone',
      seed: 700126,
      finds: /delete is neither done nor undone/,
      mutations: [
        {
          file: 'instances/runtime-steps.ts',
          replace: 'if (asleep === true) return',
          by: 'if (asleep === null) return',
        },
      ],
    },
  ],
  [
    {
      mistake: 'what stuck operations leave stays when others replace all',
      seed: 51308,
      finds: /is leaked|was left|belongs to no instance|After all was removed/,
      mutations: [{ file: 'instances/left-step.ts', replace: 'if (!entry) continue', by: 'continue' }],
    },
  ],
  [
    {
      mistake: 'a stuck proof ends with its instance, and leaves its own',
      seed: 52525,
      finds: /prove-\w+ has no database/,
      mutations: [{ file: 'backup/prove.ts', replace: 'worksBeside: true,', by: '' }],
    },
    {
      mistake: 'what an undelete was undone from has its settings changed',
      seed: 501051,
      finds: /undelete is neither done nor undone/,
      mutations: [
        { file: 'instances/undelete.ts', replace: 'if (intent !== null && existsSync(file))', by: 'if (false)' },
      ],
    },
  ],
  [
    {
      mistake: 'an instance stays suspended after a save',
      seed: 1,
      finds: /stays suspended/,
      mutations: [{ file: 'instances/while-suspended.ts', replace: 'await runtimes.of(ref).resume?.(ref)', by: '' }],
    },
  ],
]
