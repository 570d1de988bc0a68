import type { BusinessRecord } from '../model/model.js'

/** What a checked template needs. */
export interface TemplateNeeds {
  readonly fields: Set<string>
  /** Image fields that it shows. */
  readonly pictures: { readonly field: string; readonly thumbnail: boolean }[]
}

/** Pictures that a template shows, by `pictureKey`: data URIs. */
export type Pictures = ReadonlyMap<string, { readonly uri: string; readonly name: string }>

export function pictureKey(id: string, thumbnail: boolean): string {
  return thumbnail ? `${id}/thumbnail` : id
}

export interface TemplateData {
  /** The record of a record-level call, or all records. */
  readonly content: BusinessRecord | readonly BusinessRecord[]
  /** `@object`, `@publication`, `@user`, `@now`. */
  readonly variables: Readonly<Record<string, unknown>>
  readonly pictures: Pictures
}

/** A template, checked and compiled once. */
export interface TextTemplate {
  readonly needs: TemplateNeeds
  /** Fills it in; what it needs must be there. */
  render(data: TemplateData): string
}
