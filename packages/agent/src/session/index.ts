export { COMPACTION_DEFAULTS, compact } from './compact.ts';
export { type Conversation, openConversation } from './conversation.ts';
export { createDatabaseSessionStore } from './database-session-store.ts';
export { createFileSessionStore } from './file-session-store.ts';
export { CHARACTERS_PER_TOKEN, messageTokens } from './message-tokens.ts';
export { checkSessionOptions, resumedSession, sessionStore } from './resumed-session.ts';
export { createMemorySessionStore, type SessionRecord, type SessionStore } from './session-store.ts';
export { interruptedResults, withoutResults } from './unanswered-calls.ts';
