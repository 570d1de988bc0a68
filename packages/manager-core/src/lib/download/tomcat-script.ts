import { webappFolder } from '../runtime/tomcat/base-files.js'

export interface TomcatScriptOptions {
  readonly name: string
  readonly version: string
  /** ISO 8601 */
  readonly date: string
  /** Path below which it is served: `/` or `/<name>`. */
  readonly context: string
  readonly encoding: string
  /** Variables `SERVICE_…` of its database, without its password; `$APP_ROOT` stands for the folder. */
  readonly database: Readonly<Record<string, string>>
  /** File of the dump of a database server; absent: the database is in `data`. */
  readonly dump?: string | undefined
}

/** Starts a downloaded instance on Tomcat. Source: docs/spec/instances-manager.md, "HTTP API". */
export function tomcatScript({ name, version, date, context, encoding, database }: TomcatScriptOptions): string {
  const variables = Object.entries(database).map(([key, value]) => `: "\${${key}:=${value}}"\n`)
  return `#!/bin/sh
# Starts the instance "${name}" (version ${version}, downloaded ${date}) on this machine: ./start.sh
# ./start.sh run keeps it in the foreground, ./start.sh stop ends it. These variables may be set before:
set -eu
APP_ROOT=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)

# root folders of the JDK or JRE (11 or newer) and of Tomcat (10.1 or newer)
: "\${JAVA_HOME:=/usr/lib/jvm/default-java}"
: "\${TOMCAT_ROOT:=/usr/share/tomcat10}"
# where it listens; 0.0.0.0 is every address of this machine
: "\${TOMCAT_HOST:=127.0.0.1}"
: "\${TOMCAT_ADMIN_PORT:=8005}"
: "\${TOMCAT_HTTP_PORT:=8080}"
# HTTPS needs a keystore (PKCS #12) with a certificate
: "\${TOMCAT_SSL_PORT:=8443}"
: "\${TOMCAT_KEYSTORE:=}"
: "\${TOMCAT_KEYSTORE_PASSWORD:=}"
: "\${JAVA_OPTS:=-Dfile.encoding=${encoding} -Dgit.basedir=\\"$APP_ROOT/webapps/${webappFolder(context)}/WEB-INF/git\\"}"
# what the web application finds in its environment
: "\${SERVICE_DATA:=$APP_ROOT/data}"
: "\${SERVICE_CONTEXT:=${context}}"
${variables.join('')}: "\${SERVICE_DATABASE_PASSWORD:=}"

[ -x "$JAVA_HOME/bin/java" ] || {
  echo "start.sh needs a JDK or JRE 11 or newer, and $JAVA_HOME is not one. Its folder is named with JAVA_HOME=<path>." >&2
  exit 1
}
[ -x "$TOMCAT_ROOT/bin/catalina.sh" ] || {
  echo "start.sh needs Tomcat 10.1 or newer, and $TOMCAT_ROOT is not one. Its folder is named with TOMCAT_ROOT=<path>." >&2
  exit 1
}
mkdir -p "$APP_ROOT/work" "$APP_ROOT/temp" "$APP_ROOT/logs" "$APP_ROOT/data"
CATALINA_HOME="$TOMCAT_ROOT"
CATALINA_BASE="$APP_ROOT"
LC_ALL=C.UTF-8
export JAVA_HOME JAVA_OPTS CATALINA_HOME CATALINA_BASE LC_ALL
export TOMCAT_HOST TOMCAT_ADMIN_PORT TOMCAT_HTTP_PORT TOMCAT_SSL_PORT TOMCAT_KEYSTORE TOMCAT_KEYSTORE_PASSWORD
export SERVICE_DATA SERVICE_CONTEXT ${[...Object.keys(database), 'SERVICE_DATABASE_PASSWORD'].join(' ')}
config=conf/server.xml
[ -z "$TOMCAT_KEYSTORE" ] || config=conf/server-https.xml
cd "$APP_ROOT/data"
case "\${1:-start}" in
  run) exec "$TOMCAT_ROOT/bin/catalina.sh" run -config "$config" ;;
  stop) exec "$TOMCAT_ROOT/bin/shutdown.sh" -config "$config" ;;
  *) exec "$TOMCAT_ROOT/bin/startup.sh" -config "$config" ;;
esac
`
}

/** \`conf/server.xml\` of a download, with a connector of HTTPS when it is wanted. */
export function downloadedServerXml(https: boolean): string {
  const secure = `
    <Connector address="\${TOMCAT_HOST}" port="\${TOMCAT_SSL_PORT}" SSLEnabled="true" scheme="https" secure="true"
      URIEncoding="UTF-8" maxParameterCount="1000">
      <SSLHostConfig>
        <Certificate certificateKeystoreFile="\${TOMCAT_KEYSTORE}" certificateKeystorePassword="\${TOMCAT_KEYSTORE_PASSWORD}"/>
      </SSLHostConfig>
    </Connector>`
  return `<?xml version="1.0" encoding="UTF-8"?>
<Server port="\${TOMCAT_ADMIN_PORT}" shutdown="SHUTDOWN">
  <Service name="Catalina">
    <Connector address="\${TOMCAT_HOST}" port="\${TOMCAT_HTTP_PORT}" URIEncoding="UTF-8" maxParameterCount="1000"/>${https ? secure : ''}
    <Engine name="Catalina" defaultHost="localhost">
      <Host name="localhost" appBase="webapps" unpackWARs="false" autoDeploy="false" deployOnStartup="true"/>
    </Engine>
  </Service>
</Server>
`
}

/** Beside the script. */
export function tomcatReadme({ name, version, date, context, dump }: TomcatScriptOptions): string {
  const data = dump
    ? `\`${dump}\` is a dump of its database by the server's own program. Load it into a database of yours, then set
SERVICE_DATABASE_URL, SERVICE_DATABASE_USER and SERVICE_DATABASE_PASSWORD.`
    : 'Its database is in `data`.'
  return `# ${name}

The instance "${name}" (version ${version}) as it was at ${date}: web application, data and settings of Tomcat.

    JAVA_HOME=/usr/lib/jvm/java-17-openjdk-amd64 TOMCAT_ROOT=/usr/share/tomcat10 ./start.sh
    ./start.sh run     in the foreground
    ./start.sh stop    ends it

It answers at http://127.0.0.1:8080${context}. It needs a JDK or JRE 11 or newer and Tomcat 10.1 or newer; start.sh says which variables it
takes. With TOMCAT_KEYSTORE and TOMCAT_KEYSTORE_PASSWORD it also answers over HTTPS, at port 8443. Passwords of the server
that it comes from are not in here. ${data}

| Folder | What |
|---|---|
| webapps | the web application |
| data | its files |
| conf, lib | settings and libraries of Tomcat |
| logs, temp, work | made by start.sh |
`
}
