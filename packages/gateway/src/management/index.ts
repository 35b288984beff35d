export { checkServers } from './check-servers.ts';
export { describeServers } from './describe-server.ts';
export { describeTools, type Linter } from './describe-tools.ts';
export { createLivePolicies, type LivePolicies } from './policies.ts';
