import { createAnthropicWire } from '@quartermaster/wires/anthropic';

/** Every conversation is stored in the format of the Messages API, whatever the model speaks. */
export const agentWire: ReturnType<typeof createAnthropicWire> = createAnthropicWire({ missingDeferral: 'automatic' });
