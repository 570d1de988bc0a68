import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { abilities as all, type Ability } from '../domain/ability.js'
import { hookNames } from '../hooks/hooks.js'
import { defineAction } from './define-action.js'

/** The caller, and what this manager offers, as `whoami` answers it. */
export type WhoAmI = {
  readonly actor: string
  /** What this manager is called: APPS_REALMNAME. */
  readonly place: string
  readonly abilities: readonly Ability[]
  /** Names of the only instances that it may see; null: all. */
  readonly instances: readonly string[] | null
  readonly features: Readonly<Record<'terminal' | 'register' | 'download' | 'proxy', boolean>>
  /** What a new instance gets unless something else is asked for, and the databases that it may have. */
  readonly defaults: {
    readonly databases: readonly string[]
    readonly database: string
    readonly runtime: string
    readonly protected: boolean
    readonly auto_save: boolean
    readonly auto_update: boolean
  }
  /** Hooks that there are: `pre-add`. */
  readonly hooks: readonly string[]
  /** How long what was deleted can be restored; 0: not at all. */
  readonly trash_days: number
}

export const whoamiAction = defineAction({
  name: 'whoami',
  group: 'Access',
  summary: 'Show your identity, your abilities, and the features of this manager',
  ability: 'read',
  mutating: false,
  scoped: true,
  surfaces: ['api'],
  examples: ['whoami'],
  view: { type: 'record' },
  async handler({ context: { settings, registry, home }, caller: { actor, grant } }) {
    const { realmName, terminal, allowRegister, allowDownload, proxy, trashDays, ...global } = settings.global
    return {
      message: `You are ${actor}.`,
      item: {
        actor,
        place: realmName,
        abilities: all.filter((one) => grant.abilities.has(one)),
        instances: grant.scope.all ? null : registry.instances().map(({ name }) => name),
        features: {
          terminal: terminal !== undefined,
          register: allowRegister,
          download: allowDownload,
          proxy: proxy.enabled,
        },
        defaults: {
          databases: global.databases,
          database: global.defaultDatabase,
          runtime: global.runtime,
          protected: global.defaultProtected,
          auto_save: global.defaultAutoSave,
          auto_update: global.defaultAutoUpdate,
        },
        hooks: hookNames.filter((name) => [`${name}.sh`, name].some((file) => existsSync(join(home.hooks, file)))),
        trash_days: trashDays,
      } satisfies WhoAmI,
    }
  },
})
