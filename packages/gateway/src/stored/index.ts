export {
  type Conversation,
  changeConversation,
  findConversation,
  isItemId,
  newConversation,
  saveConversation,
  withItems,
  withoutItem,
} from './conversation.ts';
export { findResponse, type StoredResponse, toItems, withIds, withInput } from './stored-response.ts';
