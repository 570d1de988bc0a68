import { defineObject } from '../definition/define-object.js'
import { createModel } from '../model/create-model.js'

/** Linked to itself; the end of the longest chain. */
const Region = defineObject({
  name: 'Region',
  fields: {
    reg_code: { type: 'string', length: 100, key: true },
    reg_name: { type: 'string' },
    reg_seaside: { type: 'boolean' },
    reg_area: { type: 'decimal', precision: 38, scale: 10 },
    reg_founded: { type: 'date' },
    reg_parent: { type: 'reference', object: 'Region', display: ['reg_code'], onDelete: 'setNull' },
  },
})

/** A functional key of two members, and a value that no two records share. */
const Person = defineObject({
  name: 'Person',
  fields: {
    per_last: { type: 'string', length: 100, key: true },
    per_first: { type: 'string', length: 100, key: true },
    per_email: { type: 'email', unique: true },
    per_region: {
      type: 'reference',
      object: 'Region',
      display: ['reg_code', 'reg_name', 'reg_seaside', 'reg_area', 'reg_parent__reg_code'],
    },
  },
})

/** Every field type. */
const Item = defineObject({
  name: 'Item',
  fields: {
    itm_code: { type: 'string', length: 100, key: true },
    itm_string: { type: 'string', index: true },
    itm_text: { type: 'text' },
    itm_integer: { type: 'integer', index: true },
    itm_big: { type: 'integer', precision: 18 },
    itm_decimal: { type: 'decimal' },
    itm_exact: { type: 'decimal', precision: 38, scale: 10 },
    itm_boolean: { type: 'boolean' },
    itm_date: { type: 'date' },
    itm_datetime: { type: 'datetime' },
    itm_time: { type: 'time' },
    itm_enum: { type: 'enum', values: ['open', 'Open', 'closed', 'é', 'a_b', 'a%b'] },
    // Codes that hold each other, wildcards, and codes that differ by case only.
    itm_list: { type: 'multi-enum', values: ['red', 're', 'ed', 'Red', 'dark red', 're_', 'r%', 're\\', 'rosé'] },
    itm_password: { type: 'password' },
    itm_url: { type: 'url' },
    itm_email: { type: 'email' },
    itm_phone: { type: 'phone' },
    itm_color: { type: 'color' },
    itm_html: { type: 'html' },
    itm_regexp: { type: 'regexp' },
    itm_document: { type: 'document' },
    itm_image: { type: 'image' },
    itm_place: { type: 'geocoords' },
    itm_object: { type: 'object' },
    itm_owner: {
      type: 'reference',
      object: 'Person',
      display: [
        'per_last',
        'per_email',
        'per_region__reg_name',
        'per_region__reg_seaside',
        'per_region__reg_parent__reg_code',
      ],
    },
  },
})

/** Words that databases keep for themselves as names; no key, no technical fields; deleted with what it belongs to. */
const Note = defineObject({
  name: 'Note',
  table: 'order',
  timestamps: false,
  fields: {
    not_text: { type: 'string', column: 'select' },
    not_rank: { type: 'integer', column: 'group' },
    not_item: {
      type: 'reference',
      object: 'Item',
      display: ['itm_code', 'itm_list', 'itm_object'],
      onDelete: 'cascade',
    },
    not_reply_to: { type: 'reference', object: 'Note', column: 'from', display: ['not_text'], onDelete: 'cascade' },
  },
})

/** Linked objects that cover every field type, `onDelete` and kind of display field. */
export const model = createModel([Region, Person, Item, Note])

export const region = model.object('Region')
export const person = model.object('Person')
export const item = model.object('Item')
export const note = model.object('Note')
