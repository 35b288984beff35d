#!/usr/bin/env bash
# Runs quartermaster eval with the inputs of action.yml, which arrive as variables.
set -euo pipefail
args=(eval --floor "$FLOOR")
# File names are separated by spaces, so they are split on purpose.
# shellcheck disable=SC2206
args+=(--queries $QUERIES)
# shellcheck disable=SC2206
[ -z "${TOOLS:-}" ] || args+=(--tools $TOOLS)
# shellcheck disable=SC2206
[ -z "${MCP_CONFIG:-}" ] || args+=(--mcp-config $MCP_CONFIG)
exec node "$ACTION_PATH/../../../packages/cli/bin/quartermaster.js" "${args[@]}"
