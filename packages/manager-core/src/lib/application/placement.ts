import { ManagerError } from '../../errors.js'

/**
 * What SERVICE_PLACEMENT says, as conditions of the engine: `disk=ssd,zone!=b`.
 *
 * @throws ManagerError ERR_SETTINGS
 */
export function constraintsOf(placement = ''): readonly string[] {
  const parts = placement
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)
  return parts.map((part) => {
    const [, label, sign, value] = /^([\w.-]+)\s*(!=|==?)\s*([\w.:/-]+)$/.exec(part) ?? []
    if (label !== undefined && value !== undefined) return `node.labels.${label}${sign === '!=' ? '!=' : '=='}${value}`
    throw new ManagerError('ERR_SETTINGS', `SERVICE_PLACEMENT has "${part}", which is not a condition on a label.`, {
      help: 'Use label=value or label!=value, separated by commas, e.g. disk=ssd,zone!=b.',
    })
  })
}
