export { findResponse, type StoredResponse, withIds, withInput } from './stored-response.ts';
