import { createSnapshot, createToolbox, readEnableToolSearch, type Snapshot, type Toolbox } from '@quartermaster/core';
import { createTool } from '@quartermaster/core/catalog';
import { describe, expect, it } from 'vitest';
import { type ResolvedModel, rehearsal } from '../model/index.ts';
import { createPlanner } from './planner.ts';

const snapshotOf = (...names: readonly string[]): Snapshot =>
  createSnapshot(
    names.map((name) =>
      createTool({ server: 's', name, description: name, schema: {}, policy: 'automatic', extras: {} }),
    ),
  );

const MODEL: ResolvedModel = {
  model: 'm',
  upstream: rehearsal(),
  limits: { contextTokens: 100_000, source: 'default' },
  capabilities: {
    references: true,
    clientSearch: false,
    hostedSearch: [],
    deferMark: true,
    lateTools: true,
    undeclaredCalls: true,
    imagesInResults: true,
  },
};

function changing(rule: string): { readonly toolbox: Toolbox; change(): void } {
  let snapshot = snapshotOf('a', 'b');
  const toolbox = createToolbox({ tools: () => snapshot, settings: readEnableToolSearch(rule) });
  return {
    toolbox,
    change() {
      snapshot = snapshotOf('a', 'b', 'c');
    },
  };
}

describe('the plan of a conversation', () => {
  it('stays while the model searches, whatever servers are added, until the conversation starts again', () => {
    const { toolbox, change } = changing('true');
    const planner = createPlanner({ toolbox, caller: {}, form: 'auto', isStarting: () => false });
    const plan = planner.plan(MODEL);
    change();
    expect(planner.plan(MODEL)).toBe(plan);
    planner.forget();
    expect(planner.plan(MODEL).deferred.size).toBe(3);
  });

  it('follows the catalog where every tool is declared', () => {
    const { toolbox, change } = changing('false');
    const planner = createPlanner({ toolbox, caller: {}, form: 'auto', isStarting: () => false });
    expect(planner.plan(MODEL).shown).toHaveLength(2);
    expect(planner.plan(MODEL)).toBe(planner.plan(MODEL));
    change();
    expect(planner.plan(MODEL).shown).toHaveLength(3);
  });

  it('is made for the model: one that knows no references gets its tools appended', () => {
    const planner = createPlanner({
      toolbox: changing('true').toolbox,
      caller: {},
      form: 'auto',
      isStarting: () => false,
    });
    const plain = { ...MODEL, capabilities: { ...MODEL.capabilities, references: false } };
    expect(planner.plan(MODEL).form.reveal).toBe('native');
    expect(planner.plan(plain).form.reveal).toBe('append');
  });
});
