import { isJsonObject, type Json } from '@quartermaster/core/catalog';

/** References in the notations of opencode (`{env:NAME}`), Continue (`${{ secrets.NAME }}`) and Gemini CLI (`$NAME`), rewritten in ours. */
export function inPlainReferences(
  value: Json,
  { label, source }: { readonly label: string; readonly source: string },
): Json {
  const isGemini = /[\\/]\.gemini[\\/]/.test(source);
  const rewrite = (text: string): string => {
    const secrets = text.replace(/\$\{\{\s*(?:secrets|inputs)\.([A-Za-z_]\w*)\s*\}\}/g, '$${$1}');
    const opencode = label === 'mcp' ? secrets.replace(/(?<!\$)\{(env:[A-Za-z_]\w*|file:[^}]+)\}/g, '$${$1}') : secrets;
    return isGemini ? opencode.replace(/\$([A-Za-z_]\w*)/g, '$${$1}') : opencode;
  };
  const walk = (one: Json, depth: number): Json => {
    if (typeof one === 'string') return rewrite(one);
    // Deeper than any entry; expanding variables reports what is nested too deeply.
    if (depth > 8) return one;
    if (Array.isArray(one)) return one.map((item: Json) => walk(item, depth + 1));
    if (!isJsonObject(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([key, item]) => [key, walk(item as Json, depth + 1)]));
  };
  return walk(value, 0);
}
