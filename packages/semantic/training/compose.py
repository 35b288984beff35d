"""Messages that ask for several things: requests of one catalog put together, with the tools of all of them.

People ask an agent for a whole errand, and few labelled requests do. Without these the teacher places such a message between its parts,
near tools that serve none of them.
"""

import random

SHARE = 0.5  # composed messages, as a part of a catalog's requests
MOST = 3_000  # of a catalog's requests that are counted for it
FEWEST = 50  # requests that a catalog needs
SAME_SERVER = 0.6
THIRD = 0.3
JOINTS = (". ", " and ", ". Also, ", ". Then ", ", and then ", "; ", ". After that ", ". I would also like to ")


def compose(tools, requests, seed):
    """Two or three requests as one, the second one of the same server where one is at hand."""
    rng = random.Random(seed)
    by_catalog = {}
    for request in requests:
        by_catalog.setdefault(request["catalog"], []).append(request)
    composed = []
    for catalog, some in by_catalog.items():
        if len(some) < FEWEST:
            continue
        for _ in range(int(min(len(some), MOST) * SHARE)):
            first = rng.choice(some)
            others = [rng.choice(some) for _ in range(12)]
            siblings = [o for o in others if o is not first and server_of(tools, o) == server_of(tools, first)]
            second = rng.choice(siblings if siblings and rng.random() < SAME_SERVER else others)
            parts = [first, second] + ([rng.choice(others)] if rng.random() < THIRD else [])
            text = parts[0]["query"].rstrip(". ")
            for part in parts[1:]:
                text += rng.choice(JOINTS) + part["query"].rstrip(". ")
            composed.append({"catalog": catalog, "query": text, "gold": sorted({g for p in parts for g in p["gold"]})})
    return composed


def server_of(tools, request):
    return tools[request["gold"][0]]["server"]
