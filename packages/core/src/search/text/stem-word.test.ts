import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stemWord } from './stem-word.ts';

describe('stemWord', () => {
  it.each([
    ['creates', 'creat'],
    ['created', 'creat'],
    ['creating', 'creat'],
    ['create', 'creat'],
    ['queries', 'queri'],
    ['query', 'queri'],
    ['processes', 'process'],
    ['ties', 'tie'],
    ['hopping', 'hop'],
    ['hoping', 'hope'],
    ['agreed', 'agre'],
    ['feed', 'feed'],
    ['meetings', 'meet'],
    ['generation', 'generat'],
    ['generate', 'generat'],
    ['general', 'general'],
    ['communication', 'communic'],
    ['translation', 'translat'],
    ['translator', 'translat'],
    ['conversion', 'convers'],
    ['happiness', 'happi'],
    ['hopefully', 'hope'],
    ['adjustable', 'adjust'],
    ['replacement', 'replac'],
    ['status', 'status'],
    ['address', 'address'],
    ['news', 'news'],
    ['dying', 'die'],
    ['boy', 'boy'],
    ['say', 'say'],
    ['proceeds', 'proceed'],
    ['controll', 'control'],
  ])('takes %s to %s', (word, stem) => {
    expect(stemWord(word)).toBe(stem);
  });

  it.each([
    ['list', 'lists', 'listed', 'listing'],
    ['schedule', 'schedules', 'scheduled', 'scheduling'],
    ['delete', 'deletes', 'deleted', 'deleting', 'deletion'],
    ['company', 'companies'],
    ['currency', 'currencies'],
    ['upload', 'uploads', 'uploaded', 'uploading'],
  ])('gives the forms of %s one stem', (...forms) => {
    expect(new Set(forms.map(stemWord)).size).toBe(1);
  });

  it.each(['at', 'id', 'ип', 'utf8', 'café', '', 'thisisaverylongidentifierindeed'])('leaves %j as it is', (word) => {
    expect(stemWord(word)).toBe(word);
  });

  it('never gets longer, and never empty', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,24}$/), (word) => {
        const stem = stemWord(word);
        expect(stem.length).toBeGreaterThan(0);
        expect(stem.length).toBeLessThanOrEqual(word.length);
      }),
    );
  });
});
