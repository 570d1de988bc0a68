import { defineObject } from '../definition/define-object.js'
import { BackgroundTask } from './background-task.js'
import { AuditEntry, Event, Lease } from './change-objects.js'
import { checkGrant } from './check-grant.js'
import { checkGroup, checkGroupDeletion } from './check-group.js'
import { checkParameter, checkParameterDeletion } from './check-parameter.js'
import { checkResponsibility, checkResponsibilityDeletion } from './check-responsibility.js'
import { checkUser, checkUserDeletion } from './check-user.js'
import { IdempotencyKey } from './idempotency-key.js'
import { Webhook, WebhookDelivery } from './webhook-objects.js'

/** Parts that an application's definitions belong to. Fields not specified but `mdl_name`. */
export const Module = defineObject({
  name: 'Module',
  label: 'Module',
  pluralLabel: 'Modules',
  table: 'sys_module',
  fields: {
    mdl_name: { type: 'string', length: 100, key: true, label: 'Name' },
    mdl_desc: { type: 'text', label: 'Description' },
  },
  order: ['mdl_name'],
  display: 'public',
})

/** System parameters. Source: docs/spec/rest-service.md, "Business object record". */
export const SystemParam = defineObject({
  name: 'SystemParam',
  label: 'System parameter',
  pluralLabel: 'System parameters',
  table: 'sys_param',
  fields: {
    sys_code: { type: 'string', length: 100, key: true, label: 'Code' },
    sys_value: { type: 'text', label: 'Value' },
    sys_type: { type: 'string', length: 20, default: 'TXT', label: 'Type' },
    sys_desc: { type: 'text', label: 'Description' },
    row_module_id: { type: 'reference', object: 'Module', display: ['mdl_name'], label: 'Module' },
  },
  order: ['sys_code'],
  hooks: { preUpdate: checkParameter, preDelete: checkParameterDeletion },
})

/** People and programs that sign in. */
export const User = defineObject({
  name: 'User',
  label: 'User',
  pluralLabel: 'Users',
  table: 'sys_user',
  fields: {
    usr_login: { type: 'string', length: 100, key: true, label: 'Login' },
    usr_password: {
      type: 'password',
      minLength: 8,
      label: 'Password',
      help: 'Stored as a scrypt hash, never answered.',
    },
    usr_first_name: { type: 'string', length: 100, label: 'First name' },
    usr_last_name: { type: 'string', length: 100, label: 'Last name' },
    usr_email: { type: 'email', label: 'E-mail' },
    usr_lang: { type: 'string', length: 10, default: 'en', label: 'Language' },
    usr_active: { type: 'boolean', default: true, label: 'Active' },
  },
  order: ['usr_login'],
  hooks: { preValidate: checkUser, preDelete: checkUserDeletion },
})

/** Groups that rights are granted to. */
export const Group = defineObject({
  name: 'Group',
  label: 'Group',
  pluralLabel: 'Groups',
  table: 'sys_group',
  fields: {
    grp_name: { type: 'string', length: 100, key: true, label: 'Name' },
    grp_desc: { type: 'text', label: 'Description' },
  },
  order: ['grp_name'],
  hooks: { preValidate: checkGroup, preDelete: checkGroupDeletion },
})

/** Which user is responsible for which group. Source: docs/spec/wire-decisions.md, "rights". */
export const Responsibility = defineObject({
  name: 'Responsibility',
  label: 'Responsibility',
  pluralLabel: 'Responsibilities',
  table: 'sys_responsibility',
  fields: {
    rsp_login_id: {
      type: 'reference',
      object: 'User',
      display: ['usr_login'],
      onDelete: 'cascade',
      key: true,
      label: 'User',
    },
    rsp_group_id: {
      type: 'reference',
      object: 'Group',
      display: ['grp_name'],
      onDelete: 'cascade',
      key: true,
      label: 'Group',
    },
  },
  hooks: { preValidate: checkResponsibility, preDelete: checkResponsibilityDeletion },
})

/** What a group may do with an object. Source: docs/spec/wire-decisions.md, "rights". */
export const Grant = defineObject({
  name: 'Grant',
  label: 'Grant',
  pluralLabel: 'Grants',
  table: 'sys_grant',
  fields: {
    grt_group_id: {
      type: 'reference',
      object: 'Group',
      display: ['grp_name'],
      onDelete: 'cascade',
      key: true,
      label: 'Group',
    },
    grt_object: { type: 'string', length: 63, key: true, label: 'Object', help: 'Name of an object, or * for all.' },
    grt_rights: {
      type: 'string',
      length: 5,
      pattern: 'C?R?U?D?A?',
      required: true,
      default: 'R',
      label: 'Rights',
      help: 'Letters: Create, Read, Update, Delete, run Actions.',
    },
    grt_filter: { type: 'text', label: 'Row filter', help: 'Rows it covers, e.g. created_by = [LOGIN]. Empty: all.' },
    grt_hidden_fields: {
      type: 'text',
      label: 'Hidden fields',
      help: 'Names of fields that are not shown, separated by commas.',
    },
    grt_actions: { type: 'text', label: 'Actions', help: 'Names of granted actions, separated by commas. Empty: all.' },
    grt_publications: {
      type: 'text',
      label: 'Publications',
      help: 'Names of granted publication templates, separated by commas. Empty: all.',
    },
    grt_crosstabs: {
      type: 'text',
      label: 'Pivot tables',
      help: 'Names of granted pivot tables, separated by commas. Empty: all.',
    },
  },
  order: ['grt_group_id', 'grt_object'],
  hooks: { preValidate: checkGrant },
})

/** Tokens that were revoked by a logout, until they would have ended anyway. */
export const RevokedToken = defineObject({
  name: 'RevokedToken',
  label: 'Revoked token',
  pluralLabel: 'Revoked tokens',
  table: 'sys_revoked_token',
  fields: {
    rvk_token_id: { type: 'string', length: 64, key: true, label: 'Token id' },
    rvk_expires: { type: 'integer', required: true, index: true, label: 'Expires (ms since 1970)' },
  },
})

/** Objects that every application has. */
export const systemObjects = [
  Module,
  SystemParam,
  User,
  Group,
  Responsibility,
  Grant,
  RevokedToken,
  IdempotencyKey,
  AuditEntry,
  Event,
  Lease,
  BackgroundTask,
  Webhook,
  WebhookDelivery,
] as const
