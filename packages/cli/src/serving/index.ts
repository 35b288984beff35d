/**
 * What the commands do with settings, a store and servers. One folder for each question:
 *
 * - `settings/`: which settings apply, and when do they change?
 * - `store/`: where is data kept, and what is in it (keys, learned use, audit log)?
 * - `credentials/`: how does a user sign in to servers, or answer their inputs?
 * - `servers/`: which MCP servers are there, do they respond, and what do they cost?
 * - `gateway/`: `quartermaster serve`.
 * - `proxy/`: `quartermaster mcp`.
 * - `process/`: when does the process stop?
 *
 * The folders import each other by file, not through an index: `mcp` and `search` start often, and load only what they need.
 */

export { answerInputs } from './credentials/answer-inputs.ts';
export { loginToServer, logoutFromServer } from './credentials/manage-sign-ins.ts';
export { serveGateway } from './gateway/serve-gateway.ts';
export { acceptDefinitions } from './servers/accept-definitions.ts';
export type { ServerCost, ServerCosts } from './servers/measure-configured.ts';
export { measureConfigured } from './servers/measure-configured.ts';
export { renderCosts, showStatus } from './servers/show-status.ts';
export { configuredEngine } from './settings/configured-engine.ts';
export { dataFolder, userStore } from './settings/data-folder.ts';
export { leaveOutOurselves } from './settings/leave-out-ourselves.ts';
export { loadAnsweredSettings, loadSettings } from './settings/load-settings.ts';
export { listChanges } from './store/list-changes.ts';
export { createKey, listKeys, revokeKey, rotateKey, updateKey } from './store/manage-keys.ts';
export { exportUsage, forgetUsage, listUsage } from './store/manage-usage.ts';
export { describeStore, withStore } from './store/open-configured-store.ts';
