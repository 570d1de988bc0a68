import type { ManagerContext } from '../context.js'
import type { Caller } from '../domain/caller.js'
import type { Instance } from '../domain/instance.js'
import { isWebapp } from '../files/webapp.js'
import { mailFailure } from '../mail/mail-failure.js'
import { forEachInstance, type Done } from '../operation/for-each-instance.js'
import { analyse } from './analyse.js'
import type { QualityGate } from './quality-server.js'

export type QualityAllEntry = {
  readonly name: string
  /** A gate that failed is `failed`. */
  readonly result: 'analysed' | 'failed' | 'not begun'
  readonly gate: QualityGate
  readonly message: string
}

interface Analysed extends Done {
  readonly gate: QualityGate
}

/** All instances that can be analysed: applications for Node. */
export function analysable({ home, registry }: ManagerContext): readonly Instance[] {
  return registry.instances().filter(({ id }) => !isWebapp(home.instance(id).app))
}

/** Analyses one instance after the other; failures and failed gates are mailed. */
export function analyseAll(context: ManagerContext, caller: Caller) {
  return forEachInstance<Analysed, QualityAllEntry>(context, caller, {
    instances: analysable(context),
    noun: 'analysis',
    titleOf: (name) => `Analyse instance "${name}"`,
    async run(instance, of) {
      const { gate, modules } = await analyse(context, of, instance, [])
      const bad = modules.filter((module) => module.gate === 'ERROR').map(({ module }) => module)
      return { gate, warnings: [], ...(bad.length > 0 && { failure: `The gate failed for ${bad.join(', ')}.` }) }
    },
    entryOf: ({ name }, { result, message, done }) => ({
      name,
      result: result === 'done' ? 'analysed' : result,
      gate: done?.gate ?? 'NONE',
      message,
    }),
    async onFailure(failed, text) {
      const problem = await mailFailure(context, {
        subject: `code quality of ${failed.map(({ name }) => name).join(', ')}`,
        text,
      })
      return problem === undefined ? [] : [`The failure could not be mailed: ${problem}`]
    },
  })
}
