import { databaseTypes } from '../../domain/instance.js'
import type { Variable } from '../variable.js'
import { limits, sleepAfter } from './rows.js'

const gitInstead =
  'Templates are fetched for all instances of a version. For APPS_TEMPLATE=git:…, give Git an SSH key or a ' +
  'credential helper.'

/** The variables of an instance's `settings.sh`. Source: requirements, "Instance-level settings". */
export const instanceTable = {
  SERVICE_CONTEXT: { ...text('Path below which it is served: / or /<name>'), required: true },
  SERVICE_URL: { type: 'url', section: 'Instance', required: true, summary: 'Address of its I/O endpoint' },
  SERVICE_USER: { ...text('User of its I/O endpoint'), required: true },
  SERVICE_PASSWORD: { ...secret('Password of its I/O endpoint'), required: true },
  SERVICE_ADMIN_USER: { ...text('Administrator created by its first start (addition)'), default: 'admin' },
  SERVICE_ADMIN_PASSWORD: { ...secret('Password of that administrator (addition)'), required: true },
  SERVICE_DATABASE: {
    type: 'choice',
    section: 'Instance',
    choices: databaseTypes,
    default: 'sqlite',
    summary: 'Database type',
  },
  SERVICE_DATABASE_HOST: text('Database server'),
  SERVICE_DATABASE_PORT: {
    type: 'integer',
    section: 'Instance',
    min: 1,
    max: 65_535,
    summary: 'Port of the database server',
  },
  SERVICE_DATABASE_NAME: {
    ...text('Database; of SQLite the path of its file (addition)'),
    default: 'data/database.db',
  },
  SERVICE_DATABASE_USER: text('User at the database (addition)'),
  SERVICE_DATABASE_PASSWORD: secret('Password at the database (addition)'),
  SERVICE_DOCUMENTS: text('Bucket of its documents; not set: its folder. "documents" moves them (addition)'),
  SERVICE_ORACLE_SID: text('Service name of an Oracle database'),
  SERVICE_TOMCATMINMEM: memory('Minimum heap of a Java web application in MB'),
  SERVICE_TOMCATMAXMEM: memory('Maximum memory in MB (heap limit)'),
  ...limits('SERVICE', 'Instance'),
  SERVICE_PLACEMENT: text('Labels of the swarm nodes that may run it, e.g. disk=ssd,zone!=b; not set: any (addition)'),
  SERVICE_REPLICAS: {
    type: 'integer',
    section: 'Instance',
    default: '1',
    min: 1,
    max: 100,
    summary: 'Number of tasks that serve it in a swarm at the same time (addition)',
  },
  SERVICE_SLEEP_AFTER: sleepAfter('Instance', '; 0: never; not set: APPS_SLEEP_AFTER'),
  SERVICE_AUTOUPGRADE: {
    type: 'true-false',
    section: 'Instance',
    default: 'true',
    summary: 'Whether it migrates its data when it starts; set by its version',
    withoutEffect: 'APPS_AUTOUPGRADE of its version decides.',
  },
  SERVICE_NEUTRALISED: {
    type: 'true-false',
    section: 'Instance',
    default: 'false',
    summary: 'Whether outgoing messages and webhooks are blocked (addition)',
  },
  SERVICE_DEBUG: {
    type: 'true-false',
    section: 'Instance',
    default: 'false',
    summary: 'Whether each start opens its debugger on 127.0.0.1 for 30 minutes',
  },
  SERVICE_DEBUG_ORIGIN: text('Port on 127.0.0.1 of the debugger of a Java web application; not set: a free one'),
  SERVICE_QUALITY_PROJECT: text('Code quality: prefix of projects'),
  SERVICE_QUALITY_URL: { type: 'url', section: 'Instance', summary: 'Code quality: server' },
  SERVICE_QUALITY_LOGIN: secret('Code quality: login or token'),
  SERVICE_QUALITY_PASSWORD: secret('Code quality: password'),
  SERVICE_QUALITY_ORG: text('Code quality: organization'),
  SERVICE_REMOTE_GIT_USERNAME: {
    ...text('User of git repositories whose modules say none'),
    withoutEffect: gitInstead,
  },
  SERVICE_REMOTE_GIT_PASSWORD: {
    ...secret('Password of git repositories whose modules say none'),
    withoutEffect: gitInstead,
  },
} as const satisfies Readonly<Record<string, Variable>>

function text(summary: string) {
  return { type: 'text', section: 'Instance', summary } as const
}

function secret(summary: string) {
  return { type: 'secret', section: 'Instance', summary } as const
}

function memory(summary: string) {
  return { type: 'integer', section: 'Instance', min: 16, max: 1_048_576, summary } as const
}
