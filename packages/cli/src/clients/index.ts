export { installClient, uninstallClients } from './install-client.ts';
