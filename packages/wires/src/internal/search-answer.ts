import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { Found, Own } from '@quartermaster/core/disclosure';
import type { Step } from '@quartermaster/core/dispatch';
import { defined } from '@quartermaster/core/internal';

/** The answer to one of our calls. A refusal is a text, and leaves nothing to remember. */
export type SearchAnswer =
  | { readonly kind: 'found'; readonly found: Found }
  | { readonly kind: 'refused'; readonly text: string };

/** The answer in a step. */
export function toSearchAnswer(step: Extract<Step, { readonly kind: 'answer' }>): SearchAnswer {
  return step.found === undefined ? { kind: 'refused', text: step.text } : { kind: 'found', found: step.found };
}

/** An answer as JSON, for protocols whose messages have room for it: a replay loses nothing that was found. */
export function writeSearchAnswer(answer: SearchAnswer): JsonObject {
  if (answer.kind === 'refused') return { refused: answer.text };
  const { found } = answer;
  switch (found.kind) {
    case 'search': {
      const { queries, names, also, unavailable } = found;
      return {
        toolNames: [...names],
        queries: [...queries],
        ...defined({
          also: also?.map(({ name, of }) => ({ name, of })),
          unavailable: unavailable?.map(({ server, reason }) => ({ server, reason })),
        }),
      };
    }
    case 'describe':
      return { toolNames: [...found.names] };
    case 'failure':
      return { queries: [...found.queries], error: found.code, message: found.message };
  }
}

/** The reverse. The history is untrusted: anything that is not one of our answers counts as one that found nothing. */
export function readSearchAnswer(role: Own['role'] | undefined, value: unknown): SearchAnswer {
  const answer = isJsonObject(value) ? value : {};
  if (typeof answer.refused === 'string') return { kind: 'refused', text: answer.refused };
  const queries = texts(answer.queries);
  if (typeof answer.error === 'string') {
    const message = typeof answer.message === 'string' ? answer.message : '';
    return { kind: 'found', found: { kind: 'failure', queries, code: answer.error, message } };
  }
  const names = texts(answer.toolNames);
  if (role === 'describe') return { kind: 'found', found: { kind: 'describe', names } };
  const also = pairs(answer.also, 'name', 'of');
  const unavailable = pairs(answer.unavailable, 'server', 'reason');
  return {
    kind: 'found',
    found: {
      kind: 'search',
      queries,
      names,
      ...(also.length === 0 ? {} : { also }),
      ...(unavailable.length === 0 ? {} : { unavailable }),
    },
  };
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function pairs<First extends string, Second extends string>(
  value: unknown,
  first: First,
  second: Second,
): readonly { readonly [Key in First | Second]: string }[] {
  return (Array.isArray(value) ? value : []).flatMap((one) => {
    if (!isJsonObject(one) || typeof one[first] !== 'string' || typeof one[second] !== 'string') return [];
    return [{ [first]: one[first], [second]: one[second] } as { readonly [Key in First | Second]: string }];
  });
}
