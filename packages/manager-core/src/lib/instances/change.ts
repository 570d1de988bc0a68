import type { OperationKind } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { checkCustomUrl } from './addresses.js'
import { existing } from './existing.js'

/** What of an instance's row is changed by a command of its own. */
export const changes = {
  protect: { title: 'Protect', values: { protected: true } },
  unprotect: { title: 'Remove the protection of', values: { protected: false } },
  autoupdate: { title: 'Include in nightly upgrades:', values: { autoUpdate: true } },
  noautoupdate: { title: 'Exclude from nightly upgrades:', values: { autoUpdate: false } },
  autosave: { title: 'Include in nightly backups:', values: { autoSave: true } },
  noautosave: { title: 'Exclude from nightly backups:', values: { autoSave: false } },
  seturl: { title: 'Set the custom URL of', values: {} },
  reseturl: { title: 'Clear the custom URL of', values: { customUrl: '' } },
} as const

export type Change = keyof typeof changes

type Values = { readonly [Key in 'protected' | 'autoUpdate' | 'autoSave' | 'customUrl']?: Instance[Key] }

export type ChangeRequest = { readonly id: string; readonly name: string; readonly customUrl?: string }

/** Kinds by command: nothing but the row changes, and it does so with the history. */
export const changeKinds = Object.fromEntries(
  (Object.keys(changes) as Change[]).map((change) => [change, changeKind(change)]),
) as Readonly<Record<Change, OperationKind<ChangeRequest, { readonly name: string }>>>

/** What the change makes of the row. */
export function valuesOf(change: Change, { customUrl }: Pick<ChangeRequest, 'customUrl'>): Values {
  return { ...changes[change].values, ...(customUrl !== undefined && { customUrl }) }
}

function changeKind(change: Change): OperationKind<ChangeRequest, { readonly name: string }> {
  return {
    kind: change,
    locks: ({ id }) => [`instance:${id}`],
    async inspect(request, context) {
      const before = existing(context.registry, request)
      if (request.customUrl !== undefined) checkCustomUrl({ ...before, customUrl: request.customUrl }, context)
      return { name: before.name }
    },
    plan: (request, { name }) => ({
      title: `${changes[change].title} instance "${name}"`,
      instance: { id: request.id, name },
      steps: [],
      commit(registry, { context }) {
        // Another instance may have taken the host meanwhile.
        if (request.customUrl !== undefined)
          checkCustomUrl({ ...existing(context.registry, request), customUrl: request.customUrl }, context)
        registry.updateInstance(request.id, valuesOf(change, request))
      },
    }),
  }
}
