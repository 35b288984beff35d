import { expect, it } from 'vitest';
import { runToEnd } from '../../slices.ts';
import { sampleSnapshot } from '../sample-tools.fixture.ts';
import { FORMS, type Form } from './form.ts';
import { makeDeferPlan } from './make-plan.ts';
import { type DeferPlan, wrapCall } from './plan.ts';

function planOf(form: Form): DeferPlan {
  const snapshot = sampleSnapshot();
  const deferred = new Set(['github/create_issue']);
  return runToEnd(
    makeDeferPlan({
      snapshot,
      tools: snapshot.tools,
      reason: '',
      toolTokens: () => 1,
      countTokens: () => 1,
      form,
      deferred,
    }),
  );
}

const CALL = { name: 'github__create_issue', arguments: { text: 'x' } };

it('wraps a call to a deferred tool as the model of a bridge wrote it', () => {
  expect(wrapCall(planOf(FORMS.bridge), CALL)).toEqual({ name: 'tool_call', arguments: CALL });
});

it('does not change calls to shown tools, and calls in other forms', () => {
  const shown = { name: 'read_file', arguments: {} };
  expect(wrapCall(planOf(FORMS.bridge), shown)).toBe(shown);
  for (const form of [FORMS.stub, FORMS.load, FORMS.native]) expect(wrapCall(planOf(form), CALL)).toBe(CALL);
});
