// What other stages and packages share with this one. The public names are in index.ts.
export { createSnapshotInSteps } from './create-snapshot.ts';
export { anthropicDefinedTool } from './formats/anthropic-defined-tools.ts';
export { describeExamples, tellingExamples } from './formats/definition-fields.ts';
export { defined, textLength, tryParseJson } from './json.ts';
export { sha256 } from './sha256.ts';
export { findInvisibleKey, hasInvisible, stripInvisible, stripInvisibleTexts } from './strip-invisible.ts';
