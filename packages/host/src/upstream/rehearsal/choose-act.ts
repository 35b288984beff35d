import type { LanguageModelV4ToolChoice } from '@ai-sdk/provider';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { fillArguments } from './fill-arguments.ts';
import type { Scene, SceneCall, SceneTool } from './read-scene.ts';
import { fitness, wordsOf } from './words.ts';

/** What the mock model does next. */
export type Act =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'call'; readonly text: string; readonly name: string; readonly input: JsonObject }
  /** A search that the provider runs, after which the same response continues. */
  | {
      readonly kind: 'search';
      readonly text: string;
      readonly name: string;
      readonly input: JsonObject;
      readonly found: readonly string[];
    };

const LONGEST_QUERY = 300;
const LONGEST_PATTERN = 200;
const LONGEST_QUOTE = 300;
const MOST_FOUND = 5;

/**
 * The next act: quote the result of a call that has been answered; otherwise search for the user's words, once per turn; otherwise
 * call the tool that fits them best; otherwise say that there is none. It understands nothing, and nothing is random.
 */
export function chooseAct(scene: Scene, choice: LanguageModelV4ToolChoice | undefined): Act {
  const answered = scene.calls.findLast((call) => !isFinding(call, scene));
  if (answered !== undefined) return { kind: 'say', text: quoteOf(answered, scene) };
  if (choice?.type === 'none') return { kind: 'say', text: 'No tool may be called.' };
  const forced = choice?.type === 'tool' ? choice.toolName : undefined;
  const hasSearched = scene.calls.some((call) => call.name === scene.search?.name);
  if (scene.search !== undefined && !hasSearched && (forced === undefined || forced === scene.search.name)) {
    return search(scene);
  }
  const isOwn = forced === scene.call || forced === scene.describe;
  const tool = forced === undefined || isOwn ? best(scene, choice) : scene.declared.find(({ name }) => name === forced);
  if (tool === undefined) return { kind: 'say', text: nothingFits(scene, hasSearched) };
  return callOf(tool, scene);
}

function search(scene: Scene): Act {
  const { search: found, said } = scene;
  if (found === undefined) return { kind: 'say', text: '' };
  const query = cut(said.replace(/\s+/g, ' '), LONGEST_QUERY);
  const text = `Searching for ${JSON.stringify(query)}.`;
  const input = searchInput(scene, query);
  if (found.hosted === undefined) return { kind: 'call', text, name: found.name, input };
  const said_ = wordsOf(said);
  const ranked = rank(scene.deferred, said_).filter((tool) => fitness(tool, said_) > 0);
  return { kind: 'search', text, name: found.name, input, found: ranked.slice(0, MOST_FOUND).map(({ name }) => name) };
}

/** A pattern is made of the user's words, any of which may match. Other required parameters are filled in as for any tool. */
function searchInput({ search: found, said }: Scene, query: string): JsonObject {
  const properties = isJsonObject(found?.schema.properties) ? found.schema.properties : {};
  const isRegex =
    found?.hosted === 'regex' || (Object.hasOwn(properties, 'pattern') && !Object.hasOwn(properties, 'query'));
  const required = fillArguments(found?.schema ?? {}, '');
  if (isRegex) return { ...required, pattern: patternOf(said) };
  return Object.hasOwn(properties, 'query') || found?.hosted === 'bm25'
    ? { ...required, query }
    : { ...required, queries: [query] };
}

function patternOf(said: string): string {
  const words = [...new Set(wordsOf(said))].filter((word) => word.length > 2);
  let pattern = '';
  for (const word of words) {
    const longer = pattern === '' ? `(?i)${word}` : `${pattern}|${word}`;
    if (longer.length > LONGEST_PATTERN) break;
    pattern = longer;
  }
  return pattern === '' ? '.*' : pattern;
}

/** Found tools come first, in the order of the search, which knows more than words; a declared tool must fit better than all of them. */
function best(scene: Scene, choice: LanguageModelV4ToolChoice | undefined): SceneTool | undefined {
  const said = wordsOf(scene.said);
  const known = scene.found.map((found) => {
    const declared = scene.declared.find(({ name }) => name === found.name);
    return declared === undefined ? found : withSchema(declared, found);
  });
  const names = new Set(known.map(({ name }) => name));
  const others = scene.declared.filter(({ name }) => !names.has(name));
  const [other] = rank(others, said);
  const [found] = known;
  if (other === undefined) return found;
  const fits = fitness(other, said);
  if (found === undefined) return fits > 0 || choice?.type === 'required' ? other : undefined;
  return known.every((tool) => fitness(tool, said) < fits) ? other : found;
}

/** A stub is declared without its parameters: those in the search's answer count. */
function withSchema(declared: SceneTool, found: SceneTool): SceneTool {
  return found.schema === undefined ? declared : { ...declared, schema: found.schema };
}

/** Best first. Ties keep their order. */
function rank(tools: readonly SceneTool[], said: readonly string[]): readonly SceneTool[] {
  return tools
    .map((tool) => ({ tool, score: fitness(tool, said) }))
    .sort((left, right) => right.score - left.score)
    .map(({ tool }) => tool);
}

function callOf(tool: SceneTool, scene: Scene): Act {
  const { name, schema } = tool;
  const isDeclared = scene.declared.some((declared) => declared.name === name);
  const wasDescribed = scene.calls.some((call) => call.name === scene.describe);
  if (schema === undefined && scene.describe !== undefined && !wasDescribed) {
    return { kind: 'call', text: `Looking at ${name}.`, name: scene.describe, input: { name } };
  }
  const input = fillArguments(schema ?? {}, scene.said);
  const text = `Calling ${name}.`;
  if (isDeclared || scene.call === undefined) return { kind: 'call', text, name, input };
  return { kind: 'call', text, name: scene.call, input: { name, arguments: input } };
}

function isFinding(call: SceneCall, scene: Scene): boolean {
  return call.name === scene.search?.name || call.name === scene.describe;
}

function quoteOf(call: SceneCall, scene: Scene): string {
  const inner = call.name === scene.call && isJsonObject(call.input) ? call.input.name : undefined;
  const name = typeof inner === 'string' ? inner : call.name;
  const quote = JSON.stringify(cut(call.answer.trim(), LONGEST_QUOTE));
  return call.isError ? `${name} failed with ${quote}.` : `${name} answered ${quote}.`;
}

function nothingFits(scene: Scene, hasSearched: boolean): string {
  const said = JSON.stringify(cut(scene.said, LONGEST_QUERY));
  return hasSearched ? `The search found no tool for ${said}.` : `No declared tool fits ${said}.`;
}

/** By characters, never in the middle of one. */
function cut(text: string, most: number): string {
  const characters = [...text.slice(0, most * 2)];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : text;
}
