export {
  type Conversation,
  changeConversation,
  findConversation,
  newConversation,
  saveConversation,
  withItems,
  withoutItem,
} from './conversation.ts';
export { findResponse, type StoredResponse, toItems, withIds, withInput } from './stored-response.ts';
