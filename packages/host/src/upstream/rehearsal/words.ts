/** Words that say nothing about the request. */
const COMMON: ReadonlySet<string> = new Set(
  (
    'a an and are as at be but by can could do for from get give have i if in into is it its me my of on or our please ' +
    'so some that the their them then this to up us use want was we what when which will with would you your'
  ).split(' '),
);

/** The meaningful words of a text, in lower case, with identifiers split. */
export function wordsOf(text: string): readonly string[] {
  const apart = text.slice(0, 4_000).replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
  const words = apart.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !COMMON.has(word));
}

/**
 * How well a tool fits a text: 3 for each word of its name that occurs in it, 1 for each of its description. Words match
 * if they are equal, or begin with the same four letters or more and differ in length by at most three, so that
 * `create` matches `creating`.
 */
export function fitness(
  tool: { readonly name: string; readonly description: string },
  said: readonly string[],
): number {
  const count = (text: string): number => {
    const words = new Set(wordsOf(text));
    return [...words].filter((word) => said.some((other) => agree(word, other))).length;
  };
  return 3 * count(tool.name) + count(tool.description);
}

function agree(left: string, right: string): boolean {
  if (left === right) return true;
  const shared = sharedLength(left, right);
  return shared >= 4 && Math.max(left.length, right.length) - shared <= 3;
}

function sharedLength(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length += 1;
  return length;
}
