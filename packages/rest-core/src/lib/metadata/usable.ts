import type { ActionModel } from '../actions/action.js'
import type { CrosstabModel } from '../crosstabs/crosstab.js'
import type { PublicationModel } from '../publications/publication.js'
import type { Access } from '../rights/access.js'

/** The actions that the user may run. */
export function usableActions(access: Access): ActionModel[] {
  return access.may('A') ? [...access.object.actions.values()].filter(({ name }) => access.allows('actions', name)) : []
}

/** The publications that the user may use. */
export function usablePublications(access: Access): PublicationModel[] {
  if (!access.may('R')) return []
  return [...access.object.publications.values()].filter(({ name }) => access.allows('publications', name))
}

/** The pivot tables that the user may use: none with a field that is hidden from the user. */
export function usableCrosstabs(access: Access): CrosstabModel[] {
  if (!access.may('R')) return []
  return [...access.object.crosstabs.values()].filter(
    ({ name, lines, columns, values }) =>
      access.allows('crosstabs', name) &&
      ![...lines, ...columns, ...values].some(({ field }) => field !== undefined && access.hides(field)),
  )
}
