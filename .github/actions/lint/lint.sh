#!/usr/bin/env bash
# Runs quartermaster lint with the inputs of action.yml, which arrive as variables.
set -euo pipefail
args=(lint)
# File names are separated by spaces, so they are split on purpose.
# shellcheck disable=SC2206
[ -z "${TOOLS:-}" ] || args+=(--tools $TOOLS)
# shellcheck disable=SC2206
[ -z "${MCP_CONFIG:-}" ] || args+=(--mcp-config $MCP_CONFIG)
[ "${STRICT:-false}" != true ] || args+=(--strict)
[ -z "${MAX_TOKENS:-}" ] || args+=(--max-tokens-per-server "$MAX_TOKENS")
# shellcheck disable=SC2206
[ -z "${QUERIES:-}" ] || args+=(--queries $QUERIES --floor "${FLOOR:-recall@5=80}")
[ -z "${SARIF:-}" ] || args+=(--sarif "$SARIF")
exec node "$ACTION_PATH/../../../packages/cli/bin/quartermaster.js" "${args[@]}"
