import { databaseTypes } from '../../domain/instance.js'
import type { Variable } from '../variable.js'
import { limits, sleepAfter } from './rows.js'

/** A caller who may see the credentials of an instance may replace them. */
const credentials = { needs: ['sensitive'], from: 'start' } as const
/** What it takes of the machine, and what opens it to others. */
const reach = { needs: ['admin'], from: 'start' } as const
/** Their results and the account there are shared with others. */
const analyses = { needs: ['admin'], from: 'now' } as const
const ofDatabase = { not: 'It belongs to the database that the manager created.' } as const
const ofFirstStart = { not: 'Only the first start uses it. Change users and passwords in the application.' } as const

const gitInstead =
  'Templates are fetched for all instances of a version. For APPS_TEMPLATE=git:…, give Git an SSH key or a ' +
  'credential helper.'

/** The variables of an instance's `settings.sh`. Source: docs/spec/instances-manager.md, "Instance-level settings". */
export const instanceTable = {
  SERVICE_CONTEXT: {
    ...text('Path below which it is served: / or /<name>'),
    required: true,
    change: { not: 'The manager derives it from APPS_ROOTCONTEXT and the name of the instance.' },
  },
  SERVICE_URL: {
    type: 'url',
    section: 'Instance',
    required: true,
    summary: 'Address of its I/O endpoint',
    change: { not: 'The manager derives it from the port of the instance.' },
  },
  SERVICE_USER: { ...text('User of its I/O endpoint'), required: true, change: credentials },
  SERVICE_PASSWORD: { ...secret('Password of its I/O endpoint'), required: true, change: credentials },
  SERVICE_ADMIN_USER: {
    ...text('Administrator created by its first start'),
    default: 'admin',
    change: ofFirstStart,
  },
  SERVICE_ADMIN_PASSWORD: {
    ...secret('Password of that administrator'),
    required: true,
    change: ofFirstStart,
  },
  SERVICE_DATABASE: {
    type: 'choice',
    section: 'Instance',
    choices: databaseTypes,
    default: 'sqlite',
    summary: 'Database type',
    change: ofDatabase,
  },
  SERVICE_DATABASE_HOST: { ...text('Database server'), change: ofDatabase },
  SERVICE_DATABASE_PORT: {
    type: 'integer',
    section: 'Instance',
    min: 1,
    max: 65_535,
    summary: 'Port of the database server',
    change: ofDatabase,
  },
  SERVICE_DATABASE_NAME: {
    ...text('Database; of SQLite the path of its file'),
    default: 'data/database.db',
    change: ofDatabase,
  },
  SERVICE_DATABASE_USER: { ...text('User at the database'), change: ofDatabase },
  SERVICE_DATABASE_PASSWORD: { ...secret('Password at the database'), change: ofDatabase },
  SERVICE_DOCUMENTS: {
    ...text('Bucket of its documents; not set: its folder. "documents" moves them'),
    change: { not: 'Only "documents" changes it, because the documents move, too.' },
  },
  SERVICE_ORACLE_SID: { ...text('Service name of an Oracle database'), change: ofDatabase },
  SERVICE_TOMCATMINMEM: memory('Minimum heap of a Java web application in MB'),
  SERVICE_TOMCATMAXMEM: memory('Maximum memory in MB (heap limit)'),
  ...limits('SERVICE', 'Instance', reach),
  SERVICE_PLACEMENT: {
    ...text('Labels of the swarm nodes that may run it, e.g. disk=ssd,zone!=b; not set: any'),
    change: reach,
  },
  SERVICE_REPLICAS: {
    type: 'integer',
    section: 'Instance',
    default: '1',
    min: 1,
    max: 100,
    summary: 'Number of tasks that serve it in a swarm at the same time',
    change: reach,
  },
  SERVICE_SLEEP_AFTER: {
    ...sleepAfter('Instance', '; 0: never; not set: APPS_SLEEP_AFTER'),
    change: { needs: [], from: 'now' },
  },
  SERVICE_AUTOUPGRADE: {
    type: 'true-false',
    section: 'Instance',
    default: 'true',
    summary: 'Whether it migrates its data when it starts; set by its version',
    withoutEffect: 'APPS_AUTOUPGRADE of its version decides.',
    change: { not: 'APPS_AUTOUPGRADE of its version decides.' },
  },
  SERVICE_NEUTRALISED: {
    type: 'true-false',
    section: 'Instance',
    default: 'false',
    summary: 'Whether outgoing messages and webhooks are blocked',
    change: { not: 'Only "neutralise" and "unneutralise" change it.' },
  },
  SERVICE_DEBUG: {
    type: 'true-false',
    section: 'Instance',
    default: 'false',
    summary: 'Whether each start opens its debugger on 127.0.0.1 for 30 minutes',
    change: reach,
  },
  SERVICE_DEBUG_ORIGIN: {
    ...text('Port on 127.0.0.1 of the debugger of a Java web application; not set: a free one'),
    change: reach,
  },
  SERVICE_QUALITY_PROJECT: { ...text('Code quality: prefix of projects'), change: analyses },
  SERVICE_QUALITY_URL: {
    type: 'url',
    section: 'Instance',
    summary: 'Code quality: server',
    // The manager's login is sent there.
    change: { needs: ['admin', 'sensitive'], from: 'now' },
  },
  SERVICE_QUALITY_LOGIN: { ...secret('Code quality: login or token'), change: analyses },
  SERVICE_QUALITY_PASSWORD: { ...secret('Code quality: password'), change: analyses },
  SERVICE_QUALITY_ORG: { ...text('Code quality: organization'), change: analyses },
  SERVICE_REMOTE_GIT_USERNAME: {
    ...text('User of git repositories whose modules say none'),
    withoutEffect: gitInstead,
    change: { not: gitInstead },
  },
  SERVICE_REMOTE_GIT_PASSWORD: {
    ...secret('Password of git repositories whose modules say none'),
    withoutEffect: gitInstead,
    change: { not: gitInstead },
  },
} as const satisfies Readonly<Record<string, Variable>>

function text(summary: string) {
  return { type: 'text', section: 'Instance', summary } as const
}

function secret(summary: string) {
  return { type: 'secret', section: 'Instance', summary } as const
}

function memory(summary: string) {
  return { type: 'integer', section: 'Instance', min: 16, max: 1_048_576, summary, change: reach } as const
}
