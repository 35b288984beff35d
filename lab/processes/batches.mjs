import { setTimeout as pause } from 'node:timers/promises';

/** What each item of a batch asks. */
export const ASK = { model: 'claude-scripted', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] };

/** The body that makes a batch of so many items. */
export function batchOf(items) {
  return { requests: Array.from({ length: items }, (_, item) => ({ custom_id: `item-${item}`, params: ASK })) };
}

export async function createBatch({ port }, items) {
  const response = await fetch(`http://127.0.0.1:${port}/v1/messages/batches`, {
    method: 'POST',
    body: JSON.stringify(batchOf(items)),
  });
  if (!response.ok) throw new Error(`A batch was refused with ${response.status}: ${await response.text()}`);
  return (await response.json()).id;
}

/** Waits for all batches to end, and describes those that don't have exactly one result for each item. */
export async function wrongBatches({ port }, ids, { items, endMs }) {
  const problems = [];
  const get = async (path) => (await fetch(`http://127.0.0.1:${port}/v1/messages/batches/${path}`)).text();
  const givenUpAt = performance.now() + endMs;
  for (const id of ids) {
    while (JSON.parse(await get(id)).processing_status !== 'ended' && performance.now() < givenUpAt) await pause(200);
    const lines = (await get(`${id}/results`)).split('\n').filter((line) => line !== '');
    const results = lines.map((line) => JSON.parse(line));
    const names = new Set(results.map((result) => result.custom_id));
    const succeeded = results.filter(({ result }) => result?.type === 'succeeded').length;
    if (lines.length === items && names.size === items && succeeded === items) continue;
    problems.push(
      `batch ${id} has ${lines.length} results of ${names.size} items, ${succeeded} succeeded: ${lines.join(' ').slice(0, 300)}`,
    );
  }
  return problems;
}
