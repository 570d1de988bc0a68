import type { AppDefinition } from './app-definition.js'
import type { Application } from './create-application.js'

export interface WelcomeOptions {
  readonly definition: AppDefinition
  readonly host: string
  readonly port: number
  readonly application: Pick<Application, 'newAdministrator'>
}

/** What is printed when the server is up: the address, the first password, and commands to try. */
export function welcome({ definition, host, port, application }: WelcomeOptions): string {
  const { name, title = name, version } = definition
  const { newAdministrator } = application
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  const login = newAdministrator?.login ?? 'admin'
  const password = newAdministrator?.generatedPassword
  return `${title} ${version} is served at ${origin}/${name}/api/rest
${password === undefined ? '' : `\nAdministrator "${login}" was made with the password ${password}\nKeep it: it is shown this once. (--reset-admin gives a new one.)\n`}
Try in a shell:
  AUTH='${login}:${password ?? '<password>'}' URL=${origin}/api/rest/SystemParam JSON='Content-Type: application/json'
  ID=$(curl -su "$AUTH" -H "$JSON" -d '{"sys_code":"GREETING","sys_value":"Hello"}' $URL | sed 's/.*"row_id":"\\([0-9]*\\)".*/\\1/')
  curl -u "$AUTH" $URL/$ID
  curl -u "$AUTH" -X PUT -H "$JSON" -d '{"sys_value":"Hello again"}' $URL/$ID
  curl -u "$AUTH" "$URL/?sys_code=GREET%25"
  curl -u "$AUTH" "$URL/?_count=true"
  curl -u "$AUTH" "$URL/?_page=0"
  curl -u "$AUTH" -X DELETE $URL/$ID

Health: ${origin}/health   Stop: Ctrl-C
`
}
