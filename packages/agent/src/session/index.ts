export { COMPACTION_DEFAULTS, compact } from './compact.ts';
export { type Conversation, interruptedResults, openConversation, withoutResults } from './conversation.ts';
export { CHARACTERS_PER_TOKEN, messageTokens } from './message-tokens.ts';
export { checkSessionOptions, resumedSession, sessionStore } from './resumed-session.ts';
export {
  createDatabaseSessionStore,
  createFileSessionStore,
  createMemorySessionStore,
  type SessionRecord,
  type SessionStore,
} from './session-store.ts';
