export interface StartScriptOptions {
  readonly name: string
  readonly version: string
  /** ISO 8601 */
  readonly date: string
  /** Program that serves it, relative to the folder. */
  readonly server: string
}

/** Starts a downloaded instance. Source: docs/spec/instances-manager.md, "HTTP API". */
export function startScript({ name, version, date, server }: StartScriptOptions): string {
  return `#!/bin/sh
# Starts the instance "${name}" (version ${version}, downloaded ${date}) on this machine: ./start.sh
# It needs Node 22.18 or newer, and nothing else. These variables may be set before:
set -eu
APP_ROOT=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)

# Node's program
: "\${NODE:=node}"
# where the application server is
: "\${SERVER_ROOT:=$APP_ROOT}"
# where it listens; 0.0.0.0 is every address of this machine
: "\${HTTP_HOST:=127.0.0.1}"
: "\${HTTP_PORT:=8080}"
# the embedded database
: "\${DATABASE_FILE:=$APP_ROOT/data/database.db}"
# options of Node, such as --max-old-space-size=512
: "\${NODE_OPTIONS:=}"

command -v "$NODE" >/dev/null 2>&1 || {
  echo "start.sh needs Node 22.18 or newer: https://nodejs.org. Its program may be named with NODE=<path>." >&2
  exit 1
}
mkdir -p "$APP_ROOT/work" "$APP_ROOT/temp" "$APP_ROOT/logs" "$APP_ROOT/data"

TMPDIR="$APP_ROOT/temp"
STEWARD_HOST="$HTTP_HOST"
STEWARD_PORT="$HTTP_PORT"
STEWARD_DATABASE="sqlite:$DATABASE_FILE"
export NODE_OPTIONS TMPDIR STEWARD_HOST STEWARD_PORT STEWARD_DATABASE
cd "$APP_ROOT/work"
exec "$NODE" "$SERVER_ROOT/${server}" "$APP_ROOT/app" --data "$APP_ROOT/data" "$@"
`
}

/** Beside the script. */
export function readme({ name, version, date, server }: StartScriptOptions): string {
  return `# ${name}

The instance "${name}" (version ${version}) as it was at ${date}: application, data and application server.

    ./start.sh                                   http://127.0.0.1:8080
    HTTP_PORT=9000 HTTP_HOST=0.0.0.0 ./start.sh  another port, every address
    ./start.sh --reset-admin                     a new password of the administrator, and end

It needs Node 22.18 or newer, and nothing else; start.sh says which variables it takes. The users in its data keep their
passwords. Passwords of the server that it comes from are not in here, so its I/O endpoint is off unless
STEWARD_SERVICE_USER and STEWARD_SERVICE_PASSWORD are set. On Windows, with the same variables as in start.sh:

    node ${server} app --data data

| Folder | What |
|---|---|
| app | the application |
| data | database, documents and other files |
| node_modules | the application server with all it needs, and the embedded database for Linux, macOS and Windows |
| logs, temp, work | made by start.sh |
`
}
