import { describe, expect, it } from 'vitest';
import { message } from './response-script.fixture.ts';
import { responsesWhole } from './whole.ts';

const CITATION = { type: 'url_citation', url: 'https://example.com', title: 'x', start_index: 0, end_index: 2 };
const RESPONSE = {
  id: 'resp_1',
  status: 'completed',
  output: [
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm' }] },
    {
      ...message('Hi'),
      content: [
        { type: 'output_text', text: 'Hi', annotations: [CITATION] },
        { type: 'refusal', refusal: 'No' },
        { type: 'some_new_part', data: [1] },
      ],
    },
    { type: 'some_new_item', id: 'x_1', data: [1] },
  ],
  usage: { input_tokens: 1, output_tokens: 2 },
};

describe('a whole response', () => {
  it('survives being taken apart and put together, unknown items and parts included', () => {
    expect(responsesWhole.fromParts(responsesWhole.toParts(RESPONSE))).toEqual(RESPONSE);
  });

  it('brings its texts in deltas, where clients of a stream read them', () => {
    const deltas = responsesWhole
      .toParts(RESPONSE)
      .flatMap(({ type, delta }) => (delta === undefined ? [] : [[type, delta]]));
    expect(deltas).toEqual([
      ['response.reasoning_summary_text.delta', 'Hm'],
      ['response.output_text.delta', 'Hi'],
      ['response.refusal.delta', 'No'],
    ]);
  });

  it('says where each part belongs, and brings citations and unknown parts too', () => {
    const events = responsesWhole.toParts(RESPONSE).filter(({ output_index }) => output_index === 1);
    const place = { output_index: 1, item_id: 'msg_1' };
    expect(events).toMatchObject([
      { type: 'response.output_item.added', item: { status: 'in_progress', content: [] } },
      { type: 'response.content_part.added', ...place, content_index: 0, part: { text: '', annotations: [] } },
      { type: 'response.output_text.delta', ...place, content_index: 0, delta: 'Hi' },
      { type: 'response.output_text.annotation.added', content_index: 0, annotation_index: 0, annotation: CITATION },
      { type: 'response.output_text.done', ...place, content_index: 0, text: 'Hi' },
      { type: 'response.content_part.done', ...place, content_index: 0, part: { text: 'Hi', annotations: [CITATION] } },
      { type: 'response.content_part.added', ...place, content_index: 1, part: { refusal: '' } },
      { type: 'response.refusal.delta', ...place, content_index: 1, delta: 'No' },
      { type: 'response.refusal.done', ...place, content_index: 1, refusal: 'No' },
      { type: 'response.content_part.done', ...place, content_index: 1 },
      { type: 'response.content_part.added', ...place, content_index: 2, part: { type: 'some_new_part', data: [1] } },
      { type: 'response.content_part.done', ...place, content_index: 2 },
      { type: 'response.output_item.done', output_index: 1, item: { status: 'completed' } },
    ]);
  });
});
