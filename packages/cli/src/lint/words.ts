/** The words of a name or a text in lower case; `sendEmail` has two. */
export function wordsOf(text: string): readonly string[] {
  return (
    text
      .slice(0, MOST_READ)
      .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** A name without case and punctuation. */
export function nameKey(name: string): string {
  return wordsOf(name).join('');
}

/** Up to the first full stop, colon or line break that ends more than a few characters. */
export function firstSentence(text: string): string {
  const start = text.trim().slice(0, 400);
  const [sentence = start] = /^.{12,}?(?=[.!?](?:\s|$)|\n)/s.exec(start) ?? [];
  return sentence.replace(/\s+/g, ' ').slice(0, 300).trim();
}

/** How many words a reader sees, also in scripts without spaces. */
export function countWords(text: string): number {
  let count = 0;
  for (const { isWordLike } of SEGMENTER.segment(text.slice(0, 500))) if (isWordLike === true) count += 1;
  return count;
}

/** Whether a text says what is done. Texts in other scripts are not checked. */
export function hasVerb(text: string): boolean {
  if (/[^\p{Script=Latin}\p{Script=Common}]/u.test(text)) return true;
  return wordsOf(text).some((word) => STEMS.has(stem(word)));
}

/** `returns`, `returned` and `returning` have one stem. */
function stem(word: string): string {
  return word
    .replace(/(?:ies|ied)$/, 'y')
    .replace(/(?:ing|ed|es|s)$/, '')
    .replace(/e$/, '')
    .replace(/([bdgmnprt])\1$/, '$1');
}

const MOST_READ = 4_000;
const SEGMENTER = new Intl.Segmenter('en', { granularity: 'word' });

const VERBS = `abort accept access acknowledge activate add adjust aggregate allocate allow analyse analyze annotate answer append
apply approve archive ask assemble assess assign attach audit authenticate authorize backup ban batch block book broadcast browse
build calculate call cancel capture change charge chat check choose classify clean clear click clone close collect combine comment
commit compare compile complete compose compress compute configure confirm connect convert copy count crawl create crop customise
customize cut deactivate debug decline decode decrypt deduplicate define delete deliver demonstrate deploy describe destroy detach
detect determine diff disable discover dismiss dispatch display download draft drag drain draw drop dump duplicate echo edit embed
emit emulate enable encode encrypt end enrich ensure enter erase escalate estimate evaluate evict examine exchange execute expand
explain explore export extract fetch fill filter find finish fix flag flush fly follow force forecast fork format forward free
generate geocode get give grant group handle hash hide highlight identify import improve index infer inform ingest initialize
initiate insert inspect install interact invite invoke issue join judge keep kill label launch leave let lint list listen load
locate lock log look lookup make manage map mark match measure merge migrate mint modify monitor mount move mute navigate
normalize notify obtain offer open optimize order organize pack parse paste patch pause pay perform pick pin ping plan play plot
poll post predict prepare press preview print process produce promote prompt propose provide provision publish pull purchase push
put query queue raise rank rate read rebase reboot rebuild receive recommend record recover recycle redeem redirect redo reduce
refresh refund register reindex reject release reload remind remove rename render reopen reorder repair repeat replace reply
report request require rerun reschedule reserve reset resize resolve respond restart restore restrict resume retrieve retry return
revert review revoke rewrite roll rotate route run save scale scan schedule scrape screenshot scroll search seek select send serve
set share ship shorten show shuffle shut sign simulate skip snooze solve sort speak split squash star start stitch stop store
stream submit subscribe suggest summarise summarize suspend swap swipe switch sync synchronize tag take talk tap tell terminate
test think throw toggle tokenize trace track train transcribe transfer transform translate trash trigger trim truncate turn type
unarchive unassign unblock undo uninstall unlink unlock unmute unpin unstar unsubscribe update upgrade upload upsert use validate
verify view visit vote wait walk watch wipe withdraw wrap write zip zoom`;
const STEMS: ReadonlySet<string> = new Set(VERBS.split(/\s+/).map(stem));
