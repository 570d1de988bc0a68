import type { Step } from '../context.js'
import type { WithoutGap } from '../instances/gap.js'
import { handOverSteps, otherCopy, secondPortStep, type CopyPlace } from '../instances/hand-over.js'
import { rollStep } from '../instances/roll.js'
import { applicationsOf, besideStep, removeOldApplicationStep, switchStep } from './application-steps.js'
import type { KeptPoint } from './restore-points.js'

export interface UpgradeBesideOptions {
  readonly instance: { readonly id: string; readonly name: string }
  readonly folder: string
  /** Folder of the new application. */
  readonly template: string
  readonly handing: WithoutGap
  readonly windowMs: number
  /** Restore point that the old application becomes. Absent: none. */
  readonly kept?: KeptPoint
}

/**
 * Upgrades an instance that answers all the time. A copy of the new version serves from a folder of its own while the old
 * application, in which nothing runs then, is replaced; then the new version serves from there. So no process ever finds
 * other files than those that it was started with. Undone in the other order; data are not touched.
 */
export function upgradeBesideSteps({
  instance,
  folder,
  template,
  handing: { serving, port: ownPort, rolling },
  windowMs,
  kept,
}: UpgradeBesideOptions): readonly Step[] {
  // Its tasks have their application in an image: nothing runs in the folder.
  if (rolling)
    return [
      besideStep(folder, template),
      switchStep(folder),
      rollStep({ instance, folder, windowMs }),
      removeOldApplicationStep(folder, kept),
    ]
  const usual: CopyPlace = { copy: serving, port: 'own' }
  const meanwhile: CopyPlace = {
    copy: otherCopy(serving),
    port: 'second',
    app: (run) => applicationsOf(folder, run).meanwhile,
  }
  const both = { instance, folder, ownPort }
  const [start, point, { undo: _undo, ...end }] = handOverSteps({
    ...both,
    from: meanwhile,
    to: usual,
    suffix: '-back',
    title: 'the new version from its own folder',
  })
  return [
    besideStep(folder, template, { twice: true }),
    secondPortStep(),
    ...handOverSteps({ ...both, from: usual, to: meanwhile, windowMs, title: 'the new version' }),
    switchStep(folder),
    start,
    point,
    { ...end, pointOfNoReturn: true },
    removeOldApplicationStep(folder, kept),
  ]
}
