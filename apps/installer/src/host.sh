#!/bin/sh
# Makes this machine a host of MetaTrader terminals: puts Berth's agent in place and lets it join. Run again, it upgrades
# the agent. Everything is in functions, and the last line calls the first: a download that was cut off does nothing.
set -eu

# The build writes these: the agent that this script installs, and no other.
RELEASE='@RELEASE@'
SHA256='@SHA256@'

usage() {
  cat <<'END'
Usage: sh host.sh --server URL [OPTION]...

Installs Berth's agent on this machine, or upgrades it. It says what it will do, and asks before it does it.

  --server URL      address of the server: https, or http on this machine itself
  --platforms LIST  what the host runs: mt5, mt4 or mt5,mt4 (mt5)
  --dry-run         says what it would do, and changes nothing
  --yes             does not ask
  --root DIR        puts the files below DIR, for an image: no user, no service is started
  --help            shows this text

The first time it needs a join token in the environment, as BERTH_JOIN_TOKEN. It is no argument, because everybody on
this machine can read arguments.
END
}

say() {
  printf '%s\n' "$*"
}

fail() {
  printf 'berth: %s\n' "$*" >&2
  exit 1
}

main() {
  export LC_ALL=C
  umask 022
  token=${BERTH_JOIN_TOKEN-}
  # The programs started below must not inherit it.
  unset BERTH_JOIN_TOKEN
  read_arguments "$@"
  check_arguments
  check_machine
  tell_plan
  if [ -n "$dry_run" ]; then
    say 'Nothing was changed (--dry-run).'
    return
  fi
  [ -n "$yes" ] || ask
  carry_out
}

read_arguments() {
  server='' platforms=mt5 root='' dry_run='' yes=''
  while [ "$#" -gt 0 ]; do
    case $1 in
      --dry-run) dry_run=1 ;;
      --yes) yes=1 ;;
      --help)
        usage
        exit 0
        ;;
      --server | --platforms | --root)
        [ "$#" -gt 1 ] || fail "$1 needs a value; --help says more."
        case $1 in
          --server) server=${2%/} ;;
          --platforms) platforms=$2 ;;
          --root) root=${2%/} ;;
        esac
        shift
        ;;
      *) fail "\"$1\" is not known here; --help says more." ;;
    esac
    shift
  done
  releases=$root/opt/berth-agent
  settings=$root/etc/berth-agent/agent.env
  token_file=$root/etc/berth-agent/join-token.env
  state=$root/var/lib/berth-agent
  unit=$root/etc/systemd/system/berth-agent.service
}

has_joined() {
  for credential in "$state"/*/credential.json; do
    if [ -e "$credential" ]; then return 0; fi
  done
  return 1
}

# What is written into files that systemd and a shell read: nothing in it may mean anything to them.
check_arguments() {
  case $server in
    '') fail 'Give the address of the server: --server https://berth.example.com' ;;
    *[!][A-Za-z0-9.:/_~-]*) fail 'The address of the server has characters that no address has.' ;;
  esac
  here='(127(\.[0-9]{1,3}){3}|localhost|\[::1\])'
  printf '%s\n' "$server" | grep -Eq "^(https://[^/]+|http://$here(:[0-9]+)?)(/.*)?\$" ||
    fail 'The address must begin with https://. Over plain http, others on the way could read the join token, or change the agent.'
  platforms=$(printf '%s' "$platforms" | sed 's/:wine//g')
  case $platforms in mt5 | mt4 | mt5,mt4 | mt4,mt5) ;; *) fail '--platforms takes mt5, mt4 or mt5,mt4.' ;; esac
  case $token in *[!A-Za-z0-9\|_-]*) fail 'BERTH_JOIN_TOKEN is not a join token.' ;; esac
  if [ -n "$root" ]; then
    [ -d "$root" ] || fail "There is no folder $root."
  elif [ -z "$token" ] && ! has_joined; then
    fail 'This machine is no host yet: set BERTH_JOIN_TOKEN to a join token of an operator.'
  fi
  configured=$(sed -n 's/^BERTH_SERVER_URL=//p' "$settings" 2>/dev/null | tr -d "\"'")
  [ -z "$configured" ] || [ "${configured%/}" = "$server" ] ||
    fail "This machine is a host of $configured, as $settings says. Change it there first."
}

problem() {
  printf 'berth: %s\n' "$*" >&2
  has_problems=1
}

check_machine() {
  has_problems=''
  [ "$(uname -s) $(uname -m)" = 'Linux x86_64' ] || problem "Terminals need Linux on x86-64; this is $(uname -s) on $(uname -m)."
  if [ -z "$root" ]; then
    [ "$(id -u)" = 0 ] || problem 'Run this as root: it creates a user and a service.'
    [ -d /run/systemd/system ] || problem 'The agent is a service of systemd, which does not run here.'
  fi
  check_node
  check_programs
  # An upgrade takes little, and may be what a host with a full disk needs.
  needed_mb=2048
  if [ -e "$releases/current" ]; then needed_mb=100; fi
  free_mb=$(df --block-size=1M --output=avail "${root:-/var/lib}" | tail -n 1)
  [ "$free_mb" -ge "$needed_mb" ] || problem "At least $needed_mb MB must be free in ${root:-/var/lib}. A host needs 10 GB, and 1 GB for each terminal."
  [ -z "$has_problems" ] || fail 'Nothing was changed.'
}

check_node() {
  if ! node=$(command -v node); then
    problem 'Node.js 20.19 or newer is needed, and there is no "node" here. On Debian 13: apt install nodejs. Elsewhere: https://nodejs.org/en/download'
    return
  fi
  case $node in
    /root/* | /home/* | *[!A-Za-z0-9._/+-]*) problem "The agent has a user of its own, which cannot run $node. Install Node.js for all users, such as in /usr/bin." ;;
  esac
  version=$("$node" --version)
  major=${version#v} minor=${version#*.}
  major=${major%%.*} minor=${minor%%.*}
  [ "$major" -gt 20 ] || { [ "$major" -eq 20 ] && [ "$minor" -ge 19 ]; } ||
    problem "Node.js 20.19 or newer is needed; this is $version ($node)."
}

check_programs() {
  # Where Debian and WineHQ put what the agent looks for.
  PATH=$PATH:/usr/sbin:/sbin:/usr/lib/wine:/opt/wine-stable/bin:/opt/wine-staging/bin:/opt/wine-devel/bin
  packages=''
  command -v wine64 >/dev/null || command -v wine >/dev/null || packages=' wine wine64'
  for need in Xvfb:xvfb openbox:openbox bwrap:bubblewrap pasta:passt ip:iproute2 curl:curl tar:tar; do
    command -v "${need%:*}" >/dev/null || packages="$packages ${need#*:}"
  done
  [ -z "$packages" ] || problem "Programs are missing. Install them: apt install --no-install-recommends$packages fonts-dejavu-core fonts-liberation ca-certificates"
}

step() {
  steps=$((steps + 1))
  say "  $steps. $*"
}

tell_plan() {
  steps=0
  installed=$(readlink "$releases/current" || true)
  say "Berth's agent $RELEASE, as a host of $server:"
  step "Download $server/install/berth-agent.tar.gz, and check that its SHA-256 is $SHA256."
  if [ -z "$root" ] && ! id berth-agent >/dev/null 2>&1; then
    step 'Create the user berth-agent, who cannot log in, with the home /var/lib/berth-agent.'
  fi
  step "Unpack it to $releases/$RELEASE, and point $releases/current there."
  case $installed in
    '' | "$RELEASE") ;;
    *) step "Keep $releases/$installed, and point $releases/former there. Remove older ones." ;;
  esac
  if [ -e "$settings" ]; then step "Leave $settings as it is."; else step "Write $settings: the server, and the platforms $platforms."; fi
  [ -z "$token" ] || step "Write the join token to $token_file, for root alone, until the host has joined."
  step "Write $unit."
  if [ -n "$root" ]; then
    step 'Create no user and start nothing, because of --root.'
  else
    step 'Start the service berth-agent, now and at each start of the machine. Terminals that run are left alone.'
  fi
}

ask() {
  (: </dev/tty) 2>/dev/null || fail 'There is no terminal to ask on. Nothing was changed; --yes goes on without asking.'
  printf 'Go on? [y/N] ' >/dev/tty
  read -r answer </dev/tty || answer=''
  case $answer in y | Y | yes) ;; *) fail 'Nothing was changed.' ;; esac
}

carry_out() {
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  download
  mkdir -p "$releases"
  exec 9>"$releases/.lock"
  flock --nonblock 9 || fail 'This script is running already. Nothing was changed.'
  [ -n "$root" ] || id berth-agent >/dev/null 2>&1 ||
    useradd --system --home-dir /var/lib/berth-agent --no-create-home --shell /usr/sbin/nologin berth-agent
  unpack
  write_settings
  # Debian's Node.js, unless it is elsewhere.
  mkdir -p "${unit%/*}"
  sed "s|/usr/bin/node|$node|" "$releases/$RELEASE/berth-agent.service" >"$work/unit"
  install -m 0644 "$work/unit" "$unit"
  switch
  if [ -n "$root" ]; then
    say "The files are in $root."
  else
    start
  fi
}

download() {
  curl --fail --silent --show-error --max-time 600 --output "$work/agent" \
    "$server/install/berth-agent.tar.gz" || fail 'The agent could not be downloaded. Nothing was changed.'
  printf '%s  %s\n' "$SHA256" "$work/agent" | sha256sum --check --status ||
    fail 'The agent that came is not the one that belongs to this script (SHA-256). Nothing was changed. Was the server upgraded meanwhile? Then take the command from it again.'
}

# A release has its name when it is whole.
unpack() {
  rm -rf "$releases/.draft"
  mkdir "$releases/.draft"
  tar -xzf "$work/agent" -C "$releases/.draft" --strip-components=1 --no-same-owner
  [ -d "$releases/$RELEASE" ] || mv -T "$releases/.draft" "$releases/$RELEASE"
  rm -rf "$releases/.draft"
}

write_settings() {
  mkdir -p "${settings%/*}"
  if ! [ -e "$settings" ]; then
    cat >"$work/settings" <<END
# Settings of Berth's agent: docs/configuration.md says which there are. Upgrades leave this file as it is.
BERTH_SERVER_URL=$server
BERTH_AGENT_PLATFORMS=$platforms
BERTH_AGENT_DIR=/var/lib/berth-agent
END
    [ -z "${CURL_CA_BUNDLE-}" ] || printf 'NODE_EXTRA_CA_CERTS="%s"\n' "$CURL_CA_BUNDLE" >>"$work/settings"
    install -m 0644 "$work/settings" "$settings"
  fi
  [ -z "$token" ] || (umask 077 && rm -f "$token_file" && printf "BERTH_JOIN_TOKEN='%s'\n" "$token" >"$token_file")
}

# Each link changes in one step. The release before is kept, so that there is a way back.
switch() {
  case $installed in
    '' | "$RELEASE") ;;
    *) point former "$installed" ;;
  esac
  point current "$RELEASE"
  former=$(readlink "$releases/former" || true)
  for release in "$releases"/*; do
    case ${release##*/} in current | former | "$RELEASE" | "$former") ;; *) rm -rf "$release" ;; esac
  done
}

point() {
  ln -sfn "$2" "$releases/.link"
  mv -fT "$releases/.link" "$releases/$1"
}

start() {
  systemctl daemon-reload
  systemctl --quiet enable berth-agent
  systemctl restart berth-agent
  seconds=0
  until has_joined; do
    [ "$seconds" -lt 60 ] || fail "The agent runs, and has not joined after a minute. \"journalctl -u berth-agent\" says why. With a new join token, run this again."
    seconds=$((seconds + 1))
    sleep 1
  done
  rm -f "$token_file"
  say 'This machine is a host. It takes terminals once it has a base:'
  say "  cd $releases/current"
  say '  script/agent doctor'
  say '  script/agent prepare-base --platform mt5 --installer broker5setup.exe'
}

main "$@"
