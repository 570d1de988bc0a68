import { abilities as all, type Ability } from '../domain/ability.js'
import { defineAction } from './define-action.js'

/** Who asks, and what this manager offers, as `whoami` answers it. */
export type WhoAmI = {
  readonly actor: string
  readonly abilities: readonly Ability[]
  /** Names of the only instances that it may see; null: all. */
  readonly instances: readonly string[] | null
  readonly features: Readonly<Record<'terminal' | 'register' | 'download' | 'proxy', boolean>>
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
  async handler({ context: { settings, registry }, caller: { actor, abilities, instances } }) {
    const { terminal, allowRegister, allowDownload, proxy } = settings.global
    return {
      message: `You are ${actor}.`,
      item: {
        actor,
        abilities: all.filter((one) => abilities?.has(one) ?? true),
        instances: instances ? registry.instances().map(({ name }) => name) : null,
        features: {
          terminal: terminal !== undefined,
          register: allowRegister,
          download: allowDownload,
          proxy: proxy.enabled,
        },
      } satisfies WhoAmI,
    }
  },
})
