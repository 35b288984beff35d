export { acceptDefinitions } from './accept-definitions.ts';
export { answerInputs } from './answer-inputs.ts';
export { listChanges } from './list-changes.ts';
export { createKey, listKeys, revokeKey, rotateKey, updateKey } from './manage-keys.ts';
export { loginToServer, logoutFromServer } from './manage-sign-ins.ts';
export { serveGateway } from './serve-gateway.ts';
export { serveMcp } from './serve-mcp.ts';
export { showStatus } from './show-status.ts';
