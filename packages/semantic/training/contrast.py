"""Requests that tell a tool from its siblings, made by rule from names: `contrast_requests(tools, indexes)`.

What people's requests rarely settle and models get wrong: one against all, a thing against what contains it, get against list, the two
directions of a pair, copy against move, a report against its events. Each request is in everyday words for the action, often another word for
the thing too. Two tools of a server that would be asked for in the same words get no request.
"""

import random
import re

# What a name's verb may be, and how people say it: {o} one thing, {O} several, {v} which one, {c} what contains it.
ACTIONS = {
    "list": ("list", "enumerate", "browse", "index", "all"),
    "get": ("get", "read", "fetch", "retrieve", "show", "view", "describe", "lookup", "load", "inspect"),
    "create": ("create", "new", "make", "insert", "register", "define"),
    "delete": ("delete", "destroy", "purge", "drop", "erase"),
    "update": ("update", "edit", "modify", "change", "patch", "set"),
    "search": ("search", "find", "query"),
    "send": ("send", "dispatch", "deliver"),
    "move": ("move", "transfer", "relocate"),
    "copy": ("copy", "duplicate", "clone"),
    "archive": ("archive",),
    "restore": ("restore", "unarchive", "undelete", "recover"),
    "cancel": ("cancel", "abort", "revoke"),
    "add": ("add", "append", "attach", "assign", "link"),
    "remove": ("remove", "detach", "unassign", "unlink", "unassociate"),
    "enable": ("enable", "activate", "unlock", "resume"),
    "disable": ("disable", "deactivate", "lock", "suspend", "pause"),
    "start": ("start", "run", "launch", "trigger", "execute", "open"),
    "stop": ("stop", "terminate", "kill", "close", "end"),
    "upload": ("upload", "import"),
    "download": ("download", "export"),
    "count": ("count",),
    "rename": ("rename",),
    "share": ("share", "publish"),
    "unshare": ("unshare", "unpublish"),
    "merge": ("merge",),
    "compare": ("compare", "diff"),
    "approve": ("approve", "accept", "confirm"),
    "reject": ("reject", "decline", "deny"),
}
ACTION_OF = {word: action for action, words in ACTIONS.items() for word in words}

SAID = {
    "list": ("show me all the {O}", "which {O} do we have", "what {O} are there", "give me an overview of our {O}", "every {o} there is, please", "run through the {O} for me", "I want to see the {O} we've got", "what's there in the way of {O}?"),
    "get": ("pull up the {o} {v}", "what does the {o} {v} look like", "tell me about that one {o}, {v}", "open {o} {v} so I can see what's in it", "I need everything about the {o} {v}", "what do we know about {o} {v}", "bring up {v}, the {o}"),
    "create": ("set up another {o}", "we need a fresh {o} called {v}", "put together a {o} named {v}", "there is no {o} for {v} yet, sort that out", "start me off with a new {o}", "could you open up a {o} for {v}"),
    "delete": ("get rid of the {o} {v}", "the {o} {v} can go", "throw {o} {v} away for good", "wipe out the {o} {v}", "we don't need the {o} {v} any more", "bin the {o} {v}"),
    "update": ("the {o} {v} is wrong, put it right", "the {o} {v} should say something else", "correct what's in {o} {v}", "tweak the {o} {v}", "adjust {o} {v}, it's out of date"),
    "search": ("do we have any {O} about {v}", "look for the {o} that mentions {v}", "which of the {O} has {v} in it", "hunt down {O} with {v}", "somewhere there is a {o} about {v}, where"),
    "send": ("get this {o} over to {v}", "shoot {v} a {o}", "let {v} have the {o}", "drop {v} a {o}"),
    "move": ("put the {o} {v} somewhere else", "the {o} {v} belongs over there, take it across", "shift {o} {v} to the other place", "the {o} {v} is in the wrong spot, take it to the right one"),
    "copy": ("I want a second {o} just like {v}", "make another one of {o} {v}", "keep the {o} {v} and give me one more like it", "same {o} as {v} again under a different name"),
    "archive": ("put the {o} {v} away without losing it", "shelve {o} {v}, we may need it again", "tuck the {o} {v} out of sight"),
    "restore": ("bring the {o} {v} back", "I shouldn't have got rid of {o} {v}, undo it", "get back the {o} {v} from before"),
    "cancel": ("call off the {o} {v}", "the {o} {v} isn't happening after all", "I changed my mind about the {o} {v}", "pull the plug on the {o} {v}"),
    "add": ("put one more {o} on it: {v}", "{v} needs to be on there as a {o}", "include the {o} {v} too", "stick the {o} {v} on"),
    "remove": ("take the {o} {v} off it", "{v} shouldn't be on there as a {o} any longer", "leave out the {o} {v} from now on", "strip the {o} {v} from it"),
    "enable": ("switch the {o} {v} on", "make the {o} {v} live", "the {o} {v} should work again"),
    "disable": ("switch the {o} {v} off", "put the {o} {v} on hold", "the {o} {v} mustn't do anything for now"),
    "start": ("kick off the {o} {v}", "get the {o} {v} going", "fire up the {o} {v}"),
    "stop": ("shut down the {o} {v}", "make the {o} {v} quit", "halt the {o} {v}", "that {o} {v} has to come to a halt"),
    "upload": ("put my {o} {v} up there", "I've got the {o} {v} here, bring it in", "get the {o} {v} from my machine into it"),
    "download": ("save the {o} {v} onto my machine", "I want the {o} {v} out of there as a file", "get me the {o} {v} to keep here"),
    "count": ("how many {O} are there", "the number of {O}, please", "just the total of our {O}"),
    "rename": ("the {o} should be called {v} instead", "give the {o} another name: {v}"),
    "share": ("let others see the {o} {v}", "make the {o} {v} visible to everyone"),
    "unshare": ("nobody else should see the {o} {v} any more", "make the {o} {v} private again"),
    "merge": ("make one {o} out of the two", "bring the {o} {v} together with the other one"),
    "compare": ("what's different between the two {O}", "hold the {o} {v} against the other one"),
    "approve": ("the {o} {v} is fine by me, let it through", "say yes to the {o} {v}"),
    "reject": ("say no to the {o} {v}", "turn down the {o} {v}"),
}
MANY = {
    "delete": ("get rid of all the {O} in one go", "wipe every single {o}", "none of the {O} should be left"),
    "create": ("set up a whole batch of {O} at once", "I have a list of {O} to put in together"),
    "update": ("the same correction in all of the {O} at once", "adjust every {o} in one go"),
    "get": ("pull up several {O} together", "I need the lot of these {O} in one answer"),
    "add": ("put a whole lot of {O} on it at once",),
    "remove": ("take all the {O} off it",),
    "cancel": ("call off every {o}",),
    "stop": ("shut all the {O} down",),
    "send": ("get it out to everyone at once, all the {O}",),
}
# A thing inside another: the thing is named last and loosely, what contains it by its own word.
INSIDE = {
    "list": ("what {O} does the {c} {v} have", "all the {O} that belong to {c} {v}", "in {c} {v}, which {O} are there"),
    "get": ("the {o} of {c} {v}, what does it say", "show me one {o} from the {c} {v}", "inside {c} {v} there's a {o} I need to look at"),
    "create": ("the {c} {v} needs a {o}", "put a new {o} into {c} {v}", "a {o} for the {c} {v}, please"),
    "delete": ("get rid of the {o} in the {c} {v}, leave the {c} itself alone", "throw the {o} out of {c} {v}", "the {c} {v} stays, just its {o} goes"),
    "remove": ("take the {o} out of the {c} {v}", "the {o} has no business in {c} {v}, off with it"),
    "update": ("in {c} {v} the {o} is wrong, correct it", "the {o} of the {c} {v} should be something else"),
    "add": ("put a {o} onto the {c} {v}", "the {c} {v} should have this {o} too"),
    "search": ("look through the {O} of {c} {v} for it",),
    "cancel": ("call off the {o} of the {c} {v}, not all of it",),
    "start": ("kick off the {o} of {c} {v}",),
    "stop": ("halt the {o} of the {c} {v}",),
    "count": ("how many {O} does {c} {v} have",),
    "download": ("save the {o} of {c} {v} here",),
    "upload": ("get a {o} into the {c} {v}",),
}
INTO = ("turn this {a} into {b}", "I have {a} and need {b}", "what is that {a} as {b}", "make {b} out of my {a}", "from {a} over to {b}, please")
LOOSELY = {
    "user": ("person", "account", "someone's login"), "users": ("people", "accounts"), "member": ("person on the team",), "members": ("people on the team",),
    "message": ("note", "text"), "messages": ("notes", "texts"), "file": ("document",), "files": ("documents",), "folder": ("directory",), "folders": ("directories",),
    "directory": ("folder",), "repository": ("repo",), "repositories": ("repos",), "issue": ("ticket", "bug"), "issues": ("tickets", "bugs"), "ticket": ("case", "request"),
    "tickets": ("cases", "requests"), "invoice": ("bill",), "invoices": ("bills",), "customer": ("client", "buyer"), "customers": ("clients", "buyers"), "order": ("purchase",),
    "orders": ("purchases",), "event": ("appointment", "date in my calendar"), "events": ("appointments", "things that happened"), "channel": ("room", "group chat"), "channels": ("rooms",),
    "comment": ("remark",), "comments": ("remarks",), "product": ("item we sell", "article"), "products": ("items we sell", "articles"), "subscription": ("plan someone pays for",),
    "subscriptions": ("plans people pay for",), "image": ("picture",), "images": ("pictures",), "photo": ("picture",), "contact": ("person in my address book",), "contacts": ("people in my address book",),
    "email": ("mail",), "emails": ("mails",), "task": ("to-do", "job"), "tasks": ("to-dos", "jobs"), "employee": ("colleague", "worker"), "employees": ("colleagues", "staff"),
    "vehicle": ("car",), "vehicles": ("cars",), "payment": ("money that came in",), "refund": ("money back",), "discount": ("price cut",), "address": ("where they live",),
    "tag": ("label",), "tags": ("labels",), "label": ("tag",), "labels": ("tags",), "server": ("machine",), "servers": ("machines",), "instance": ("machine",), "instances": ("machines",),
    "database": ("db",), "databases": ("dbs",), "record": ("entry",), "records": ("entries",), "entry": ("record",), "branch": ("line of work",), "deployment": ("release",), "deployments": ("releases",),
    "webhook": ("callback",), "webhooks": ("callbacks",), "playlist": ("list of songs",), "song": ("track",), "track": ("song",), "booking": ("reservation",), "reservation": ("booking",),
    "meeting": ("call",), "meetings": ("calls",), "note": ("memo",), "notes": ("memos",), "report": ("summary",), "role": ("set of rights",), "permission": ("right",), "permissions": ("rights",),
    "attachment": ("enclosed file",), "attachments": ("enclosed files",), "page": ("sheet",), "article": ("piece",), "job": ("run",), "jobs": ("runs",), "log": ("what was written down",), "logs": ("what it printed",),
}
VALUES = ("Riverside", "4471", "Nordlicht", "from last Tuesday", "for Maya", "A-102", "the old one", "\"spring\"", "number 7", "of the Lisbon office", "Blue Harbor", "for the new hire", "2025", "Ito", "x-91", "we talked about")
ALL_WORDS = {"all", "bulk", "batch", "many", "multiple", "multi", "mass", "every"}
PREPOSITIONS = {"from", "to", "in", "on", "of", "for", "by", "with", "at", "into"}
NOISE = {"api", "v1", "v2", "v3", "v4", "the", "a", "an", "tool", "info", "information", "details", "detail", "data", "request", "single", "one"}


class Parsed:
    def __init__(self, action, thing, container, is_many, pair):
        self.action, self.thing, self.container, self.is_many, self.pair = action, thing, container, is_many, pair

    @property
    def key(self):
        return (self.action, tuple(sorted({singular(w) for w in (self.thing + " " + self.container).split()})), self.is_many, self.pair)


def singular(word):
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3 else word


def plural(word):
    if word.endswith("s") and not word.endswith("ss"):
        return word
    if word.endswith("y") and len(word) > 2 and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")


def parse(tool):
    """What a tool's name says that it does, or None where it does not say it plainly."""
    own = set(tool["fields"]["server"].lower().split())
    words = [w for w in tool["fields"]["name"].lower().split() if w not in own and w not in NOISE and not w.isdigit()]
    if not 2 <= len(words) <= 6 or not all(w.isascii() and w.isalpha() for w in words):
        return None
    at = next((i for i, w in enumerate(words) if w in ACTION_OF), None)
    if at is None or (at > 0 and words[at] in ("all", "index", "new", "open", "end", "set")):
        return into_pair(words)
    action, rest = ACTION_OF[words[at]], words[:at] + words[at + 1:]
    is_many = any(w in ALL_WORDS for w in rest)
    rest = [w for w in rest if w not in ALL_WORDS]
    if not rest:
        return None
    if "by" in rest[1:]:
        rest = rest[: rest.index("by")]
    cut = next((i for i, w in enumerate(rest) if w in PREPOSITIONS and 0 < i < len(rest) - 1), None)
    if cut is not None:
        return Parsed(action, " ".join(rest[:cut]), " ".join(rest[cut + 1:]), is_many, "")
    if any(w in PREPOSITIONS for w in rest):
        return None
    if action == "get" and rest[-1].endswith("s") and singular(rest[-1]) != rest[-1]:
        action = "list"
    return Parsed(action, rest[-1], " ".join(rest[:-1]), is_many, "")


def into_pair(words):
    """`hex to rgb`, `convert csv to json`: a direction, which its sibling has the other way round."""
    bare = [w for w in words if w not in ("convert", "transform", "translate")]
    is_plain = len(bare) < len(words) or len(bare) == 3
    words = bare
    if is_plain and "to" in words[1:-1]:
        cut = words.index("to")
        return Parsed("into", " ".join(words[:cut]), " ".join(words[cut + 1:]), False, " ".join(words))
    return None


def say(parsed, has_container, rng):
    value = rng.choice(VALUES)
    if parsed.action == "into":
        return rng.choice(INTO).format(a=parsed.thing, b=parsed.container)
    head = parsed.thing.split()[-1]
    loose = head if rng.random() < 0.45 else rng.choice(LOOSELY.get(head) or LOOSELY.get(singular(head)) or (head,))
    one, several = singular(loose), loose if " " in loose else plural(singular(loose))
    before = " ".join(parsed.thing.split()[:-1])
    whole = lambda word: f"{before} {word}".strip()  # noqa: E731
    said = None
    if parsed.is_many and parsed.action in MANY:
        said = rng.choice(MANY[parsed.action])
    elif has_container and parsed.action in INSIDE:
        container = parsed.container
        last = container.split()[-1]
        if rng.random() < 0.4:
            container = " ".join([*container.split()[:-1], rng.choice(LOOSELY.get(last, (last,)))])
        return rng.choice(INSIDE[parsed.action]).format(o=whole(one), O=whole(several), c=container, v=value)
    else:
        said = rng.choice(SAID[parsed.action])
        if parsed.container:
            one, several = f"{parsed.container} {whole(one)}", f"{parsed.container} {whole(several)}"
            return said.format(o=one, O=several, v=value)
    return said.format(o=whole(one), O=whole(several), v=value)


def contrast_requests(tools, indexes, seed=3, each=3):
    """Requests for those of the tools that some sibling on the same server could be mistaken for."""
    rng = random.Random(seed)
    by_server = {}
    for index in indexes:
        tool = tools[index]
        by_server.setdefault((tool["catalog"], tool["server"]), []).append(index)
    requests = []
    for (catalog, _), members in by_server.items():
        parsed = {index: found for index in members if (found := parse(tools[index])) is not None}
        keys, things, words = {}, set(), {}
        for index, found in parsed.items():
            keys.setdefault(found.key, []).append(index)
            things.add(found.thing)
            for word in set(f"{found.thing} {found.container}".split()):
                words.setdefault(singular(word), set()).add(index)
        for index, found in parsed.items():
            siblings = set().union(*(words[singular(w)] for w in f"{found.thing} {found.container}".split()))
            if len(keys[found.key]) > 1 or len(siblings) < 2:
                continue
            has_container = bool(found.container) and singular(found.container.split()[-1]) in {singular(t.split()[-1]) for t in things}
            said = {say(found, has_container, rng) for _ in range(each)}
            requests += [{"catalog": catalog, "query": re.sub(r"\s+", " ", text), "gold": [index], "part": "contrast", "language": "en"} for text in sorted(said)]
    return requests


if __name__ == "__main__":
    import sys

    from data import load

    found_tools, _ = load(sys.argv[1])
    found = contrast_requests(found_tools, [i for i, t in enumerate(found_tools) if t["catalog"].split("-")[0] in ("services", "vendors", "market", "mcp", "github")])
    print(len(found))
    for one in random.Random(1).sample(found, 40):
        print(one["query"], "=>", found_tools[one["gold"][0]]["server"], found_tools[one["gold"][0]]["fields"]["name"])
