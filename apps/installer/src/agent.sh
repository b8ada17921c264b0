#!/bin/sh
# The agent's commands on this host (--help lists them), with the settings and the rights of its service.
set -eu

set -a
HOME=/var/lib/berth-agent
. /etc/berth-agent/agent.env
set +a
program=/opt/berth-agent/current/apps/agent/dist/main.js
if [ "$(id -u)" = 0 ]; then exec runuser -u berth-agent -- node "$program" "$@"; fi
exec node "$program" "$@"
