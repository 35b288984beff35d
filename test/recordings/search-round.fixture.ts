import { isRecord, type JsonRecord, type RecordedDialect, type Recording } from './recording.fixture.ts';

/**
 * A round in which the model searches, as the host of the recording would send it: under the recording's own frame, and with a
 * usage of nothing, so that a response over both rounds has to equal the recording.
 */
export function searchRound(recording: Recording, searchName: string): readonly JsonRecord[] {
  const { dialect, parts, isStream, status } = recording;
  const hasUsage = JSON.stringify(parts).includes('"usage"');
  const frame = status === undefined ? (parts[0] ?? {}) : FRAMES_BEFORE_ERRORS[dialect];
  return ROUNDS[dialect]({ frame: frame ?? {}, isStream, name: searchName, hasUsage, parts });
}

/** An error has no frame itself. */
const FRAMES_BEFORE_ERRORS: Readonly<Partial<Record<RecordedDialect, JsonRecord>>> = {
  anthropic: { id: 'msg_1', type: 'message', role: 'assistant', model: 'some-model', stop_sequence: null },
  'openai-responses': { id: 'resp_1', created_at: 0, model: 'some-model' },
};

interface RoundOptions {
  readonly frame: JsonRecord;
  readonly isStream: boolean;
  readonly name: string;
  readonly hasUsage: boolean;
  readonly parts: readonly JsonRecord[];
}

function without(record: JsonRecord, keys: readonly string[]): JsonRecord {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}

const ID = 'search_1';
const QUERY = { query: 'invoice' };

const LIFECYCLE: ReadonlySet<string> = new Set(['response.created', 'response.in_progress', 'response.queued']);

const ROUNDS: Readonly<Record<RecordedDialect, (options: RoundOptions) => readonly JsonRecord[]>> = {
  anthropic({ frame, isStream, name }) {
    const call = { type: 'tool_use', id: `toolu_${ID}`, name, input: QUERY };
    const message = isRecord(frame.message) ? frame.message : frame;
    const opening = isStream ? message : without(message, ['container', 'context_management', 'stop_details']);
    const usage = { input_tokens: 0, output_tokens: 0 };
    if (!isStream) return [{ ...opening, content: [call], stop_reason: 'tool_use', usage }];
    return [
      { type: 'message_start', message: { ...opening, content: [], stop_reason: null, usage } },
      { type: 'content_block_start', index: 0, content_block: { ...call, input: {} } },
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: JSON.stringify(QUERY) },
      },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage },
      { type: 'message_stop' },
    ];
  },
  'openai-chat'({ frame, isStream, name }) {
    const { id = '', object = '', created = 0, model = '' } = frame;
    const call = { id: ID, type: 'function', function: { name, arguments: JSON.stringify(QUERY) } };
    const message = { role: 'assistant', content: null };
    const common = { id, object, created, model };
    if (!isStream)
      return [
        {
          ...common,
          choices: [{ index: 0, message: { ...message, tool_calls: [call] }, finish_reason: 'tool_calls' }],
        },
      ];
    return [
      {
        ...common,
        choices: [{ index: 0, delta: { ...message, tool_calls: [{ index: 0, ...call }] }, finish_reason: null }],
      },
      { ...common, choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    ];
  },
  'openai-responses'({ frame, isStream, name, parts }) {
    const lifecycle = parts.filter(({ type }) => LIFECYCLE.has(String(type)));
    const opening = isRecord(frame.response) ? frame.response : without(frame, ['usage']);
    const call = { id: `fc_${ID}`, type: 'function_call', call_id: ID, name, status: 'completed' };
    const common = { ...opening, object: 'response' };
    const item = { ...call, arguments: JSON.stringify(QUERY) };
    const response = { ...common, status: 'completed', output: [item] };
    if (!isStream) return [response];
    return [
      ...lifecycle,
      { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response },
    ];
  },
  gemini({ frame, name }) {
    const { modelVersion = '', responseId } = frame;
    const content = { role: 'model', parts: [{ functionCall: { name, args: QUERY } }] };
    return [
      {
        candidates: [{ content, finishReason: 'STOP', index: 0 }],
        modelVersion,
        ...(responseId === undefined ? {} : { responseId }),
      },
    ];
  },
  interactions({ frame, isStream, name }) {
    const { id = '', model = '', created } = isRecord(frame.interaction) ? frame.interaction : frame;
    const interaction = { id, model, object: 'interaction', ...(created === undefined ? {} : { created }) };
    const step = { type: 'function_call', id: ID, name, arguments: QUERY };
    const usage = { total_input_tokens: 0, total_output_tokens: 0 };
    const done = { ...interaction, status: 'requires_action', usage };
    if (!isStream) return [{ ...done, steps: [step] }];
    return [
      { event_type: 'interaction.created', interaction: { ...interaction, status: 'in_progress' } },
      { event_type: 'step.start', index: 0, step: { ...step, arguments: {} } },
      {
        event_type: 'step.delta',
        index: 0,
        delta: { type: 'arguments_delta', id: ID, arguments: JSON.stringify(QUERY) },
      },
      { event_type: 'step.stop', index: 0 },
      { event_type: 'interaction.completed', interaction: done },
    ];
  },
  bedrock({ isStream, name, hasUsage }) {
    const toolUse = { toolUseId: ID, name };
    const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
    if (!isStream) {
      const message = { role: 'assistant', content: [{ toolUse: { ...toolUse, input: QUERY } }] };
      return [{ output: { message }, stopReason: 'tool_use', ...(hasUsage ? { usage } : {}) }];
    }
    return [
      { contentBlockStart: { contentBlockIndex: 0, start: { toolUse } } },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: JSON.stringify(QUERY) } } } },
      { contentBlockStop: { contentBlockIndex: 0 } },
      { messageStop: { stopReason: 'tool_use' } },
      ...(hasUsage ? [{ metadata: { usage } }] : []),
    ];
  },
};
