import type { FieldMetadata } from '@steward/rest-core'
import { conditionWords, type Wording } from './condition-words.js'

/** A record of `Grant`, as the service answers it. */
export interface Grant {
  readonly row_id: string
  readonly grt_group_id: string
  readonly grt_group_id__grp_name: string
  readonly grt_object: string
  readonly grt_rights: string
  readonly grt_filter: string
  readonly grt_hidden_fields: string
  readonly grt_actions: string
  readonly grt_publications: string
  readonly grt_crosstabs: string
}

/** What is known of the object of a grant; of all objects, or one that the user does not see, nothing. */
export interface GrantedObject {
  readonly plurallabel: string
  readonly fields: readonly FieldMetadata[]
  readonly actions: readonly Named[]
  readonly publications: readonly Named[]
  readonly crosstabs: readonly Named[]
}

interface Named {
  readonly name: string
  readonly label: string
}

/** What a grant allows, in a sentence: `Sales may read and change Tasks where State is Open; not the field Cost.` */
export function grantSentence(grant: Grant, object: GrantedObject | undefined, wording: Wording): string {
  const { t, language } = wording
  const list = (names: readonly string[]) => new Intl.ListFormat(language, { type: 'conjunction' }).format(names)
  const named = (text: string, known: readonly Named[] = []) => {
    const names = namesIn(text).map((name) => known.find((one) => one.name === name)?.label || name)
    return { count: names.length, names: list(names) }
  }
  const { grt_group_id__grp_name: group, grt_object: name, grt_rights: rights, grt_filter: filter } = grant
  const objects = name === '*' ? t('grant.allObjects') : object?.plurallabel || name
  const verbs = [...rights].filter((letter) => letter !== 'A').map((letter) => t(`grant.verb.${letter}`))
  const actions = named(grant.grt_actions, object?.actions)
  const may = verbs.length > 0

  let sentence = t(may ? 'grant.may' : actions.count > 0 ? 'grant.mayRun' : 'grant.mayRunAll', {
    group,
    objects,
    verbs: list(verbs),
    ...actions,
  })
  const add = (key: string, values: Readonly<Record<string, string | number>> = {}) =>
    (sentence = t(key, { sentence, ...values }))
  if (filter !== '') add('grant.where', { condition: conditionWords(filter, object?.fields ?? [], wording) ?? filter })
  if (may && rights.includes('A')) add(actions.count > 0 ? 'grant.run' : 'grant.runAll', actions)
  const hidden = named(grant.grt_hidden_fields, object?.fields)
  if (hidden.count > 0) add('grant.hidden', hidden)
  const publications = named(grant.grt_publications, object?.publications)
  if (publications.count > 0) add('grant.publications', publications)
  const crosstabs = named(grant.grt_crosstabs, object?.crosstabs)
  if (crosstabs.count > 0) add('grant.crosstabs', crosstabs)
  return `${sentence}.`
}

/** Names with commas between them. */
export function namesIn(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
