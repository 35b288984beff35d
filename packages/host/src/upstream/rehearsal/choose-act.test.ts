import { describe, expect, it } from 'vitest';
import { chooseAct } from './choose-act.ts';
import type { Scene, SceneTool } from './read-scene.ts';

const current: SceneTool = { name: 'get_forecast', description: 'How the sky is now.', schema: {} };
const historical: SceneTool = {
  name: 'get_historical_weather',
  description: 'What the weather in a place was, such as in Oslo.',
  schema: {},
};
const pinned: SceneTool = { name: 'weather_in_oslo', description: 'What is the weather in Oslo?', schema: {} };

function scene(parts: Partial<Scene>): Scene {
  return {
    said: 'What is the weather in Oslo?',
    search: { name: 'tool_search', schema: {} },
    declared: [],
    deferred: [],
    found: [],
    calls: [{ name: 'tool_search', input: {}, answer: '', isError: false }],
    callCount: 1,
    ...parts,
  };
}

describe('which tool is called', () => {
  it.each<[string, Partial<Scene>, string]>([
    ['the first one that the search found', { found: [current, historical] }, 'get_forecast'],
    [
      'the same where found tools are declared',
      { found: [current, historical], declared: [historical, current] },
      'get_forecast',
    ],
    [
      'a declared one that fits better than all that was found',
      { found: [current], declared: [pinned] },
      'weather_in_oslo',
    ],
    [
      'none of the declared that fits no better',
      { found: [historical], declared: [current] },
      'get_historical_weather',
    ],
    ['the best declared one where nothing was found', { declared: [current, pinned] }, 'weather_in_oslo'],
  ])('is %s', (_what, parts, name) => {
    expect(chooseAct(scene(parts), undefined)).toMatchObject({ kind: 'call', name });
  });

  it('is none if nothing was found and no declared tool fits', () => {
    expect(chooseAct(scene({ said: 'zzzz', declared: [current] }), undefined)).toMatchObject({ kind: 'say' });
  });
});
