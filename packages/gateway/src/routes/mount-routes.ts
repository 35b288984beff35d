import type { Api } from '../api/index.ts';
import { mountAuditRoutes } from './audit-routes.ts';
import { mountBatchRoutes } from './batch-routes.ts';
import { mountCatalogRoutes } from './catalog-routes.ts';
import { mountConsoleRoutes } from './console-routes.ts';
import { mountConversationRoutes } from './conversation-routes.ts';
import { mountInsightRoutes } from './insight-routes.ts';
import { mountKeyRoutes } from './key-routes.ts';
import { mountLabelRoutes } from './label-routes.ts';
import { mountLearnedRoutes } from './learned-routes.ts';
import { mountMcpRoutes } from './mcp-routes.ts';
import { mountModelRoutes } from './model-routes.ts';
import { mountPassedRoutes } from './passed-routes.ts';
import { mountSearchRoutes } from './search-routes.ts';
import { mountServerRoutes } from './server-routes.ts';
import type { Services } from './services.ts';
import { mountSignInRoutes } from './sign-in-routes.ts';
import { mountStatusRoutes } from './status-routes.ts';
import { mountStoredRoutes } from './stored-routes.ts';

/** In this order: an earlier route comes before a later one that its path would match too. */
const ROUTES: readonly ((api: Api, services: Services) => void)[] = [
  mountModelRoutes,
  mountPassedRoutes,
  mountStoredRoutes,
  mountConversationRoutes,
  mountCatalogRoutes,
  mountLabelRoutes,
  mountBatchRoutes,
  mountMcpRoutes,
  mountSearchRoutes,
  mountServerRoutes,
  mountSignInRoutes,
  mountKeyRoutes,
  mountAuditRoutes,
  mountInsightRoutes,
  mountLearnedRoutes,
  mountConsoleRoutes,
  mountStatusRoutes,
];

/** Everything that a gateway serves. */
export function mountRoutes(api: Api, services: Services): void {
  for (const mount of ROUTES) mount(api, services);
}
