export { createConnector } from './connector.ts';
