import type { JsonSchema } from '../tool.ts';

/** A tool that Anthropic defines and the client runs, described so that other models can call it. */
export interface AnthropicDefinedTool {
  readonly description: string;
  readonly schema: JsonSchema;
}

/**
 * The parameters of a dated type such as `bash_20250124`, by which it can be searched for, and declared as a function for a host that
 * does not know it. Undefined for tools that Anthropic runs itself.
 */
export function anthropicDefinedTool(type: string): AnthropicDefinedTool | undefined {
  return TOOLS.find(([pattern]) => pattern.test(type))?.[1];
}

const text = (description: string): JsonSchema => ({ type: 'string', description });
const PAIR: JsonSchema = { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2 };

const BASH: AnthropicDefinedTool = {
  description: 'Run a command in a bash shell that keeps its state between calls, such as directory and variables.',
  schema: {
    type: 'object',
    properties: {
      command: text('The command to run'),
      restart: { type: 'boolean', description: 'Restart the shell instead' },
    },
  },
};

const TEXT_EDITOR: AnthropicDefinedTool = {
  description: 'View, create and edit text files: show lines, replace a string, insert after a line.',
  schema: {
    type: 'object',
    properties: {
      command: { type: 'string', enum: ['view', 'create', 'str_replace', 'insert', 'undo_edit'] },
      path: text('Path of the file or directory'),
      view_range: { ...PAIR, description: 'For view: first and last line, -1 for the end' },
      file_text: text('For create: the content'),
      old_str: text('For str_replace: the text to replace, unique in the file'),
      new_str: text('For str_replace: what to put in its place'),
      insert_line: { type: 'integer', description: 'For insert: the line to insert after, 0 for the beginning' },
      insert_text: text('For insert: the text'),
    },
    required: ['command', 'path'],
  },
};

const MEMORY: AnthropicDefinedTool = {
  description: 'Read and write memory files below /memories that last between conversations.',
  schema: {
    type: 'object',
    properties: {
      command: { type: 'string', enum: ['view', 'create', 'str_replace', 'insert', 'delete', 'rename'] },
      path: text('Path of the file or directory'),
      view_range: { ...PAIR, description: 'For view: first and last line' },
      file_text: text('For create: the content'),
      old_str: text('For str_replace: the text to replace'),
      new_str: text('For str_replace: what to put in its place'),
      insert_line: { type: 'integer', description: 'For insert: the line to insert after' },
      insert_text: text('For insert: the text'),
      old_path: text('For rename: the path as it is'),
      new_path: text('For rename: the path as it is to be'),
    },
    required: ['command'],
  },
};

const COMPUTER: AnthropicDefinedTool = {
  description: 'Use the mouse, keyboard and screen of a computer: take screenshots, click, type, press keys, scroll.',
  schema: {
    type: 'object',
    properties: {
      action: {
        type: 'string',
        enum: [
          ...['screenshot', 'key', 'type', 'mouse_move', 'left_click', 'right_click', 'middle_click', 'double_click'],
          ...['triple_click', 'left_click_drag', 'left_mouse_down', 'left_mouse_up', 'cursor_position', 'scroll'],
          ...['hold_key', 'wait', 'zoom'],
        ],
      },
      coordinate: { ...PAIR, description: 'x and y in pixels' },
      start_coordinate: { ...PAIR, description: 'For left_click_drag: where it begins' },
      text: text('The text to type, or the keys to press'),
      scroll_direction: { type: 'string', enum: ['up', 'down', 'left', 'right'] },
      scroll_amount: { type: 'integer' },
      duration: { type: 'number', description: 'For hold_key and wait: seconds' },
      region: { type: 'array', items: { type: 'integer' }, description: 'For zoom: x0, y0, x1, y1' },
    },
    required: ['action'],
  },
};

const TOOLS: readonly (readonly [RegExp, AnthropicDefinedTool])[] = [
  [/^bash_\d{8}$/, BASH],
  [/^text_editor_\d{8}$/, TEXT_EDITOR],
  [/^memory_\d{8}$/, MEMORY],
  [/^computer_\d{8}$/, COMPUTER],
];
