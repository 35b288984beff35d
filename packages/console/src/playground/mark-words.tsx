import { Fragment, type ReactNode } from 'react';

/** The text with the words of the query marked: the same word in another ending counts. */
export function MarkedText(props: {
  readonly text: string;
  readonly query: string;
  /** Whether a long one breaks between its words. @default false */
  readonly isName?: boolean;
}): ReactNode {
  const { text, query, isName = false } = props;
  const stems = stemsOf(query);
  return text.split(/(\p{L}[\p{L}\p{N}]*)/u).map((piece, index) => {
    const isMarked = index % 2 === 1 && stems.some((stem) => stemOf(piece) === stem);
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have no identity but their place
      <Fragment key={index}>
        {isMarked ? <mark>{piece}</mark> : piece}
        {isName && /[_.:-]$/.test(piece) ? <wbr /> : null}
      </Fragment>
    );
  });
}

function stemsOf(query: string): readonly string[] {
  return (query.match(/\p{L}[\p{L}\p{N}]*/gu) ?? []).map(stemOf).filter((stem) => stem.length > 2 && !COMMON.has(stem));
}

function stemOf(word: string): string {
  return word.toLowerCase().replace(/(?:ings?|ed|e?s|e)$/, '');
}

const COMMON = new Set('the and for with from his her thi that all are was you your our can int into out'.split(' '));
