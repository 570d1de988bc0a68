#!/bin/sh
# Installs the named packages so that no service is started, now or at the next boot. Needs root.
# One at a time: call it through flock(1).
set -eu

policy=/usr/sbin/policy-rc.d
saved=$policy.before-steward-tests
mark='# Written by the set-up of the Steward tests.'

# policy-rc.d is asked by Debian's packages before they start a service; 101 forbids it.
restore() {
  if [ -e "$saved" ]; then
    mv "$saved" "$policy"
  elif grep -qsF "$mark" "$policy"; then
    rm "$policy"
  fi
}

# Packages of Python compile their modules one package after another, which takes longer than all the rest.
# This one leaves them for later, when one call compiles all.
stand_in=$(mktemp -d)
cat >"$stand_in/py3compile" <<'SCRIPT'
#!/bin/sh
if [ $# -eq 2 ] && [ "$1" = -p ]; then exit 0; fi
exec /usr/bin/py3compile "$@"
SCRIPT
chmod 755 "$stand_in" "$stand_in/py3compile"

finish() {
  restore
  rm -r "$stand_in"
  if [ -x /usr/bin/py3compile ]; then /usr/bin/py3compile /usr/lib/python3/dist-packages || true; fi
}

restore # what a killed run left behind
trap finish EXIT
trap 'exit 130' INT TERM HUP
if [ -e "$policy" ]; then cp -p "$policy" "$saved"; fi
printf '#!/bin/sh\n%s\nexit 101\n' "$mark" >"$policy"
chmod 755 "$policy"

enabled() { find /etc/systemd/system -type l 2>/dev/null | sort; }
before=$(enabled)

export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
apt-get -qq -y --no-install-recommends -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 \
  -o DPkg::Path="$stand_in:/usr/sbin:/usr/bin:/sbin:/bin" install "$@"

# Packages enable their services, which were not asked for; those that were enabled before stay so.
if command -v systemctl >/dev/null; then
  for link in $(enabled); do
    case "$before" in *"$link"*) ;; *) systemctl --quiet disable "$(basename "$link")" 2>/dev/null || true ;; esac
  done
fi
