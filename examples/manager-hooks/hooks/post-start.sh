#!/bin/sh
# Loads the license of an instance when it has started: licensekeys/license-<instance name>.xml of the manager's home goes
# to the instance's I/O endpoint. Once it is loaded, the file is set aside with the time in its name.
set -eu

license=$APPS_HOME/licensekeys/license-$USER.xml
[ -f "$license" ] || exit 0

# The password goes through a pipe: everybody can see the arguments of a program.
answer=$(
  printf 'user = "%s:%s"\n' "$SERVICE_USER" "$SERVICE_PASSWORD" |
    curl --silent --show-error --max-time 60 --config - --form service=xmlimport --form "file=@$license" "$SERVICE_URL"
)
if [ "$answer" != OK ]; then
  echo "The license of $USER was not taken: $answer"
  exit 1
fi
mv "$license" "${license%.xml}-$(date -u +%Y%m%dT%H%M%SZ).xml"
