import type { AppDefinition } from './app-definition.js'
import type { Application } from './create-application.js'
import { hasPages } from './has-pages.js'
import { connectionsEach } from './workers/worker-count.js'

export interface WelcomeOptions {
  readonly definition: AppDefinition
  readonly host: string
  readonly port: number
  readonly newAdministrator: Application['newAdministrator']
  readonly administrator: Application['administrator']
  readonly neutralised: boolean
  /** How many processes serve. Default 1. */
  readonly workers?: number | undefined
  /** The instances manager started it: output goes to a log, not to a terminal. */
  readonly isManaged: boolean
}

/** What is printed when the server is up: the address, the first password, and commands to try. */
export function welcome({
  definition,
  host,
  port,
  newAdministrator,
  administrator,
  neutralised,
  workers = 1,
  isManaged,
}: WelcomeOptions): string {
  const { name, title = name, version, level = '5.1' } = definition
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  const password = newAdministrator?.generatedPassword
  const page = hasPages(definition) ? '/' : Number(level) >= 3.2 ? `/${name}/api/tester` : undefined
  const browser = page === undefined ? '' : `\nOpen it in a browser: ${origin}${page}`
  const served = `${title} ${version} is served at ${origin}/${name}/api/rest`
  if (isManaged) return `${served}\n`
  const each =
    workers === 1
      ? ''
      : `\n${workers} workers serve. Rate limits, the object pool and wrong logins count per worker; each opens up to ` +
        `${connectionsEach(workers)} connections to a database server.`
  return `${served}${browser}${each}${neutralised ? '\nIt is neutralised: webhooks are not called, nothing is sent out. (STEWARD_NEUTRALISED)' : ''}
${administrator === undefined ? '\nThere is no active administrator. To make one: app-server <folder> --reset-admin\n' : ''}${password === undefined ? '' : `\nAdministrator "${administrator}" was made with the password ${password}\nKeep it: it is shown this once. (--reset-admin gives a new one.)\n`}
Try in a shell:
  AUTH='${administrator ?? '<login>'}:${password ?? '<password>'}' URL=${origin}/api/rest/SystemParam JSON='Content-Type: application/json'
  ID=$(curl -su "$AUTH" -H "$JSON" -d '{"sys_code":"GREETING","sys_value":"Hello"}' $URL | sed 's/.*"row_id":"\\([0-9]*\\)".*/\\1/')
  curl -w '\\n' -u "$AUTH" $URL/$ID
  curl -w '\\n' -u "$AUTH" -X PUT -H "$JSON" -d '{"sys_value":"Hello again"}' $URL/$ID
  curl -w '\\n' -u "$AUTH" "$URL/?sys_code=GREET%25"
  curl -w '\\n' -u "$AUTH" "$URL/?_count=true"
  curl -w '\\n' -u "$AUTH" "$URL/?_page=0"
  curl -w '\\n' -u "$AUTH" -X DELETE $URL/$ID

Health: ${origin}/health   Stop: Ctrl-C
`
}
