export { initialize } from './initialize.ts';
export { installClient, ledgerOf, uninstallClients } from './install-client.ts';
export { withInstalledServers } from './installed-servers.ts';
export { findPlaces, type Places } from './places.ts';
