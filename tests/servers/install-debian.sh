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

restore # what a killed run left behind
trap restore EXIT
trap 'exit 130' INT TERM HUP
if [ -e "$policy" ]; then cp -p "$policy" "$saved"; fi
printf '#!/bin/sh\n%s\nexit 101\n' "$mark" >"$policy"
chmod 755 "$policy"

enabled() { find /etc/systemd/system -type l 2>/dev/null | sort; }
before=$(enabled)

export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
apt-get -qq -y --no-install-recommends -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 install "$@"

# Packages enable their services, which were not asked for; those that were enabled before stay so.
if command -v systemctl >/dev/null; then
  for link in $(enabled); do
    case "$before" in *"$link"*) ;; *) systemctl --quiet disable "$(basename "$link")" 2>/dev/null || true ;; esac
  done
fi
