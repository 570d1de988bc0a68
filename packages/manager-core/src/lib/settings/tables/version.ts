import type { Variable } from '../variable.js'
import { limits } from './rows.js'

/** The variables of `version-<version>.sh`. Source: docs/spec/instances-manager.md, "Version-level settings". */
export const versionTable = {
  APPS_TEMPLATE: {
    type: 'text',
    section: 'Version',
    summary: 'Where the application comes from: default, folder:<path>, git:<url>#<ref>, npm:<name>@<range>',
  },
  APPS_RUNTIME: { type: 'text', section: 'Version', summary: 'Runtime of new instances of this version' },
  APPS_AUTOUPGRADE: {
    type: 'true-false',
    section: 'Version',
    default: 'true',
    summary: 'Whether an instance migrates its data when it starts',
  },
  APPS_JDK: {
    type: 'path',
    section: 'Version',
    summary: 'Folder of the JDK or JRE of Java web applications: version 11 or newer',
  },
  APPS_TOMCAT: {
    type: 'path',
    section: 'Version',
    default: '/usr/share/tomcat10',
    summary: 'Folder of the Tomcat of Java web applications: version 10.1 or newer',
  },
  /** Spelled so in docs/spec/instances-manager.md, "Version-level settings". */
  APPS_ENCONDING: {
    type: 'text',
    section: 'Version',
    default: 'UTF-8',
    summary: 'Encoding of Java web applications; should be UTF-8, which Node applications always use',
    aliases: ['APPS_ENCODING'],
  },
  APPS_TOMCATMINMEM: memory('Minimum heap of Java web applications in MB; not set: 128'),
  APPS_TOMCATMAXMEM: memory('Maximum memory in MB (heap limit); not set: 512 on Java, else none'),
  ...limits('APPS', 'Version'),
} as const satisfies Readonly<Record<string, Variable>>

function memory(summary: string) {
  return { type: 'integer', section: 'Version', summary, min: 16, max: 1_048_576 } as const
}
