import type { Snapshot, Tool } from '@quartermaster/core';
import { hashTool } from '@quartermaster/core/catalog';
import { estimateTokens } from '@quartermaster/core/gate';
import type { HintsFile } from '@quartermaster/host/config';
import { groupBy } from '../group-by.ts';
import { countWords } from '../lint/words.ts';
import { PROMPT_VERSION, writePrompt } from './prompt.ts';

/** One request to the model: a few tools of one server. */
export interface HintRequest {
  readonly tools: readonly Tool[];
  readonly prompt: string;
}

export interface EnrichPlan {
  readonly requests: readonly HintRequest[];
  /** Tools that the requests are about. */
  readonly asked: number;
  /** Tools that already have hints. */
  readonly known: number;
  /** Tools with a good description, if only weak ones were requested. */
  readonly passedOver: number;
  readonly inputTokens: number;
  /** An estimate: a model may write less. */
  readonly outputTokens: number;
}

export interface PlanOptions {
  readonly file: HintsFile;
  readonly model: string;
  readonly onlyWeak: boolean;
}

export function planRequests(snapshot: Snapshot, { file, model, onlyWeak }: PlanOptions): EnrichPlan {
  const servers = groupBy(snapshot.tools, ({ server }) => [server]);
  const requests: HintRequest[] = [];
  let [known, passedOver] = [0, 0];
  for (const tools of servers.values()) {
    const open = tools.filter((tool) => {
      const entry = file.tools[tool.id];
      const isKnown = entry?.hash === hashTool(tool) && entry.model === model && entry.prompt === PROMPT_VERSION;
      const isWanted = !onlyWeak || isWeak(tool);
      if (isKnown) known += 1;
      else if (!isWanted) passedOver += 1;
      return !isKnown && isWanted;
    });
    for (let at = 0; at < open.length; at += TOOLS_PER_REQUEST) {
      const some = open.slice(at, at + TOOLS_PER_REQUEST);
      requests.push({ tools: some, prompt: writePrompt(some, tools) });
    }
  }
  const asked = requests.reduce((sum, request) => sum + request.tools.length, 0);
  return {
    ...{ requests, asked, known, passedOver },
    inputTokens: requests.reduce((sum, { prompt }) => sum + estimateTokens(prompt), 0),
    outputTokens: asked * TOKENS_PER_TOOL,
  };
}

/** A description that tells an English search little: none, a few words, or mostly in another script. */
function isWeak({ description }: Tool): boolean {
  const letters = description.match(/\p{L}/gu) ?? [];
  const foreign = letters.filter((letter) => letter > '\u024f').length;
  return foreign * 4 > letters.length || countWords(description) < FEWEST_WORDS;
}

const FEWEST_WORDS = 6;
const TOOLS_PER_REQUEST = 8;
/** Six hints of a dozen tokens each, and the name. */
const TOKENS_PER_TOOL = 90;
